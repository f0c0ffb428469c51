/**
 * Files of a run in the main work tree, which no snapshot of its worktree holds. Without a sandbox an agent can write
 * them: they are put back, and a copy of what was there is kept in the folder of the dispatch.
 */

import { join } from 'node:path';
import { writeAtomically } from '../workspace/files.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import { isShared, listed } from './bounds.ts';
import { applyDue, bytesAt } from './recorded-writes.ts';
import type { Run } from './run.ts';

type MainFiles = ReadonlyMap<string, Buffer | null>;

/** None where they are in the workspace, or out of reach. */
export function mainFilesBefore(run: Run, level: SandboxLevel): MainFiles {
  const paths = level === 'none' ? (run.workflow.mainFiles?.(run.id) ?? []) : [];
  return new Map(paths.filter((path) => run.rootOf(path) !== run.workspace).map((path) => [path, bytesAt(run, path)]));
}

/** Compared with what there was before; what was out of bounds, in words, or null. */
export function restoreMainFiles(
  run: Run,
  before: MainFiles,
  { role, folder }: { readonly role: string; readonly folder: string },
): string | null {
  const changed = [...before].filter(([path, bytes]) => !isSame(bytesAt(run, path), bytes));
  if (changed.length === 0) return null;
  const what = `write ${listed(changed.map(([path]) => path))} in the main work tree`;
  if (isShared(run)) return `the ${role} may not ${what}`;
  for (const [path, bytes] of changed) {
    const found = bytesAt(run, path);
    if (found !== null) writeAtomically(join(folder, 'main', path), found, {}, run.disk);
    applyDue(run, [{ path, content: bytes === null ? null : bytes.toString('utf8') }]);
  }
  run.sync(changed.map(([path]) => path));
  run.tell(
    'recovered',
    `the ${role} may not ${what}: what was there is put back, a copy is in ${join(folder, 'main')}`,
  );
  return `the ${role} may not ${what}, which is put back`;
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}
