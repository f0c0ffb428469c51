/** One turn of an agent as its events tell it: for the screen, the judgement, a log, and to end one that hangs. */

import { isConversationId, type AgentError, type AgentEvent } from '../agents/agent.ts';
import { eventLines } from '../agents/own-program.ts';
import { orElse } from '../disk/disk-error.ts';
import { unknownUsage, type Usage } from '../engine/usage.ts';
import type { RunEvent } from './host.ts';
import type { Run } from './run.ts';

export interface Turn {
  readonly finished: Extract<AgentEvent, { type: 'finished' }> | null;
  readonly usage: Usage;
  readonly session: string | null;
  readonly model: string | null;
}

export const emptyTurn: Turn = { finished: null, usage: unknownUsage, session: null, model: null };

/** Some agents that have reported failure would wait for hours instead of exiting. */
const selfExitMsMax = 2_000;

export class TurnListener {
  turn = emptyTurn;
  /** Aborts when the process is to be killed: its time to exit is over, or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #msMax: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(interrupted: AbortSignal, { msMax = selfExitMsMax, now = Date.now } = {}) {
    this.#msMax = msMax;
    this.#now = now;
    this.signal = AbortSignal.any([interrupted, this.#over.signal]);
  }

  hear(event: AgentEvent): void {
    this.turn = turnAfter(this.turn, event, this.#now());
    if (event.type === 'finished' && event.error !== null)
      this.#timer ??= setTimeout(() => this.#over.abort(), this.#msMax);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** The border: what an agent says about ids, numbers and times counts only as far as it can be true. */
function turnAfter(turn: Turn, event: AgentEvent, nowMs: number): Turn {
  if (event.type === 'finished') return { ...turn, finished: { ...event, error: boundedError(event.error, nowMs) } };
  if (event.type === 'conversation')
    return { ...turn, session: isConversationId(event.id) ? event.id : null, model: event.model };
  return event.type === 'usage' ? { ...turn, usage: sumUsage(turn.usage, event) } : turn;
}

const limitMsMax = 366 * 24 * 3_600_000;

/** A limit whose end nobody can wait for ends at a time that is not known. */
function boundedError(error: AgentError | null, nowMs: number): AgentError | null {
  if (error?.kind !== 'wait' || error.until === null) return error;
  const isNear = Math.abs(Date.parse(error.until) - nowMs) <= limitMsMax;
  return isNear ? error : { ...error, until: null };
}

/** Of a dispatch: one event per line, as they came. */
export const eventsFile = 'events.jsonl';

/** The turn as far as its events tell it: nobody may have been there to hear them. */
export function turnIn(events: string): Turn {
  const { line } = eventLines();
  return events
    .split('\n')
    .flatMap((text) => line(text))
    .reduce((turn, event) => turnAfter(turn, event, Date.now()), emptyTurn);
}

/** Of one event, tokens or dollars: far beyond what anybody can use. */
const usageMax = 1e12;

function sumUsage(left: Usage, right: Usage): Usage {
  const sum = (key: keyof Usage): number | null => {
    const more = right[key];
    const isPossible = more !== null && more >= 0 && more <= usageMax;
    return isPossible ? (left[key] ?? 0) + more : left[key];
  };
  return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens'), costUsd: sum('costUsd') };
}

/** The model that worked, and what it consumed. */
export function spentIn(run: Run, agent: string, asked: string | null, turn: Turn) {
  const model = turn.model ?? asked;
  return { model, usage: run.settings.priced(agent, model, turn.usage) };
}

export function eventSink(
  run: Run,
  { id, listener, log }: { readonly id: string; readonly listener: TurnListener; readonly log: string },
): (events: readonly AgentEvent[]) => void {
  return (events) => {
    // A log for people who look later: a full disk, or a folder that is gone, ends the run at its next record.
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (lines !== '') orElse(undefined, () => run.disk.writeFile(log, lines, { flag: 'a', mode: 0o600 }));
    for (const event of events) {
      listener.hear(event);
      for (const shown of shownEvents(id, event, listener.turn)) run.observe(shown);
    }
  };
}

/** What an agent said and did, by the log of its events: its words, and a line for each use of a tool or file. */
export function loggedText(events: string): readonly string[] {
  const { line } = eventLines();
  return events.split('\n').flatMap((text) => line(text).flatMap((event) => shownText(event) ?? []));
}

/** The same from the lines of its log, for those who only look. */
export function loggedEvents(id: string): (line: string) => readonly RunEvent[] {
  const { line } = eventLines();
  let turn = emptyTurn;
  return (text) =>
    line(text).flatMap((event) => {
      turn = turnAfter(turn, event, Date.now());
      return shownEvents(id, event, turn);
    });
}

function shownEvents(id: string, event: AgentEvent, { usage }: Turn): readonly RunEvent[] {
  if (event.type === 'usage') return [{ type: 'dispatch.usage', id, usage }];
  const text = shownText(event);
  return text === null ? [] : [{ type: 'dispatch.output', id, text }];
}

function shownText(event: AgentEvent): string | null {
  if (event.type === 'text') return event.text;
  if (event.type === 'tool') return `uses ${event.name}`;
  return event.type === 'file' ? `writes ${event.path}` : null;
}
