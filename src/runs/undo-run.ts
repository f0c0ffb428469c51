/** Taking back what a run did to the work tree, and saying what is not taken back. */

import { transition } from '../engine/transition.ts';
import { isUnderWay } from '../runtime/drive.ts';
import type { Run } from '../runtime/run.ts';
import type { Host } from '../runtime/host.ts';
import { undoRun as undo, type Undone } from '../runtime/undo.ts';
import type { RunKey } from '../store/run-store.ts';
import { withRun } from './quiet-run.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './run-repository.ts';

export interface UndoneRun extends Undone {
  readonly run: string;
  /** What is not taken back. */
  readonly kept: readonly string[];
  readonly phase: string | null;
  readonly next: string | null;
}

export function undoRun(repository: RunRepository, key: RunKey, host: Host): Promise<UndoneRun | Refusal> {
  return withRun(repository, key, host, async (run): Promise<UndoneRun | Refusal> => {
    const refused = notNow(run);
    if (refused) return refused;
    const { restored, left } = await undo(run);
    const { phase, next } = run.workflow.summarize(run.view(), { outcome: 'done', refusal: null });
    const { undoKeeps = [] } = run.workflow;
    const kept = [...undoKeeps, 'the journal', 'what was spent', 'commits, if anybody made some'];
    return { run: run.id, restored, left, kept, phase, next };
  });
}

function notNow(run: Run): Refusal | null {
  if (isUnderWay(run)) {
    const message = `"${run.state.lastCommand}" of ${run.id} was interrupted and is not finished`;
    return refusal('CommandUnfinished', message, {
      fix: `give the step up first: pawl cancel ${run.id}`,
      outcome: 'not_ready',
    });
  }
  const possible = transition(run.workflow.machine, run.state.snapshot, { name: 'undo' });
  if (possible.kind !== 'refusal') return null;
  const { outcome, reason } = possible;
  const { message, next } = run.workflow.summarize(run.view(), { outcome, refusal: reason });
  return refusal(reason, message, { outcome, fix: next });
}
