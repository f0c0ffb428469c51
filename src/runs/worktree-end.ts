/** The end of a worktree: Pawl commits nothing, so it says where the work is and what brings it home. */

import { stateOf } from '../engine/transition.ts';
import type { Run } from '../runtime/run.ts';
import { isRecord } from '../schema/values.ts';
import { shellWord } from './work-order.ts';

export interface WorktreeEnd {
  readonly path: string;
  readonly branch: string;
  readonly commands: readonly string[];
}

/** Null for a run that is not over, or works in the checkout it was begun in. */
export function worktreeEnd({ workflow, id, state, workspace: path }: Run): WorktreeEnd | null {
  const { worktree } = state.input;
  const branch = isRecord(worktree) ? worktree['branch'] : undefined;
  if (typeof branch !== 'string' || stateOf(workflow.machine, state.snapshot.state).kind !== 'final') return null;
  const folder = shellWord(path);
  const commands = [
    `git -C ${folder} add --all`,
    `git -C ${folder} commit --message ${shellWord(id)}`,
    `git merge ${branch}`,
    `git worktree remove ${folder}`,
    `git branch --delete ${branch}`,
  ];
  return { path, branch, commands };
}
