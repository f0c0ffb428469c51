/** The budgets of a run as a whole: what is left of them, and how a person raises one that is spent. */

import type { SpendingLimits } from '../workflows/workflow.ts';
import type { Spent } from './spending.ts';

interface RaisableBudget {
  readonly key: keyof SpendingLimits;
  /** Of the unit a person names it in. */
  readonly factor: number;
}

/** By the names that `--budget` takes. */
export const raisableBudgets = {
  dispatches: { key: 'dispatches', factor: 1 },
  tokens: { key: 'tokens', factor: 1 },
  cost: { key: 'costUsd', factor: 1 },
  hours: { key: 'wallMs', factor: 3_600_000 },
  crashes: { key: 'crashes', factor: 1 },
} as const satisfies Readonly<Record<string, RaisableBudget>>;

type BudgetName = keyof typeof raisableBudgets;

export interface Overspent {
  readonly message: string;
  /** The budget with a limit that leaves room again, as `--budget` takes it. */
  readonly raise: string;
}

/** Why the next dispatch would exceed a run budget, or null when it may go. Unknown usage counts at its ceiling. */
export function exceeded(spent: Spent, limits: SpendingLimits): Overspent | null {
  const left = remaining(spent, limits);
  const raised = (name: BudgetName, used: number): string => {
    const { key, factor } = raisableBudgets[name];
    return `${name}=${Math.ceil((Math.max(used, limits[key], factor) * 3) / 2 / factor)}`;
  };
  const over = (name: BudgetName, used: number, message: string): Overspent => ({ message, raise: raised(name, used) });
  if (spent.crashes >= limits.crashes)
    return over('crashes', spent.crashes, `agent calls of this run were interrupted ${spent.crashes} times by crashes`);
  if (left.dispatches < 1)
    return over(
      'dispatches',
      limits.dispatches - left.dispatches,
      `all ${limits.dispatches} agent calls of this run are used`,
    );
  if (left.tokens <= 0)
    return over('tokens', limits.tokens - left.tokens, `the run's ${limits.tokens} tokens are used`);
  if (left.costUsd <= 0) return over('cost', limits.costUsd - left.costUsd, `the run's ${limits.costUsd} USD are used`);
  if (left.wallMs <= 0) {
    const minutes = Math.round(limits.wallMs / 60_000);
    return over('hours', limits.wallMs - left.wallMs, `the run's ${minutes} minutes of agent time are used`);
  }
  return null;
}

export type Remaining = Readonly<Record<'dispatches' | 'tokens' | 'costUsd' | 'wallMs', number>>;

export function remaining(spent: Spent, limits: SpendingLimits): Remaining {
  return {
    dispatches: limits.dispatches - spent.dispatches - spent.reruns,
    tokens: limits.tokens - spent.inputTokens - spent.outputTokens - spent.unknownTokens * limits.unknownTokens,
    costUsd: limits.costUsd - spent.costUsd - spent.unknownCost * limits.unknownCostUsd,
    wallMs: limits.wallMs - spent.wallMs,
  };
}
