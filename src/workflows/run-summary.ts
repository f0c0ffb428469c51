/** What a command came to, for people and for scripts: a workflow's own words, and those that are the same for all. */

import type { Machine, Outcome } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { stateOf } from '../engine/transition.ts';
import type { RunSummary, RunView, Workflow } from './workflow.ts';

export type SummaryText = Pick<RunSummary, 'action' | 'message' | 'next'>;

/** What a workflow says about its runs. What it leaves out is said in general words. */
export interface RunWords {
  /** Reason → text, for commands that the machine refused. */
  readonly refusals: Readonly<Record<string, (view: RunView) => SummaryText>>;
  /** State → text, for runs that rest there. */
  readonly rests: Readonly<Record<string, (view: RunView, outcome: Outcome) => SummaryText>>;
  /** For stops that have nothing to do with the workflow; null for outcomes that are none. */
  readonly stops?: (view: RunView, outcome: Outcome) => SummaryText | null;
  /** The command that leads on from where the run is. */
  readonly next: (view: RunView) => string | null;
  /** The last judgement that counts. */
  readonly verdict: (view: RunView) => string | null;
}

export function summaryText(action: string, message: string, next: string | null): SummaryText {
  return { action, message, next };
}

export function summarize(
  machine: Machine,
  words: RunWords,
  view: RunView,
  { outcome, refusal }: Parameters<Workflow['summarize']>[1],
): RunSummary {
  return {
    phase: phaseOf(machine, view.snapshot),
    verdict: words.verdict(view),
    ...(refusal === null ? restText(machine, words, view, outcome) : refusalText(words, view, refusal)),
  };
}

function refusalText({ refusals, next }: RunWords, view: RunView, reason: string): SummaryText {
  if (Object.hasOwn(refusals, reason) && refusals[reason]) return refusals[reason](view);
  return summaryText(reason, `this is not possible in ${view.snapshot.state}: ${reason}`, next(view));
}

function restText(machine: Machine, words: RunWords, view: RunView, outcome: Outcome): SummaryText {
  const { run, snapshot } = view;
  const { state, problem } = snapshot;
  const { kind } = stateOf(machine, state);
  const { stops = stopText, rests, next } = words;
  const stopped = kind === 'final' ? null : stops(view, outcome);
  if (stopped) return stopped;
  if (Object.hasOwn(rests, state) && rests[state]) return rests[state](view, outcome);
  if (kind === 'final') return summaryText(state, `${run} is ${state}`, null);
  if (kind === 'decide')
    return summaryText('asked', `${run} waits for an answer: ${state}`, `pawl answer ${run} ${state} <answer>`);
  return summaryText(state, problem?.message ?? `${run} rests in ${state}`, next(view));
}

/** Null for outcomes that only the workflow can explain. */
export function stopText({ run, snapshot: { problem } }: RunView, outcome: Outcome): SummaryText | null {
  const message = problem?.message ?? '';
  const resume = `pawl resume ${run}`;
  switch (outcome) {
    case 'failed':
      return summaryText('failed', message, `pawl retry ${run}`);
    case 'over_budget':
      return summaryText('over_budget', message, `${resume} --budget <name>=<number>`);
    case 'unavailable':
      return summaryText('agent_unavailable', message, `pawl retry ${run} --agent <agent>`);
    case 'temporary':
      return summaryText('rate_limited', message, resume);
    case 'interrupted':
      return summaryText('interrupted', 'stopped; everything finished so far is kept', resume);
    default:
      return null;
  }
}
