/** What a command on a run of a defined workflow came to, in words that fit any of them. */

import { isFault, type Machine } from '../../engine/machine.ts';
import { openOptions } from '../../engine/transition.ts';
import { stopText, summaryText, type RunWords } from '../run-summary.ts';
import type { RunView } from '../workflow.ts';
import { reportKey } from './reporting.ts';

export function wordsOf(workflow: string, machine: Machine): RunWords {
  const next = (view: RunView) => nextCommand(workflow, machine, view);
  const refused = (reason: string, words: (run: string, state: string) => string) => ({
    [reason]: (view: RunView) => summaryText(reason, words(view.run, view.snapshot.state), next(view)),
  });
  return {
    next,
    verdict: lastVerdict,
    refusals: {
      ...refused('AlreadyStarted', (run, state) => `${run} has begun already: it is in ${state}`),
      ...refused('NothingToRetry', (run, state) => `${run} has no step to repeat: it is in ${state}`),
      ...refused('NothingToUndo', (run) => `${run} has nothing that could be taken back`),
      ...refused('NotNow', (_, state) => `this is not possible in ${state}`),
    },
    rests: {},
    // Where a run stops its author may have said what leads on.
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

export function lastVerdict({ history, snapshot }: RunView): string | null {
  const last = history.findLast(({ step, signal }) => !isFault(signal) && snapshot.data[reportKey(step)] !== undefined);
  return last?.signal ?? null;
}
