/** Where the worktree of a new run shall be; it is made when the run has begun. */

import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { WorktreeInput } from '../runtime/worktree.ts';
import type { WorktreeSettings } from '../workflows/workflow.ts';
import type { Repository } from '../workspace/git.ts';
import { branchTip, fileInside, headCommit } from '../workspace/worktree.ts';
import { Problem } from './problem.ts';

export interface PlannedWorktree {
  readonly workspace: string;
  readonly input: WorktreeInput;
}

/** Beside the repository, on a branch of its own, from the current commit. What stands in its way is found out first. */
export async function planWorktree(
  { root, commonDir }: Repository,
  { workflow, run }: { readonly workflow: string; readonly run: string },
  settings: WorktreeSettings,
): Promise<PlannedWorktree> {
  const workspace = join(dirname(root), `${basename(root)}-${workflow}-${run}`);
  const branch = `${workflow}/${run}`;
  if (existsSync(workspace)) {
    throw new Problem('worktree_exists', `${workspace} exists already`, {
      target: workspace,
      fix: 'move it away, or begin without --worktree',
    });
  }
  if ((await branchTip(root, branch)) !== null) {
    throw new Problem('branch_exists', `there is a branch ${branch} already`, {
      target: branch,
      fix: 'rename or delete it, or choose another name',
    });
  }
  const commit = await headCommit(root);
  if (commit === null) {
    throw new Problem('no_commit', 'a worktree begins from a commit, and there is none yet', {
      fix: 'commit something',
    });
  }
  for (const path of settings.copy) fileInside(root, path);
  return { workspace, input: { source: relative(commonDir, root), branch, commit } };
}
