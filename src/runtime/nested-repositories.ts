/**
 * Repositories that a role makes inside the work tree. No commit holds what is in them, so in a workflow that commits
 * they are out of bounds: the git directory is moved into the folder of the dispatch, and its files become ordinary ones.
 */

import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isShared, listed } from './bounds.ts';
import type { Run } from './run.ts';

/** As of the last snapshot. */
export function nestedRepositories({ workflow, tree }: Run): readonly string[] {
  return workflow.commits ? (tree.nested ?? []) : [];
}

/** Compared with those there were before; what was out of bounds, in words, or null. */
export function removeNested(
  run: Run,
  before: readonly string[],
  { role, folder }: { readonly role: string; readonly folder: string },
): string | null {
  const made = nestedRepositories(run).filter((path) => !before.includes(path));
  if (made.length === 0) return null;
  const what = `make a repository of its own in ${listed(made)}`;
  if (isShared(run)) return `the ${role} may not ${what}`;
  const kept = join(folder, 'nested');
  for (const path of made) moveAway(join(run.workspace, path, '.git'), join(kept, path, 'git'));
  run.tell('recovered', `the ${role} may not ${what}: its .git is moved to ${kept}`);
  return `the ${role} may not ${what}, which is removed`;
}

function moveAway(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(join(to, '..'), { recursive: true });
  try {
    renameSync(from, to);
  } catch {
    // The run's folder may be on another file system than its worktree.
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
  }
}
