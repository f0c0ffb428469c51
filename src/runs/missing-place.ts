/**
 * Whether what a run wrote is where it works. A worktree may have been removed, another branch checked out, the run's
 * folder deleted: then nothing is wrong with its documents, and nothing must be written in their place.
 */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { abandoned, stateOf } from '../engine/transition.ts';
import { viewOf, type RunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { WorkflowReader } from '../workflows/workflow.ts';
import { branchAt, branchesWith, branchTip } from '../workspace/worktree.ts';
import { notReady, type Refusal } from './refusal.ts';
import { shellWord } from './work-order.ts';

export interface Place {
  readonly workflow: WorkflowReader;
  readonly state: RunState;
  readonly workspace: string;
  /** A folder of the same repository that is there. */
  readonly root: string;
  readonly disk?: Disk;
}

/** The same for a run that is open. */
export function missingFor({ workflow, state, workspace, disk, commonDir }: Run): Promise<Refusal | null> {
  return missingPlace({ workflow, state, workspace, disk, root: commonDir });
}

export async function missingPlace(place: Place): Promise<Refusal | null> {
  const { workflow, state, workspace, disk } = place;
  const { snapshot, history, input } = state;
  // The state file is written before the first dispatch. What is over may have been moved, and needs nothing.
  const hasFiles = history.length > 0 || input['acceptedState'] !== undefined;
  if (!hasFiles || stateOf(workflow.machine, snapshot.state).kind === 'final') return null;
  if (!existsSync(workspace)) return worktreeMissing(place);
  const view = viewOf(state, workspaceFiles(workspace, disk));
  const folder = dirname(workflow.stateFile(state.run).path(view));
  return view.files.exists(folder) ? null : folderMissing(place, folder);
}

async function worktreeMissing({ state, workspace, root }: Place): Promise<Refusal> {
  const { run, input, choice } = state;
  const { worktreeIn } = await import('../runtime/worktree-setup.ts');
  const { branch = choice.branch ?? 'HEAD', commit } = worktreeIn(input) ?? {};
  const isThere = commit === undefined || (await branchTip(root, branch)) !== null;
  const from = isThere ? branch : `-b ${branch} ${commit}`;
  const message = `the worktree ${workspace} of ${run} is missing: its branch ${branch} has what was committed, its journal has its documents`;
  return notReady('WorktreeMissing', message, `git worktree add --force ${shellWord(workspace)} ${from}`);
}

async function folderMissing({ state, workspace }: Place, folder: string): Promise<Refusal> {
  const { run, choice } = state;
  const here = branchAt(workspace);
  const branches = (await branchesWith(workspace, folder)).filter((branch) => branch !== here);
  const branch = branches.find((each) => each === choice.branch) ?? branches[0];
  const on = here === null ? 'a detached commit' : `the branch ${here}`;
  if (branch !== undefined) {
    const message = `${folder} of ${run} is not in this work tree, where ${on} is checked out; the branch ${branch} has it`;
    return notReady('RunOnOtherBranch', message, `git switch ${shellWord(branch)}`);
  }
  const message = `${folder} of ${run} is missing, and no branch has it; its journal has its documents (to give the run up, use pawl abandon ${run})`;
  return notReady('RunFolderMissing', message, `pawl restore ${run}`);
}

/** Another branch than the one the run last worked on, in words; null where it is the same, or nobody knows. */
export function otherBranch({ choice: { branch } }: RunState, workspace: string): string | null {
  const here = branchAt(workspace);
  if (branch === null || here === branch) return null;
  return `the run last worked on the branch ${branch}; now ${here ?? 'a detached commit'} is checked out`;
}

/** Why nothing more is done with a run; null unless it was abandoned. */
export function refusedAsAbandoned({ id, state: { snapshot } }: Run): Refusal | null {
  if (snapshot.state !== abandoned) return null;
  const message = `${id} is abandoned: ${snapshot.problem?.message ?? ''}; --new begins another run of its name`;
  return notReady('RunAbandoned', message, `pawl log ${id}`);
}
