/** What a session's command came to, in words for people and one word for scripts. */

import type { Outcome } from '../../engine/machine.ts';
import type { RunSummary, RunView } from '../workflow.ts';
import { reportPath } from './files/paths.ts';
import { phaseOf } from './machine.ts';

/** As status.json has it. */
export interface Blocker {
  readonly blocker: string;
  readonly detail: string;
  readonly wayOut: string;
}

type Said = Pick<RunSummary, 'action' | 'message' | 'next'>;

export function summarize(
  view: RunView,
  { outcome, refusal }: { readonly outcome: Outcome; readonly refusal: string | null },
): RunSummary {
  const said = refusal === null ? resting(view, outcome) : refused(view, refusal);
  return { ...said, phase: phaseOf(view.snapshot), verdict: lastReview(view) };
}

/** How the last review ended. */
function lastReview({ history }: RunView): string | null {
  return history.findLast(({ step, problem }) => step === 'review' && problem === null)?.signal ?? null;
}

function resting(view: RunView, outcome: Outcome): Said {
  const { run, snapshot } = view;
  switch (snapshot.state) {
    case 'done':
      return { action: 'done', message: `${run} is done; read ${reportPath(run)}`, next: null };
    case 'blocked':
    case 'blocked_asking':
      return stopped(view, outcome);
    default:
      break;
  }
  if (outcome === 'needs_person')
    return { action: 'decision_pending', message: 'a person decides how the session goes on', next: resume(run) };
  return { action: 'interrupted', message: 'stopped; everything finished so far is kept', next: resume(run) };
}

function stopped(view: RunView, outcome: Outcome): Said {
  const { run } = view;
  const { blocker, detail, wayOut } = stoppedBy(view);
  const next =
    outcome === 'over_budget'
      ? `pawl resume ${run} --budget <name>=<number>`
      : outcome === 'unavailable'
        ? `pawl retry ${run} --agent <agent>`
        : resume(run);
  const words = outcome === 'interrupted' ? 'stopped; everything finished so far is kept' : `BLOCKED: ${blocker}`;
  const way = wayOut === '' || wayOut.includes(resume(run)) ? [] : [`What to do: ${wayOut}`];
  return {
    action: outcome === 'temporary' ? 'rate_limited' : outcome === 'interrupted' ? 'interrupted' : 'blocked',
    message: [words, ...(detail === '' ? [] : [detail]), ...way].join('\n'),
    next,
  };
}

/** What is in the way of a session that is blocked. Dispatches that came to nothing leave their problem alone. */
export function stoppedBy(view: RunView): Blocker {
  const { run, history, snapshot } = view;
  const { code, message = '', fix } = snapshot.problem ?? {};
  if (code !== undefined && fix !== undefined)
    return { blocker: code === 'state_not_written' ? 'persistence_failed' : code, detail: message, wayOut: fix };
  const last = snapshot.outcome === 'failed' ? history.at(-1) : undefined;
  const who = last ? ` (${last.role}, ${last.signal})` : '';
  return {
    blocker: blockers[snapshot.outcome ?? 'failed'] ?? 'subagent_failure',
    detail: `${message}${who}`,
    wayOut: `see what went wrong with pawl log ${run}, then: ${resume(run)}`,
  };
}

/** What is in the way where nothing but the outcome of a dispatch says so. */
const blockers: Partial<Record<Outcome, string>> = {
  failed: 'subagent_failure',
  temporary: 'rate_limited',
  unavailable: 'agent_unavailable',
  over_budget: 'over_budget',
  interrupted: 'interrupted',
};

function refused({ run }: RunView, reason: string): Said {
  const answers: Readonly<Record<string, Said>> = {
    SessionNotFound: {
      action: 'not_found',
      message: `there is no session ${run}`,
      next: 'pawl session start "<goal>"',
    },
    SessionExists: { action: 'exists', message: `${run} has been started already`, next: resume(run) },
    SessionFinished: { action: 'finished', message: `${run} is finished; its files are read-only`, next: null },
    NothingToUndo: {
      action: 'nothing_to_undo',
      message: 'a session is not undone as a whole; pawl diff shows what it changed',
      next: null,
    },
  };
  return answers[reason] ?? { action: reason, message: `this is not possible now: ${reason}`, next: resume(run) };
}

function resume(run: string): string {
  return `pawl session resume ${run}`;
}
