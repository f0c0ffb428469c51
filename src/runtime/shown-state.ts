/** What the state file of a run says, and whether a person wrote it. */

import type { Machine } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { abandoned } from '../engine/transition.ts';
import type { JournalRecord } from '../store/record.ts';
import type { RunView, WorkflowReader } from '../workflows/workflow.ts';
import { RunFold } from './run-state.ts';

export type ShownState = NonNullable<ReturnType<typeof shownState>>;

/** What the state file says, beside the recorded phase; null where there is none, or none is due. */
export function shownState(workflow: WorkflowReader, view: RunView) {
  const stateFile = workflow.stateFile(view.run);
  const path = stateFile.path(view);
  const text = view.files.read(path);
  const recorded = phaseOf(workflow.machine, view.snapshot);
  // The files of an abandoned run are out of its way.
  if (view.snapshot.state === abandoned) return null;
  if (recorded === null || text === undefined || text.trim() === '') return null;
  return { path, text, recorded, ...stateFile.identify(text, recorded) };
}

/** E1. The records of a long run take long to read, so they are asked for only where they matter. */
export function isEdit(shown: ShownState, machine: Machine, records: () => readonly JournalRecord[]): boolean {
  if (shown.phase === shown.recorded) return false;
  return !isEarlierProjection(records(), machine, shown);
}

/** Whether a state file shows an earlier moment of the run: a projection carries the time of the record it shows. */
function isEarlierProjection(
  records: readonly JournalRecord[],
  machine: Machine,
  shown: { readonly phase: string; readonly updatedAt: string | null },
): boolean {
  const [first, ...rest] = records;
  if (first?.type !== 'created') return false;
  // The file a run was taken over from may name another phase than the one it goes on in.
  if (first.input['acceptedState'] === shown.phase && first.input['acceptedAt'] === shown.updatedAt) return true;
  const fold = new RunFold(first);
  for (const record of rest) {
    fold.apply(record);
    if (fold.state.changedAt === shown.updatedAt) return phaseOf(machine, fold.state.snapshot) === shown.phase;
  }
  return false;
}
