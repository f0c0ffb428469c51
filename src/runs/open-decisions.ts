/** The decisions that wait for a person, over all runs. */

import type { RunKey } from '../store/run-store.ts';
import { listRuns } from './catalog.ts';
import { isRefusal, orRefusal } from './refusal.ts';
import { statusOf, type OpenDecision } from './status.ts';
import type { RunRepository } from './work-order.ts';

export interface WaitingDecision extends RunKey {
  readonly decision: OpenDecision & { readonly answerWith: string };
}

export interface WaitingDecisions {
  readonly decisions: readonly WaitingDecision[];
  /** Runs whose questions cannot be read, and why. */
  readonly unread: readonly (RunKey & { readonly why: string })[];
}

/** Of one run, or of all; in the order of the list of runs. */
export async function waitingDecisions(repository: RunRepository, only?: RunKey): Promise<WaitingDecisions> {
  const asking = only ? [only] : (await listRuns(repository)).filter(({ asks }) => asks !== null);
  const decisions: WaitingDecision[] = [];
  const unread: (RunKey & { why: string })[] = [];
  for (const { workflow, run } of asking) {
    const known = await orRefusal(() => statusOf(repository, { workflow, run }));
    if (isRefusal(known)) unread.push({ workflow, run, why: known.message });
    else
      for (const { answerWith, ...decision } of known.status.decisions)
        if (answerWith !== null && decision.withdrawn === null)
          decisions.push({ workflow, run, decision: { ...decision, answerWith } });
  }
  return { decisions, unread };
}
