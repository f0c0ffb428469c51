/** What bubblewrap tells, on a descriptor of its own, about the box it makes. */

import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, startTimeOf, type ProcessId } from './processes.ts';

/** The first one after input and output. */
export const statusDescriptor = 3;

const goneWithinMs = 5_000;
const pollMs = 2;

export class BoxStatus {
  #text = '';
  #first: ProcessId | null = null;
  readonly #told: Promise<unknown>;

  constructor(stream: Readable | Writable | null | undefined) {
    if (!stream || !('read' in stream)) throw new Error('bubblewrap was started without a descriptor for its status');
    stream.on('data', (chunk) => {
      this.#text += String(chunk);
      const pid = Number(/"child-pid":\s*(\d+)/.exec(this.#text)?.[1]);
      if (pid > 1) this.#first ??= { pid, startedAt: startTimeOf(pid) ?? '' };
    });
    stream.on('error', () => {});
    this.#told = new Promise((closed) => stream.once('close', closed));
  }

  /** Of the first process in the box, which leads a group of its own; null before it is there. */
  get pid(): number | null {
    return this.#first?.pid ?? null;
  }

  /** Whether the program in the box was started and has ended. */
  get hasRun(): boolean {
    return this.#text.includes('"exit-code"');
  }

  /** Resolves when no process is left in the box: the kernel ends them all with the first one. */
  async gone(): Promise<void> {
    await this.#told;
    const until = performance.now() + goneWithinMs;
    while (this.#first && isAlive(this.#first) && performance.now() < until) await wait(pollMs);
  }
}
