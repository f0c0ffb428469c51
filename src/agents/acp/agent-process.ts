/** The agent's process at the other end of the pipes: how it ends, and how it is ended. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentError } from '../agent.ts';
import type { Pipes } from './conversation.ts';

const closeMsMax = 500;
const termMsMax = 2_000;

export class AgentProcess {
  readonly gone: Promise<unknown>;
  readonly #child: ChildProcess & Pipes;
  readonly #command: readonly string[];

  constructor(child: ChildProcess & Pipes, command: readonly string[]) {
    this.#child = child;
    this.#command = command;
    this.gone = once(child, 'exit');
  }

  /** Most agents end with their input; some only when they are told to. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    if (!(await this.#isGoneIn(closeMsMax))) this.#child.kill('SIGTERM');
    if (!(await this.#isGoneIn(termMsMax))) this.#child.kill('SIGKILL');
    await this.#isGoneIn(termMsMax);
    // What it started may hold the other ends, and the bridge would wait for it.
    for (const pipe of [this.#child.stdin, this.#child.stdout]) pipe.destroy();
  }

  /** The connection broke off before the turn was over; an agent that never spoke will not do so the next time. */
  async lost(greeted: boolean): Promise<AgentError> {
    const gone = await this.#isGoneIn(closeMsMax);
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exited with status ${exitCode}` : `was ended by ${signalCode}`;
    const what = gone ? how : 'closed its output';
    return greeted
      ? { kind: 'retry', message: `${what} before it finished its turn` }
      : { kind: 'stop', message: `${what} before it spoke the Agent Client Protocol: ${this.#command.join(' ')}` };
  }

  async #isGoneIn(ms: number): Promise<boolean> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return true;
    return Promise.race([this.gone.then(() => true), wait(ms, false, { ref: false })]);
  }
}
