/** What a command on a run of a defined workflow came to. */

import { isFault, type Machine, type Outcome } from '../../engine/machine.ts';
import { openOptions } from '../../engine/transition.ts';
import type { RunSummary, RunView } from '../workflow.ts';
import { stopSummary } from '../stop-summary.ts';
import { reportKey } from './reporting.ts';
import { phaseOf } from '../../engine/phase.ts';

interface Rest {
  readonly outcome: Outcome;
  readonly refusal: string | null;
}

type Said = Pick<RunSummary, 'action' | 'message' | 'next'>;

export function summarize(workflow: string, machine: Machine, view: RunView, rest: Rest): RunSummary {
  const said =
    rest.refusal === null
      ? resting(workflow, machine, view, rest.outcome)
      : refused(workflow, machine, view, rest.refusal);
  return { phase: phaseOf(machine, view.snapshot), verdict: lastVerdict(view), ...said };
}

function resting(workflow: string, machine: Machine, view: RunView, outcome: Outcome): Said {
  const { run, snapshot } = view;
  const { state } = snapshot;
  const kind = machine.states[state]?.kind;
  if (kind === 'final') return { action: state, message: `${run} is ${state}`, next: null };
  if (kind === 'decide')
    return {
      action: 'asked',
      message: `${run} waits for an answer: ${state}`,
      next: `pawl answer ${run} ${state} <answer>`,
    };
  const next = nextCommand(workflow, machine, view);
  const stopped = stopSummary(view, outcome);
  if (stopped) return outcome === 'over_budget' ? stopped : { ...stopped, next };
  return { action: state, message: snapshot.problem?.message ?? `${run} rests in ${state}`, next };
}

function refused(workflow: string, machine: Machine, view: RunView, reason: string): Said {
  const { run, snapshot } = view;
  const next = nextCommand(workflow, machine, view);
  const known: Readonly<Record<string, string>> = {
    AlreadyStarted: `${run} has begun already: it is in ${snapshot.state}`,
    NothingToRetry: `${run} has no step to repeat: it is in ${snapshot.state}`,
    NothingToUndo: `${run} has nothing that could be taken back`,
    NotNow: `this is not possible in ${snapshot.state}`,
  };
  return { action: reason, message: known[reason] ?? `this is not possible in ${snapshot.state}: ${reason}`, next };
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
