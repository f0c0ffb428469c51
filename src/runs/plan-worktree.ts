/** Where the worktree of a new run shall be; it is made when the run has begun. */

import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { WorktreeInput } from '../runtime/worktree-setup.ts';
import type { RunKey } from '../store/run-store.ts';
import type { WorktreeSettings } from '../workflows/workflow.ts';
import type { Repository } from '../workspace/git.ts';
import { branchTip, fileInside, headCommit } from '../workspace/worktree.ts';
import { refusal, type Refusal } from './refusal.ts';

export interface PlannedWorktree {
  readonly workspace: string;
  readonly input: WorktreeInput;
}

/** Beside the repository, on a branch of its own, from the current commit. What stands in its way is found out first. */
export async function planWorktree(
  { root, commonDir }: Repository,
  { workflow, run }: RunKey,
  settings: WorktreeSettings | undefined,
): Promise<PlannedWorktree | Refusal> {
  const workspace = join(dirname(root), `${basename(root)}-${workflow}-${run}`);
  const branch = `${workflow}/${run}`;
  if (existsSync(workspace)) {
    const fix = 'move it away, or begin without --worktree';
    return refusal('worktree_exists', `${workspace} exists already`, { target: workspace, fix });
  }
  if ((await branchTip(root, branch)) !== null) {
    const fix = 'rename or delete it, or choose another name';
    return refusal('branch_exists', `there is a branch ${branch} already`, { target: branch, fix });
  }
  const commit = await headCommit(root);
  if (commit === null) {
    return refusal('no_commit', 'a worktree begins from a commit, and there is none yet', { fix: 'commit something' });
  }
  for (const path of settings?.copy ?? []) fileInside(root, path);
  return { workspace, input: { source: relative(commonDir, root), branch, commit } };
}
