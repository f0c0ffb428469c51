/**
 * Brings files back to what a tree says.
 *
 * R1. Nothing is touched before all wanted contents are known to be there and all places to be safe.
 * R2. Nothing is written or deleted through a symlinked folder.
 * R3. What the trees do not differ in stays: a folder goes only when it is empty.
 */

import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { symlinkSync, unlinkSync, writeFileSync, type Stats } from 'node:fs';
import { isMissing, orElse } from '../disk/disk-error.ts';
import { FileProblem, ifThere } from './files.ts';
import { UnsafePath } from './safe-paths.ts';

/** One file that differs between two trees; `mode` and `id` are those wanted. */
export interface TreeChange {
  /** A byte string: one character per byte. */
  readonly name: string;
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly oldMode: string;
  readonly mode: string;
  readonly id: string;
}

const nestedRepository = '160000';
const symlink = '120000';
const executable = '100755';
const filesPerLoadMax = 200;

export async function restoreFiles(
  root: string,
  changes: readonly TreeChange[],
  load: (ids: readonly string[]) => Promise<readonly Buffer[]>,
): Promise<void> {
  const ours = changes.filter(({ oldMode, mode }) => oldMode !== nestedRepository && mode !== nestedRepository);
  const deleted = new Set(ours.filter(({ status }) => status === 'D').map(({ name }) => name));
  const wanted = ours.filter(({ status }) => status !== 'D');
  const parts = chunksOf(wanted, filesPerLoadMax);
  // Loaded once to be sure of them and again to write them, so that memory holds one part at a time.
  for (const part of parts) await load(part.map(({ id }) => id));
  for (const { name } of ours) refuseDetour(root, name, deleted);

  for (const name of deleted) remove(root, name);
  for (const part of parts) {
    const contents = await load(part.map(({ id }) => id));
    for (const [at, content] of contents.entries()) if (part[at]) put(root, part[at], content);
  }
}

/** Whether there is a file (or symlink) of that name that is not behind a symlinked folder. */
export function isReachable(root: string, name: string): boolean {
  const found = look(root, name);
  return (
    found !== undefined && !found.isDirectory() && parentsOf(name).every((parent) => look(root, parent)?.isDirectory())
  );
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

export function bytePath(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

function refuseDetour(root: string, name: string, deleted: ReadonlySet<string>): void {
  const inTheWay = parentsOf(name).find((parent) => {
    const found = look(root, parent);
    return found !== undefined && !found.isDirectory();
  });
  if (inTheWay === undefined || deleted.has(inTheWay)) return;
  const [path, other] = [bytePath(name), bytePath(inTheWay)].map((bytes) => bytes.toString('utf8'));
  throw new UnsafePath(
    `cannot restore ${path}: ${other} is a file or a symlink now, not a folder; nothing was restored`,
  );
}

function remove(root: string, name: string): void {
  ifThere('remove', display(root, name), () => unlinkSync(place(root, name)));
  for (const parent of parentsOf(name).toReversed()) {
    try {
      rmdirSync(place(root, parent));
    } catch (error) {
      if (!isMissing(error)) return;
    }
  }
}

function put(root: string, { name, mode }: TreeChange, content: Buffer): void {
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const temporary = place(root, `${folder}.pawl-${process.pid}-${(counter += 1)}.tmp`);
  try {
    if (folder !== '') mkdirSync(place(root, folder), { recursive: true });
    const before = look(root, name);
    if (mode === symlink) symlinkSync(content, temporary);
    else {
      const isExecutable = mode === executable;
      writeFileSync(temporary, content, { flag: 'wx', mode: isExecutable ? 0o777 : 0o666 });
      // Permissions beyond the exec bit are not in the tree: those of the file that is replaced stay.
      const plain = (before?.mode ?? 0) & 0o666;
      if (before?.isFile()) chmodSync(temporary, isExecutable ? plain | ((plain & 0o444) >> 2) : plain);
    }
    if (before?.isDirectory()) rmdirSync(place(root, name));
    renameSync(temporary, place(root, name));
  } catch (error) {
    // That the write failed is the error to report, not that nothing could be taken away.
    orElse(undefined, () => rmSync(temporary, { force: true }));
    throw new FileProblem('restore', display(root, name), error);
  }
}

let counter = 0;

function parentsOf(name: string): string[] {
  const segments = name.split('/').slice(0, -1);
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'));
}

function look(root: string, name: string): Stats | undefined {
  return ifThere('look at', display(root, name), () => lstatSync(place(root, name)));
}

function place(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), bytePath(name)]);
}

function display(root: string, name: string): string {
  return place(root, name).toString('utf8');
}
