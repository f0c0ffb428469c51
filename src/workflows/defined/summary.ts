/** The result of a command on a run of a defined workflow, and its status, in words that fit any of them. */

import { isFault, type Machine } from '../../engine/machine.ts';
import { phaseOf } from '../../engine/phase.ts';
import { openOptions } from '../../engine/transition.ts';
import { stopText, type RunWords } from '../define-workflow.ts';
import type { RunView, StatusDetails, StatusView } from '../workflow.ts';
import { reportKey } from './reporting.ts';

export function wordsOf(workflow: string, machine: Machine): RunWords {
  const next = (view: RunView) => nextCommand(workflow, machine, view);
  return {
    next,
    verdict: lastVerdict,
    refusals: {
      AlreadyStarted: ({ run, snapshot }) => `${run} has already started: it is in ${snapshot.state}`,
      NothingToRetry: ({ run, snapshot }) => `${run} has no step to repeat: it is in ${snapshot.state}`,
      NothingToUndo: ({ run }) => `${run} has nothing that could be undone`,
      NotNow: ({ snapshot }) => `this is not possible in ${snapshot.state}`,
    },
    rests: {},
    // The author may have said what leads on from where a run stops.
    stops: (view, outcome) => {
      const stopped = stopText(view, outcome);
      return stopped && (outcome === 'over_budget' ? stopped : { ...stopped, next: next(view) ?? stopped.next });
    },
  };
}

/** The command that leads on from where the run rests; null when there is none, or only ways back. */
function nextCommand(workflow: string, machine: Machine, { run, snapshot }: RunView): string | null {
  const state = machine.states[snapshot.state];
  if (state?.kind !== 'parked') return null;
  const first = openOptions(state.on, snapshot).find((command) => command !== 'undo');
  if (first === undefined) return null;
  return first === 'retry' ? `pawl retry ${run}` : `pawl ${workflow} ${first} ${run}`;
}

function lastVerdict({ history, snapshot }: RunView): string | null {
  const last = history.findLast(({ step, signal }) => !isFault(signal) && snapshot.data[reportKey(step)] !== undefined);
  return last?.signal ?? null;
}

export function status(machine: Machine, view: StatusView): StatusDetails {
  const { history, snapshot, unproven } = view;
  const verdict = lastVerdict(view);
  const isProven = unproven.length === 0;
  return {
    keys: { verdict, dispatches: history.length, unproven: isProven ? null : unproven },
    title: [`state ${phaseOf(machine, snapshot) ?? 'new'}`, ...(verdict === null ? [] : [`verdict ${verdict}`])],
    notes: isProven ? [] : [{ text: 'unproven: this run continues although the verifier refutes its workflow' }],
  };
}
