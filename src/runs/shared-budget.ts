/**
 * One budget for several runs, of which some work at the same time.
 *
 * S1. What is given out is never more than there is: a run at work holds its share, and gives back what it did not use.
 * S2. What a run used before counts for itself, not for the others. No run may use more than it could alone.
 */

import { remaining, type Remaining } from '../runtime/run-budgets.ts';
import type { Spent } from '../runtime/spending.ts';
import type { SpendingLimits } from '../workflows/workflow.ts';

type Amounts = Readonly<Record<string, number>>;

interface Share {
  readonly before: Amounts;
  readonly given: Amounts;
  readonly isAtWork: boolean;
}

export class SharedBudget {
  readonly #limits: Amounts;
  readonly #each: SpendingLimits;
  readonly #spentBy: (run: string) => Spent | undefined;
  readonly #shares = new Map<string, Share>();

  /** `each` has the limits of a run that works alone. */
  constructor(limits: Amounts, each: SpendingLimits, spentBy: (run: string) => Spent | undefined) {
    this.#limits = limits;
    this.#each = each;
    this.#spentBy = spentBy;
  }

  /** The limits of a run that begins or goes on, over its whole life; others may want `slots` shares, this one included. */
  begin(run: string, slots: number): Amounts {
    const before = this.#used(run);
    const given = Object.fromEntries(
      Object.keys(this.#limits).map((key) => [key, whole(key, Math.max(0, this.#left(key)) / slots)]),
    );
    this.#shares.set(run, { before, given, isAtWork: true });
    const own: Amounts = this.#each;
    return Object.fromEntries(
      Object.entries(given).map(([key, share]) => [key, Math.min(own[key] ?? Infinity, (before[key] ?? 0) + share)]),
    );
  }

  end(run: string): void {
    const share = this.#shares.get(run);
    if (share) this.#shares.set(run, { ...share, isAtWork: false });
  }

  isSpent(): boolean {
    return Object.keys(this.#limits).some((key) => whole(key, this.#left(key)) <= 0);
  }

  #left(key: string): number {
    const taken = [...this.#shares].map(([run, { before, given, isAtWork }]) =>
      isAtWork ? (given[key] ?? 0) : (this.#used(run)[key] ?? 0) - (before[key] ?? 0),
    );
    return (this.#limits[key] ?? Infinity) - taken.reduce((sum, each) => sum + each, 0);
  }

  /** Unknown usage counts at its ceiling. */
  #used(run: string): Amounts {
    const spent = this.#spentBy(run);
    const left: Partial<Remaining> = spent ? remaining(spent, this.#each) : {};
    const amounts: Amounts = this.#each;
    return Object.fromEntries(Object.entries(left).map(([key, rest]) => [key, (amounts[key] ?? 0) - rest]));
  }
}

/** Nobody makes half a call. */
function whole(key: string, amount: number): number {
  return key === 'dispatches' || key === 'tokens' ? Math.floor(amount) : amount;
}
