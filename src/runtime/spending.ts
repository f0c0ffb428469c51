/** Run budgets: what a run may consume over its whole life. They survive crashes and are never renewed by a command. */

import type { SpendingLimits } from '../workflows/workflow.ts';
import type { Spent } from './run-state.ts';

/** Why the next dispatch would exceed a run budget, or null when it may go. Unknown usage counts at its ceiling. */
export function exceeded(spent: Spent, limits: SpendingLimits): string | null {
  const left = remaining(spent, limits);
  if (left.dispatches < 1) return `all ${limits.dispatches} dispatches of this run are used`;
  if (left.tokens <= 0) return `the run's ${limits.tokens} tokens are used`;
  if (left.costUsd <= 0) return `the run's ${limits.costUsd} USD are used`;
  if (left.wallMs <= 0) return `the run's ${Math.round(limits.wallMs / 60_000)} minutes of agent time are used`;
  return null;
}

export type Remaining = Readonly<Record<'dispatches' | 'tokens' | 'costUsd' | 'wallMs', number>>;

export function remaining(spent: Spent, limits: SpendingLimits): Remaining {
  return {
    dispatches: limits.dispatches - spent.dispatches,
    tokens: limits.tokens - spent.inputTokens - spent.outputTokens - spent.unknownTokens * limits.unknownTokens,
    costUsd: limits.costUsd - spent.costUsd - spent.unknownCost * limits.unknownCostUsd,
    wallMs: limits.wallMs - spent.wallMs,
  };
}
