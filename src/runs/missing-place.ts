/**
 * Whether what a run wrote is where it works. A worktree may have been removed, another branch checked out, the run's
 * folder deleted: then nothing is wrong with its documents, and nothing must be written in their place.
 */

import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { abandoned, stateOf } from '../engine/transition.ts';
import { otherThanOwn } from '../runtime/own-branch.ts';
import { mayBePlaceless, viewOf, type RunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import type { WorkflowReader } from '../workflows/workflow.ts';
import { branchAt, branchesWith } from '../workspace/worktree.ts';
import { notReady, type Refusal } from './refusal.ts';
import { shellWord } from '../documents/shell-word.ts';

export interface Place {
  readonly workflow: WorkflowReader;
  readonly state: RunState;
  readonly workspace: string;
  readonly commonDir: string;
  readonly disk?: Disk;
}

/** The same for a run that is open. */
export function missingFor({ workflow, state, workspace, disk, commonDir }: Run): Promise<Refusal | null> {
  return missingPlace({ workflow, state, workspace, disk, commonDir });
}

export async function missingPlace(place: Place): Promise<Refusal | null> {
  const { workflow, state, workspace, disk } = place;
  // What is over may have been moved, and needs nothing.
  if (!hasBegun(state) || stateOf(workflow.machine, state.snapshot.state).kind === 'final') return null;
  if (await isGone(state, workspace)) return isRemoved(place) ? null : worktreeMissing(place);
  const other = otherThanOwn(place);
  if (other) return notReady(other.code, other.message, other.fix);
  if (!hasFiles(state)) return null;
  const view = viewOf(state, workspaceFiles(rootsOf(workflow, workspace, place.commonDir), disk));
  const stateFile = workflow.stateFile(state.run).path(view);
  const folder = dirname(stateFile);
  return view.files.exists(stateFile) || view.files.exists(folder) ? null : folderMissing(place, folder);
}

/** By the run itself. */
function isRemoved({ workflow, state, workspace }: Pick<Place, 'workflow' | 'state' | 'workspace'>): boolean {
  return mayBePlaceless(workflow, state.snapshot) && !existsSync(workspace);
}

/** The state file is written before the first dispatch. */
function hasFiles({ history, input }: RunState): boolean {
  return history.length > 0 || input['acceptedState'] !== undefined;
}

/** Whether there was a place where the run works: it is made before the first command is delivered. */
export function hasBegun(state: RunState): boolean {
  return state.lastCommand !== null || state.firstTree !== null || hasFiles(state);
}

/** Few runs have a worktree of their own: the others need not load the code that makes one. */
async function isGone(state: RunState, workspace: string): Promise<boolean> {
  if (state.input['worktree'] === undefined && existsSync(workspace)) return false;
  const { isWorktreeGone } = await import('../runtime/lost-worktree.ts');
  return isWorktreeGone(state, workspace);
}

async function worktreeMissing({ state, workspace }: Place): Promise<Refusal> {
  const { branchOf } = await import('../runtime/lost-worktree.ts');
  const { branch } = branchOf(state);
  const message = `the worktree ${workspace} of ${state.run} is missing: its branch ${branch} has what was committed, its journal has the rest`;
  return notReady('WorktreeMissing', message, `pawl restore ${state.run}`);
}

/** Makes the worktree of a run anew where it is missing: then returns its place. */
export async function worktreeAnew(
  run: Run,
  { dryRun }: { readonly dryRun: boolean },
): Promise<string | Refusal | null> {
  const { state, workspace, workflow, id } = run;
  if (!(await isGone(state, workspace))) return null;
  if (!hasBegun(state)) return notReady('WorktreeMissing', `${id} has not begun yet`, `pawl resume ${id}`);
  if (stateOf(workflow.machine, state.snapshot.state).kind === 'final') {
    const message = `${id} is over, and its worktree ${workspace} is removed; its journal is kept`;
    return notReady('WorktreeMissing', message, `pawl log ${id}`);
  }
  if (isRemoved(run)) {
    const message = `${id} has removed its worktree ${workspace}; its journal is kept`;
    return notReady('WorktreeMissing', message, `pawl resume ${id}`);
  }
  if (existsSync(workspace) && readdirSync(workspace).length > 0) {
    const message = `${workspace} is no longer the worktree of ${id}; move what is left there away, then run pawl restore ${id}`;
    return notReady('WorktreeExists', message, `mv ${shellWord(workspace)} ${shellWord(`${workspace}-old`)}`);
  }
  if (!dryRun) await (await import('../runtime/lost-worktree.ts')).makeAnew(run);
  return workspace;
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
  if (branch === null || here === branch || !existsSync(workspace)) return null;
  return `the run last worked on the branch ${branch}; now ${here ?? 'a detached commit'} is checked out`;
}

/** Why nothing more is done with a run; null unless it was abandoned. */
export function refusedAsAbandoned({ id, state: { snapshot } }: Run): Refusal | null {
  if (snapshot.state !== abandoned) return null;
  const message = `${id} is abandoned: ${snapshot.problem?.message ?? ''}; --new begins another run of its name`;
  return notReady('RunAbandoned', message, `pawl log ${id}`);
}
