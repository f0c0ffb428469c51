/** How the output of a vendor's own command line is read: lines of JSON, as events of the port. */

import type { AgentError, AgentEvent, OutputReader } from './agent.ts';
import { isoTime, jsonLine, texts, type Json } from './json-line.ts';

/** What an agent says on standard error counts as long as no line of its output has told how the turn ended. */
interface ErrorOutput {
  /** All of it, when the process has ended: an agent that ends early prints nothing else. */
  readonly whole?: (stderr: string) => AgentError | null;
  /** One line, while it runs. */
  readonly line?: (text: string) => AgentError | null;
}

/** Reads lines of JSON by their `type`. */
export function jsonOutput(
  eventsOf: Readonly<Record<string, (line: Json) => readonly AgentEvent[]>>,
  stderr: ErrorOutput = {},
): OutputReader & Required<Pick<OutputReader, 'end'>> {
  let isFinished = false;
  const ending = (error: AgentError | null | undefined | false): AgentEvent[] => {
    isFinished ||= Boolean(error);
    return error ? [finished(error)] : [];
  };
  return {
    line: (text) => {
      const line = jsonLine(text);
      const type = texts(line?.['type']) ?? '';
      const events = (line && Object.hasOwn(eventsOf, type) && eventsOf[type]?.(line)) || [];
      isFinished ||= events.some((event) => event.type === 'finished');
      return events;
    },
    ...(stderr.line && { errorLine: (text) => ending(!isFinished && stderr.line?.(text)) }),
    end: (exit) => ending(!isFinished && stderr.whole?.(exit.stderr)),
  };
}

export function finished(error: AgentError | null): AgentEvent {
  return { type: 'finished', error };
}

export function textEvents(text: unknown): AgentEvent[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}

export function conversationEvents(id: unknown, model: unknown): AgentEvent[] {
  return typeof id === 'string' ? [{ type: 'conversation', id, model: texts(model) }] : [];
}

/** The path counts where the tool is one that writes files. */
export function toolEvents(name: unknown, path: unknown = null, writing: readonly string[] = []): AgentEvent[] {
  if (typeof name !== 'string') return [];
  const tool: AgentEvent = { type: 'tool', name };
  return writing.includes(name) && typeof path === 'string' ? [tool, { type: 'file', path }] : [tool];
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** When a limit ends: the message says how long ("try again in 5 minutes"), the line that has it since when. */
export function limitEnd(message: string, line: Json): string | null {
  const [, amount, unit = ''] =
    /(?:again|retry) (?:in|after) ([\d.]+) ?(ms|s|m|h|d)(?:ec|in|our|ay|\b)/i.exec(message) ?? [];
  const at = Date.parse(texts(line['timestamp']) ?? '') + Number(amount) * (unitMs[unit.toLowerCase()] ?? Number.NaN);
  return isoTime(at);
}
