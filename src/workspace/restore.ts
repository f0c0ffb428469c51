/**
 * Brings files back to what a tree says.
 *
 * R1. Nothing is touched before all wanted contents are known to be there.
 * R2. Nothing is written or deleted through a symlinked folder.
 * R3. What the trees do not differ in stays: a folder goes only when it is empty.
 */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, FileProblem, isMissing } from './files.ts';
import { UnsafePath } from './paths.ts';

/** One file that differs between two trees; `mode` and `id` are those wanted. */
export interface TreeChange {
  /** A byte string: one character per byte. */
  readonly name: string;
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly oldMode: string;
  readonly mode: string;
  readonly id: string;
}

type Load = (ids: readonly string[]) => Promise<readonly Buffer[]>;

const nestedRepository = '160000';
const symlink = '120000';
const executable = '100755';
const filesPerLoadMax = 200;

export async function restoreFiles(root: string, changes: readonly TreeChange[], load: Load): Promise<void> {
  const ours = changes.filter(({ oldMode, mode }) => oldMode !== nestedRepository && mode !== nestedRepository);
  const wanted = ours.filter(({ status }) => status !== 'D');
  // One load is kept; of a long list each part is loaded twice, once to be sure of it.
  const parts = partsOf(wanted);
  const only = parts.length === 1 ? await loadPart(parts[0] ?? [], load) : undefined;
  if (!only) for (const part of parts) await loadPart(part, load);
  for (const { name } of ours) if (!isMissingBelow(root, name)) refuseSymlinkedParent(root, name, ours);

  for (const { name } of ours.filter(({ status }) => status === 'D').toReversed()) remove(root, name);
  for (const part of parts) {
    const contents = only ?? (await loadPart(part, load));
    part.forEach((change, at) => put(root, change, contents[at] ?? Buffer.alloc(0)));
  }
}
