/** An agent whose turn has failed by its own account has a moment to end by itself; some would wait for hours instead. */

import type { AgentEvent } from '../agents/agent.ts';

const selfExitMsMax = 2_000;

export class SelfExit {
  /** Says that the process is to be ended: its moment is over, or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #msMax: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(interrupted: AbortSignal, msMax = selfExitMsMax) {
    this.#msMax = msMax;
    this.signal = AbortSignal.any([interrupted, this.#over.signal]);
  }

  hear(events: readonly AgentEvent[]): void {
    if (events.some((event) => event.type === 'finished' && event.error !== null))
      this.#timer ??= setTimeout(() => this.#over.abort(), this.#msMax);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
