/** Run budgets as people give them. */

import { raisableBudgets } from '../runtime/run-budgets.ts';
import { usageError } from './problem.ts';

const budgets: Readonly<Record<string, { readonly key: string; readonly factor: number }>> = raisableBudgets;

/** `dispatches=100,cost=80` → the run's new limits. */
export function raisedBudgets(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', number = ''] = part.split('=').map((word) => word.trim());
      // As the configuration calls it.
      const short = name.replace(/_usd$/, '');
      const budget = Object.hasOwn(budgets, short) ? budgets[short] : undefined;
      const value = Number(number);
      if (budget && number !== '' && Number.isFinite(value) && value >= 0) return [budget.key, value * budget.factor];
      const names = Object.keys(budgets).join(', ');
      const fix = `use <name>=<number> with ${names}, such as --budget dispatches=100,cost=80`;
      throw usageError(`--budget: invalid value "${part}"`, fix);
    }),
  );
}

/** The same as `--budget` takes it. */
export function budgetText(limits: Readonly<Record<string, number>>): string {
  const named = Object.entries(budgets).filter(([, { key }]) => limits[key] !== undefined);
  return named.map(([name, { key, factor }]) => `${name}=${(limits[key] ?? 0) / factor}`).join(',');
}
