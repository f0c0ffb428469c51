/**
 * Writing files exactly once, through crashes.
 *
 * W1. A recorded write names the digest of what it replaces; applying it again is harmless.
 * W2. A file that is neither what was there nor what shall be there was changed by somebody: it is not overwritten.
 */

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RecordedWrite } from '../journal/record.ts';
import { applyWrites, listFiles, readText, sha256 } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { Write } from '../workflows/workflow.ts';

/** The last of several writes to one path counts; a write that changes nothing is left out. */
export function recordWrites(root: string, writes: readonly Write[]): RecordedWrite[] {
  const byPath = new Map<string, RecordedWrite>();
  for (const write of writes) {
    byPath.delete(write.path);
    if ('moveTo' in write) {
      byPath.set(write.path, write);
      continue;
    }
    const current = readText(resolveInside(root, write.path));
    if ((current ?? null) === write.content) continue;
    byPath.set(write.path, { ...write, before: current === undefined ? null : sha256(current) });
  }
  return [...byPath.values()];
}

export function applyRecorded(root: string, writes: readonly RecordedWrite[]): void {
  const contents = writes.filter((write) => 'content' in write);
  if (contents.length > 0) applyWrites(root, contents);
  for (const write of writes) if ('moveTo' in write) move(root, write.path, write.moveTo);
}

export interface Unfinished {
  /** Still to be made: the file is what it was before. */
  readonly missing: readonly RecordedWrite[];
  /** W2. */
  readonly contested: readonly RecordedWrite[];
}

/** Which of a transition's writes a crash prevented. */
export function examineWrites(root: string, writes: readonly RecordedWrite[]): Unfinished {
  const missing: RecordedWrite[] = [];
  const contested: RecordedWrite[] = [];
  for (const write of writes) {
    if ('moveTo' in write) {
      // A folder that is at both places was moved, and somebody made another one since.
      const moved = listFiles(root, write.moveTo).length > 0;
      if (!moved && existsSync(resolveInside(root, write.path))) missing.push(write);
      continue;
    }
    // A folder that was moved takes its files along: their writes were made before.
    if (
      writes.some(
        (other) =>
          'moveTo' in other && isInside(write.path, other.path) && !existsSync(resolveInside(root, other.path)),
      )
    )
      continue;
    const current = readText(resolveInside(root, write.path));
    if ((current ?? null) === write.content) continue;
    const digest = current === undefined ? null : sha256(current);
    (digest === write.before ? missing : contested).push(write);
  }
  return { missing, contested };
}

function move(root: string, from: string, to: string): void {
  const source = resolveInside(root, from);
  const target = resolveInside(root, to);
  if (!existsSync(source)) return;
  mkdirSync(dirname(target), { recursive: true });
  renameSync(source, target);
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
