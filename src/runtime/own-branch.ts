/** A run of a workflow that commits goes on only on its own branch: the one that it was begun on, or that was made for it. */

import { shellWord } from '../documents/shell-word.ts';
import type { WorkflowReader } from '../workflows/workflow.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { branchAt } from '../workspace/worktree.ts';
import type { RunState } from './run-state.ts';
import type { Run } from './run.ts';

/** Stop: a person has to switch back. */
export class OtherBranch extends Error {
  readonly code = 'RunOnOtherBranch';
  readonly fix: string;

  constructor({ state: { run }, workspace, commonDir }: Place, branch: string, here: string | null) {
    const on = here === null ? 'a detached commit' : `the branch ${here}`;
    super(`${run} commits to the branch ${branch}, but ${on} is checked out in ${workspace}; switch back to continue`);
    const isMain = mainWorkTree({ root: workspace, commonDir }) === workspace;
    this.fix = `git ${isMain ? '' : `-C ${shellWord(workspace)} `}switch ${shellWord(branch)}`;
  }
}

type Place = Pick<Run, 'state' | 'workspace' | 'commonDir'> & { readonly workflow: Pick<WorkflowReader, 'commits'> };

/** Null where the run may go on. */
export function otherThanOwn(place: Place): OtherBranch | null {
  const own = place.workflow.commits ? ownBranch(place.state) : null;
  const here = branchAt(place.workspace);
  return own === null || own === here ? null : new OtherBranch(place, own, here);
}

/** Null where nobody knows it. */
function ownBranch({ input, choice }: RunState): string | null {
  const { worktree } = input;
  const made = typeof worktree === 'object' && worktree !== null && 'branch' in worktree ? worktree.branch : null;
  return typeof made === 'string' ? made : choice.branch;
}

/** Throws OtherBranch. */
export function requireOwnBranch(run: Run): void {
  const other = otherThanOwn(run);
  if (other) throw other;
}
