/**
 * Makes the worktree of a run anew that somebody removed.
 *
 * L1. It comes from the run's branch, or where that is gone too, from the commit that the run began with.
 * L2. What was not committed comes back as the run's last dispatch left it, unless a commit has another version of the
 *     file. Documents that the journal holds come back from there.
 * L3. The next command prepares it (worktree-setup.ts): it may run the project's own programs, restoring does not.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { remakeWorktree } from '../workspace/worktree.ts';
import { markedFor } from './project-command.ts';
import type { Run } from './run.ts';
import type { RunState } from './run-state.ts';
import { documentsOnRecord } from './texts-on-record.ts';
import { attribution } from './undo.ts';
import { noteMade, worktreeIn } from './worktree-setup.ts';

/** Also where only a folder of its name is left. */
export function isWorktreeGone({ input }: Pick<RunState, 'input'>, workspace: string): boolean {
  return !existsSync(workspace) || (worktreeIn(input) !== null && !existsSync(join(workspace, '.git')));
}

/** Its branch; `commit` is what a worktree of Pawl's own began from. */
export function branchOf({ input, choice }: RunState): { readonly branch: string; readonly commit: string | null } {
  return worktreeIn(input) ?? { branch: choice.branch ?? 'HEAD', commit: null };
}

export async function makeAnew(run: Run): Promise<void> {
  const { state, workspace: folder, commonDir } = run;
  await remakeWorktree(commonDir, { folder, ...branchOf(state), env: markedFor(run, '#setup') });
  noteMade(run);
  await bringBack(run);
}

/** L2. */
async function bringBack(run: Run): Promise<void> {
  const { from, last } = await attribution(run.tree, run.records);
  if (from === null || last === null) return;
  const now = await run.tree.snapshot();
  const committed = new Set((await run.tree.changed(from, now)).map(({ path }) => path));
  const known = documentsOnRecord(run.records);
  const left = await run.tree.changed(from, last);
  const paths = left.map(({ path }) => path).filter((path) => !committed.has(path) && !known.has(path));
  await run.tree.restore(now, last, { paths });
  run.sync(paths);
}
