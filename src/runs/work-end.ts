/** Where the work of a run that is over is, as long as nobody has brought it home. */

import { existsSync } from 'node:fs';
import { abandoned, stateOf } from '../engine/transition.ts';
import { hasWritten } from '../runtime/run-note.ts';
import { isRecord } from '../schema/values.ts';
import type { OwnWork, WorkPlace } from './own-work.ts';

export interface WorkEnd {
  readonly path: string;
  /** Of the run's own worktree; null where it worked in a checkout of the user's. */
  readonly branch: string | null;
  /** Whether all of it is committed. */
  readonly committed: boolean;
  readonly next: string;
}

/** Null for a run that is not over, that failed and says itself what to do, or left nothing. */
export async function workEnd(place: WorkPlace): Promise<WorkEnd | null> {
  const { workflow, state, workspace: path } = place;
  const { worktree } = state.input;
  const end = stateOf(workflow.machine, state.snapshot.state);
  if (end.kind !== 'final' || end.outcome === 'failed' || state.landed !== null) return null;
  // A workflow that brings its work home itself says where it is.
  if (!existsSync(path) || workflow.placeless !== undefined) return null;
  const branch = isRecord(worktree) && typeof worktree['branch'] === 'string' ? worktree['branch'] : null;
  // A run that only made notes, or was abandoned, left no work in a checkout.
  if (branch === null && (state.snapshot.state === abandoned || !hasWritten(workflow, state))) return null;
  const { uncommitted } = await workOf(place);
  const committed = uncommitted.length === 0;
  return branch === null && committed ? null : { path, branch, committed, next: `pawl finish ${state.run}` };
}

/** Loaded late: few commands end a run. */
async function workOf(place: WorkPlace): Promise<OwnWork> {
  const [{ ownWork }, { unlessGitFails }] = await Promise.all([import('./own-work.ts'), import('../workspace/git.ts')]);
  return unlessGitFails({ uncommitted: [], shared: [] }, () => ownWork(place));
}
