/**
 * Files of the workspace that this process itself writes to, because somebody redirected its output there
 * (`pawl … > out.txt`). They grow while an agent works, and no agent did it: they belong to nobody's judgement.
 *
 * O1. They are told by device and inode, never by name alone.
 * O2. Their names are remembered with the run: a later command without the redirection must judge the same tree.
 */

import { fstatSync, readlinkSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { JudgedTree } from '../workflows/workflow.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import type { Run } from './run.ts';

const outputs = [1, 2];

interface RunPlace {
  readonly workspace: string;
  readonly folder: string;
  readonly disk?: Disk;
}

export async function changedPaths(run: Run, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const paths = (await run.tree.changed(from, to)).map(({ path }) => path);
  const own = ownOutput(run, paths);
  return paths.filter((path) => !own.has(path));
}

/** What there is to judge: the tree as it is, and how it differs from the one the run began with. */
export async function judgedTree(run: Run): Promise<JudgedTree> {
  const now = await run.tree.snapshot();
  const all = await run.tree.fileChanges(run.state.firstTree ?? now, now);
  const paths = all.map(({ path }) => path);
  const own = ownOutput(run, paths);
  const files = all.filter(({ path }) => !own.has(path) && !path.startsWith(`${run.workflow.controlFolder}/`));
  return { digest: await run.digestOf(now), files };
}

/** Those of the paths that are our own output. */
export function ownOutput(run: RunPlace, paths: readonly string[]): ReadonlySet<string> {
  const own = ownAmong(run, paths);
  remember(run, own);
  return new Set(own);
}

/** Every path that ever was the output of a process at work on the run, this one included. */
export function rememberedOutput(run: RunPlace): readonly string[] {
  remember(run, ownAmong(run, redirected(run)));
  return namesIn(run);
}

/** The same for a process that only looks: nothing is remembered. */
export function seenOutput(run: RunPlace): readonly string[] {
  return [...new Set([...namesIn(run), ...ownAmong(run, redirected(run))])];
}

function ownAmong(run: RunPlace, paths: readonly string[]): readonly string[] {
  const ids = new Set(outputs.map((descriptor) => idOf(() => fstatSync(descriptor, { bigint: true }))));
  ids.delete(null);
  if (ids.size === 0) return [];
  return paths.filter((path) => ids.has(idOf(() => statSync(join(run.workspace, path), { bigint: true }))));
}

function redirected(run: RunPlace): readonly string[] {
  return outputs.map((descriptor) => pathOf(run, descriptor)).filter((path) => path !== null);
}

/** O2. */
function remember(run: RunPlace, paths: readonly string[]): void {
  const known = namesIn(run);
  const all = new Set([...known, ...paths]);
  if (all.size > known.length) writeAtomically(fileOf(run), `${[...all].join('\n')}\n`, {}, run.disk);
}

function namesIn(run: RunPlace): readonly string[] {
  return (readText(fileOf(run), run.disk ?? nodeDisk) ?? '').split('\n').filter((name) => name !== '');
}

function fileOf(run: RunPlace): string {
  return join(run.folder, 'own-output');
}

/** O1. Only regular files: a terminal or a pipe is not in the workspace. */
function idOf(look: () => { isFile(): boolean; dev: bigint; ino: bigint }): string | null {
  try {
    const found = look();
    return found.isFile() ? `${found.dev}:${found.ino}` : null;
  } catch {
    return null;
  }
}

/** Where the system tells the name of an open file: one that has not grown yet is found too. */
function pathOf(run: RunPlace, descriptor: number): string | null {
  try {
    const path = relative(run.workspace, readlinkSync(`/proc/self/fd/${descriptor}`));
    return path === '' || path.startsWith('..') ? null : path;
  } catch {
    return null;
  }
}
