/** One turn of an agent as its events tell it: for the screen, the judgement, a log, and to end one that hangs. */

import { isConversationId, type AgentEvent } from '../agents/agent.ts';
import { eventLines } from '../agents/own-program.ts';
import { orElse } from '../disk/disk-error.ts';
import { unknownUsage, type Usage } from '../engine/usage.ts';
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
  #timer: NodeJS.Timeout | undefined;

  constructor(interrupted: AbortSignal, msMax = selfExitMsMax) {
    this.#msMax = msMax;
    this.signal = AbortSignal.any([interrupted, this.#over.signal]);
  }

  hear(event: AgentEvent): void {
    this.turn = turnAfter(this.turn, event);
    if (event.type === 'finished' && event.error !== null)
      this.#timer ??= setTimeout(() => this.#over.abort(), this.#msMax);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

function turnAfter(turn: Turn, event: AgentEvent): Turn {
  if (event.type === 'finished') return { ...turn, finished: event };
  if (event.type === 'conversation')
    return { ...turn, session: isConversationId(event.id) ? event.id : null, model: event.model };
  return event.type === 'usage' ? { ...turn, usage: sumUsage(turn.usage, event) } : turn;
}

/** Of a dispatch: one event per line, as they came. */
export const eventsFile = 'events.jsonl';

/** The turn as far as its events tell it: nobody may have been there to hear them. */
export function turnIn(events: string): Turn {
  const { line } = eventLines();
  return events
    .split('\n')
    .flatMap((text) => line(text))
    .reduce(turnAfter, emptyTurn);
}

function sumUsage(left: Usage, right: Usage): Usage {
  const sum = (key: keyof Usage): number | null =>
    left[key] === null && right[key] === null ? null : (left[key] ?? 0) + (right[key] ?? 0);
  return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens'), costUsd: sum('costUsd') };
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
      const text = shownText(event);
      if (text !== null) run.observe({ type: 'dispatch.output', id, text });
      if (event.type === 'usage') run.observe({ type: 'dispatch.usage', id, usage: listener.turn.usage });
    }
  };
}

function shownText(event: AgentEvent): string | null {
  if (event.type === 'text') return event.text;
  if (event.type === 'tool') return `uses ${event.name}`;
  return event.type === 'file' ? `writes ${event.path}` : null;
}
