/** What a run has consumed and what it may, as documents show it. */

import { remaining, type Spent, type Remaining } from '../runtime/run-state.ts';
import type { SpendingLimits } from '../workflows/workflow.ts';

/** What is not known for any dispatch is null; what is not known for some is counted beside the sum. */
export type ShownUsage = Omit<Spent, 'inputTokens' | 'outputTokens' | 'costUsd'> & {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
};

export function shownUsage(spent: Spent): ShownUsage {
  const { dispatches, reruns, unknownTokens, unknownCost, wallMs } = spent;
  const noTokens = dispatches > 0 && unknownTokens === dispatches && spent.inputTokens + spent.outputTokens === 0;
  const noCost = dispatches > 0 && unknownCost === dispatches;
  return {
    dispatches,
    reruns,
    inputTokens: noTokens ? null : spent.inputTokens,
    outputTokens: noTokens ? null : spent.outputTokens,
    costUsd: noCost ? null : exact(spent.costUsd),
    unknownTokens,
    unknownCost,
    wallMs,
  };
}

export interface ShownBudget {
  readonly limits: Remaining;
  readonly remaining: Remaining;
}

export function shownBudget(spent: Spent, limits: SpendingLimits): ShownBudget {
  const { dispatches, tokens, costUsd, wallMs } = limits;
  const left = remaining(spent, limits);
  return { limits: { dispatches, tokens, costUsd, wallMs }, remaining: { ...left, costUsd: exact(left.costUsd) } };
}

/** Sums of fractions are not exact in binary; millionths of a dollar are. */
function exact(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}
