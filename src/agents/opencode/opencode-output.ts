/** What OpenCode prints with `--format=json`, and the one line our plugin adds. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, jsonLine, numbers, texts } from '../json-line.ts';

type Json = Readonly<Record<string, unknown>>;

/** Longer than this it is not waited for an answer. */
export const waitMsMax = 60_000;

export function readOutput(model: string | null): OutputReader {
  let session = false;
  let ending: Extract<AgentEvent, { type: 'finished' }> | null = null;
  return {
    line: (text) => {
      const line = jsonLine(text);
      ending = endingOf(line) ?? ending;
      const events = eventsOf(line);
      const id = line?.['sessionID'];
      if (session || typeof id !== 'string') return events;
      session = true;
      return [{ type: 'session', id, model }, ...events];
    },
    end: () => (ending ? [ending] : []),
  };
}

function eventsOf(line: Json | undefined): readonly AgentEvent[] {
  const part = inner(line, 'part');
  switch (line?.['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? [{ type: 'text', text: part['text'] }] : [];
    case 'tool_use':
      return toolEvents(part);
    case 'step_finish':
      return [usageOf(part)];
    default:
      return [];
  }
}

function toolEvents(part: Json): AgentEvent[] {
  const name = part['tool'];
  if (typeof name !== 'string') return [];
  const path = inner(part, 'state', 'input')['filePath'];
  const writes = name === 'write' || name === 'edit';
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

/** A model without a known price costs 0 by its account, which is not known to be true. */
function usageOf(part: Json): AgentEvent {
  const { input, output, reasoning, cache } = inner(part, 'tokens');
  const cost = numbers(part['cost']);
  return {
    type: 'usage',
    inputTokens: sum(input, inner(cache)['read'], inner(cache)['write']),
    outputTokens: sum(output, reasoning),
    costUsd: cost === 0 ? null : cost,
  };
}

function sum(...counts: readonly unknown[]): number | null {
  const known = counts.map(numbers).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

/** What the turn would come to if nothing followed this line; null when the line does not tell. */
function endingOf(line: Json | undefined): Extract<AgentEvent, { type: 'finished' }> | null {
  switch (line?.['type']) {
    case 'step_finish': {
      const reason = texts(inner(line, 'part')['reason']) ?? 'nothing';
      const message = `the turn ended in the middle: the last step ended with "${reason}"`;
      return { type: 'finished', error: reason === 'stop' ? null : { kind: 'retry', message } };
    }
    case 'error':
      return { type: 'finished', error: errorOf(inner(line, 'error')) };
    case 'pawl_gave_up':
      return { type: 'finished', error: waitedFor(line) };
    default:
      return null;
  }
}

function errorOf(error: Json): AgentError {
  const name = texts(error['name']) ?? '';
  const { message: said, statusCode } = inner(error, 'data');
  const status = numbers(statusCode);
  const message = `${texts(said) ?? (name || 'ended with an error')}${status === null ? '' : ` (status ${status})`}`;
  if (status === 429) return { kind: 'wait', until: null, message };
  const hopeless =
    /ProviderAuth|ContextOverflow|ModelNotFound|ConfigInvalid/.test(name) || /model not found/i.test(message);
  return hopeless || status === 401 || status === 403 || status === 402
    ? { kind: 'stop', message }
    : { kind: 'retry', message };
}

/** Whether it is a limit or an outage is told by words only; a wait as long as this is a limit's. */
function waitedFor({ message: said, next, timestamp }: Json): AgentError {
  const message = texts(said) ?? 'the model does not answer';
  const [until, now] = [numbers(next), numbers(timestamp)];
  const long = until !== null && now !== null && until - now >= waitMsMax;
  if (long) return { kind: 'wait', until: new Date(Math.round(until / 1_000) * 1_000).toISOString(), message };
  const limited = /rate.?limit|too many requests|quota|usage limit|overloaded|at capacity|exhausted|\b429\b/i.test(
    message,
  );
  return limited ? { kind: 'wait', until: null, message } : { kind: 'retry', message };
}
