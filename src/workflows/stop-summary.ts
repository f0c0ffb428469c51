/** What a stop comes to that has nothing to do with the workflow itself: the same words for all of them. */

import type { Outcome } from '../engine/machine.ts';
import type { RunSummary, RunView } from './workflow.ts';

/** Null for outcomes that only the workflow can explain. */
export function stopSummary(
  { run, snapshot: { problem } }: RunView,
  outcome: Outcome,
): Pick<RunSummary, 'action' | 'message' | 'next'> | null {
  const message = problem?.message ?? '';
  const resume = `pawl resume ${run}`;
  switch (outcome) {
    case 'failed':
      return { action: 'failed', message, next: `pawl retry ${run}` };
    case 'over_budget':
      return { action: 'over_budget', message, next: `${resume} --budget <name>=<number>` };
    case 'unavailable':
      return { action: 'agent_unavailable', message, next: `pawl retry ${run} --agent <agent>` };
    case 'temporary':
      return { action: 'rate_limited', message, next: resume };
    case 'interrupted':
      return { action: 'interrupted', message: 'stopped; everything finished so far is kept', next: resume };
    default:
      return null;
  }
}
