/** What a session's command came to, in its own words. */

import type { Outcome } from '../../engine/machine.ts';
import type { RunWords, SummaryText } from '../define-workflow.ts';
import type { Blocker, RunView } from '../workflow.ts';
import { lostDocuments } from './documents.ts';
import { reportPath, resumeCommand as resume } from './files/session-paths.ts';

const kept = 'stopped; everything finished so far is kept';

export const words: RunWords = {
  next: ({ run }) => resume(run),
  verdict: ({ history }) =>
    history.findLast(({ step, problem }) => step === 'review' && problem === null)?.signal ?? null,
  missing: lostDocuments,
  refusals: {
    SessionNotFound: ({ run }) => ['not_found', `there is no session ${run}`, 'pawl session start "<goal>"'],
    SessionExists: ({ run }) => ['exists', `${run} has been started already`, resume(run)],
    SessionFinished: ({ run }) => ['finished', `${run} is finished; its files are read-only`, null],
    NothingToUndo: () => ['nothing_to_undo', 'a session is not undone as a whole; pawl diff shows its changes', null],
  },
  rests: { done: ({ run }) => ['done', `${run} is done; read ${reportPath(run)}`, null] },
  stops: (view, outcome) => {
    if (view.snapshot.state.startsWith('blocked')) return blockedText(view, outcome);
    return outcome === 'needs_person'
      ? ['decision_pending', 'the session needs a human decision', resume(view.run)]
      : ['interrupted', kept, resume(view.run)];
  },
};

function blockedText(view: RunView, outcome: Outcome): SummaryText {
  const { run } = view;
  const { blocker, detail, wayOut } = stoppedBy(view);
  const { action = 'blocked', next: usual = resume(run) } = stopsOf(run)[outcome] ?? {};
  const next = (outcome === 'over_budget' && view.snapshot.problem?.fix) || usual;
  const way = wayOut === '' || wayOut === next || wayOut.includes(resume(run)) ? '' : `fix: ${wayOut}`;
  const lines = [outcome === 'interrupted' ? kept : `BLOCKED: ${blocker}`, detail, way];
  return [action, lines.filter((line) => line !== '').join('\n'), next];
}

/** Outcomes of a dispatch that stop a session: what blocks it, and what is told of it where that differs. */
function stopsOf(run: string): Partial<Record<Outcome, { blocker: string; action?: string; next?: string }>> {
  return {
    failed: { blocker: 'subagent_failure' },
    temporary: { blocker: 'rate_limited', action: 'rate_limited' },
    unavailable: { blocker: 'agent_unavailable', next: `pawl retry ${run} --agent <agent>` },
    over_budget: { blocker: 'over_budget', next: `pawl resume ${run} --budget <name>=<number>` },
    interrupted: { blocker: 'interrupted', action: 'interrupted' },
  };
}

/** What blocks a session. Dispatches that came to nothing leave their problem alone. */
export function stoppedBy({ run, history, snapshot }: RunView): Omit<Blocker, 'from'> {
  const { code, message = '', fix } = snapshot.problem ?? {};
  if (code !== undefined && fix !== undefined)
    return { blocker: code === 'state_not_written' ? 'persistence_failed' : code, detail: message, wayOut: fix };
  const last = snapshot.outcome === 'failed' ? history.at(-1) : undefined;
  const who = last ? ` (${last.role}, ${last.signal})` : '';
  return {
    blocker: stopsOf(run)[snapshot.outcome ?? 'failed']?.blocker ?? 'subagent_failure',
    detail: `${message}${who}`,
    wayOut: `see what went wrong with pawl log ${run}, then run ${resume(run)}`,
  };
}
