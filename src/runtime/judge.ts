/**
 * Whether a dispatch succeeded. Never decided by the exit code: agents exit 0 with denied tools and on SIGTERM.
 *
 * G1. Success = a clean terminal event, no signal sent by us, the report filed and sufficient, and for a
 *     read-only role an unchanged work tree.
 * G2. Everything else is exactly one fault, with a problem a person can read.
 */

import type { AgentEvent } from '../agents/agent.ts';
import type { Fault } from '../engine/machine.ts';
import type { Usage } from '../engine/usage.ts';
import type { Ended } from '../workspace/launcher.ts';

export interface Heard {
  readonly finished: Extract<AgentEvent, { type: 'finished' }> | null;
  readonly usage: Usage;
  readonly session: string | null;
  readonly model: string | null;
}

export interface FaultFound {
  readonly fault: Fault;
  readonly problem: string;
  /** For a rate limit: when it ends, if that is known. */
  readonly until?: string | null;
}

/** The fault of a process that did not end its turn properly; null when its report may be looked at. */
export function processFault(ended: Ended, heard: Heard, who: { agent: string; command: string }): FaultFound | null {
  const told = (what: string) => `${who.agent} (${who.command}) ${what}${tail(ended)}`;
  // In its own words; how it was started adds nothing to them.
  const explained = (what: string) => `${who.agent}: ${what}`;
  if (ended.spawnError) {
    const missing = ended.spawnError.code === 'ENOENT' || ended.spawnError.code === 'EACCES';
    return {
      fault: missing ? 'unavailable' : 'failed',
      problem: told(`could not be started: ${ended.spawnError.message}`),
    };
  }
  if (ended.timedOut)
    return { fault: 'timed_out', problem: told(`was ended after ${seconds(ended.ms)}: no end in sight`) };
  if (ended.outputExceeded) return { fault: 'failed', problem: told('was ended: it wrote more output than allowed') };
  const error = heard.finished?.error;
  if (error?.kind === 'wait') {
    const { message, until } = error;
    return { fault: 'rate_limited', problem: explained(until === null ? message : `${message} until ${until}`), until };
  }
  if (error?.kind === 'stop') return { fault: 'unavailable', problem: explained(error.message) };
  if (error) return { fault: 'failed', problem: explained(error.message) };
  if (!heard.finished) return { fault: 'failed', problem: told(`${exit(ended)} before it finished its turn`) };
  return null;
}

/** Collects what an agent's output says, event by event. */
export class Listener {
  #finished: Heard['finished'] = null;
  #usage: Usage = { inputTokens: null, outputTokens: null, costUsd: null };
  #session: string | null = null;
  #model: string | null = null;

  hear(event: AgentEvent): void {
    if (event.type === 'finished') this.#finished = event;
    if (event.type === 'session') {
      this.#session = event.id;
      this.#model = event.model;
    }
    if (event.type === 'usage') this.#usage = sumUsage(this.#usage, event);
  }

  get heard(): Heard {
    return { finished: this.#finished, usage: this.#usage, session: this.#session, model: this.#model };
  }
}

function sumUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: sum(left.inputTokens, right.inputTokens),
    outputTokens: sum(left.outputTokens, right.outputTokens),
    costUsd: sum(left.costUsd, right.costUsd),
  };
}

function sum(left: number | null, right: number | null): number | null {
  return left === null && right === null ? null : (left ?? 0) + (right ?? 0);
}

function exit(ended: Ended): string {
  return ended.signal === null ? `exited with status ${ended.exitCode}` : `was ended by ${ended.signal}`;
}

function tail(ended: Ended): string {
  const notes = [ended.stdinError && `stdin: ${ended.stdinError}`, ended.stderrTail && `stderr: ${ended.stderrTail}`];
  const said = notes.filter(Boolean).join('; ');
  return said ? `; ${said}` : '';
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** Faults that another agent would not have; null for all others. */
export function outageOf(fault: FaultFound | null): string | null {
  return fault?.fault === 'rate_limited' || fault?.fault === 'unavailable' ? fault.problem : null;
}
