/** A clock that stands still until it is told to move on; whoever sleeps until then is woken, in order. */

type Sleeper = { readonly at: number; readonly wake: () => void };

export class SimulatedClock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** The number of sleepers. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Resolves when the clock has moved on by `ms`, or `signal` aborts. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (ms <= 0 || signal?.aborted) return resolve();
      const sleeper: Sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => this.#wake([sleeper]), { once: true });
    });

  /** Moves on, waking everybody whose time has come, the earliest first. */
  advance(ms: number): void {
    this.#now += ms;
    this.#wake(this.#sleepers.filter(({ at }) => at <= this.#now).toSorted((a, b) => a.at - b.at));
  }

  /** Moves on to the next who wakes; false when nobody sleeps. */
  advanceToNext(): boolean {
    const [next] = this.#sleepers.toSorted((a, b) => a.at - b.at);
    if (!next) return false;
    this.advance(Math.max(0, next.at - this.#now));
    return true;
  }

  #wake(sleepers: readonly Sleeper[]): void {
    this.#sleepers = this.#sleepers.filter((sleeper) => !sleepers.includes(sleeper));
    for (const { wake } of sleepers) wake();
  }
}
