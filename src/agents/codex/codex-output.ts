/** What `codex exec --json` prints, as events of the port. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, items, jsonLine, numbers, texts } from '../json-line.ts';
import { keepUsed, since, usedBefore, type Totals } from '../usage-ledger.ts';

interface ReadOptions {
  /** The conversation it goes on with. */
  readonly resume?: string | null;
  /** Where it is kept what conversations have used. */
  readonly ledger?: string;
  readonly now?: () => number;
}

/** Codex does not say which model it works with: it is the one that was asked for. */
export function readOutput(
  model: string | null,
  { resume = null, ledger, now = Date.now }: ReadOptions = {},
): OutputReader {
  const before = resume === null || ledger === undefined ? {} : usedBefore(resume, ledger);
  let session = resume;
  let isFinished = false;
  return {
    line: (text) => {
      const line = jsonLine(text);
      const events = eventsOf(line, model, now);
      isFinished ||= events.some(({ type }) => type === 'finished');
      if (line?.['type'] === 'thread.started') session = texts(line['thread_id']);
      if (line?.['type'] !== 'turn.completed') return events;
      const totals = totalsOf(inner(line, 'usage'));
      if (session !== null && ledger !== undefined) keepUsed(session, totals, ledger);
      return [usageSince(before, totals), ...events];
    },
    errorLine: (text) => {
      const error = isFinished ? null : longWait(text, now());
      isFinished ||= error !== null;
      return error ? [{ type: 'finished', error }] : [];
    },
    end: ({ stderr }) => {
      const error = isFinished ? undefined : startError(stderr);
      return error ? [{ type: 'finished', error }] : [];
    },
  };
}

function eventsOf(
  line: Readonly<Record<string, unknown>> | undefined,
  model: string | null,
  now: () => number,
): readonly AgentEvent[] {
  switch (line?.['type']) {
    case 'thread.started':
      return typeof line['thread_id'] === 'string' ? [{ type: 'session', id: line['thread_id'], model }] : [];
    case 'item.completed':
      return itemEvents(inner(line, 'item'));
    case 'turn.completed':
      return [{ type: 'finished', error: null }];
    case 'turn.failed':
      return [{ type: 'finished', error: errorOf(texts(inner(line, 'error')['message']) ?? 'its turn failed', now()) }];
    default:
      return [];
  }
}

function itemEvents(item: Readonly<Record<string, unknown>>): AgentEvent[] {
  const { type, text, message, tool, changes, status } = item;
  if (type === 'agent_message' && typeof text === 'string') return [{ type: 'text', text }];
  if (type === 'error' && typeof message === 'string') return [{ type: 'text', text: message }];
  if (type === 'command_execution') return [{ type: 'tool', name: 'shell' }];
  if (type === 'mcp_tool_call' && typeof tool === 'string') return [{ type: 'tool', name: tool }];
  if (type !== 'file_change') return [];
  const paths = status === 'completed' ? items(changes).map(({ path }) => path) : [];
  const files = paths.filter((path) => typeof path === 'string').map((path) => ({ type: 'file', path }) as const);
  return [{ type: 'tool', name: 'apply_patch' }, ...files];
}

/** Of the whole conversation; cached tokens are among the input tokens already. */
function totalsOf(usage: Readonly<Record<string, unknown>>): {
  inputTokens: number | null;
  outputTokens: number | null;
} {
  return { inputTokens: numbers(usage['input_tokens']), outputTokens: numbers(usage['output_tokens']) };
}

function usageSince(before: Totals, totals: ReturnType<typeof totalsOf>): AgentEvent {
  return {
    type: 'usage',
    inputTokens: since(before.inputTokens, totals.inputTokens),
    outputTokens: since(before.outputTokens, totals.outputTokens),
    costUsd: null,
  };
}

function errorOf(said: string, now: number): AgentError {
  const message = readable(said);
  const status = Number(/status:? (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (/usage limit|rate limit|too many requests/i.test(message) || status === 429)
    return { kind: 'wait', until: untilOf(message, now), message };
  if (status === 401 || status === 403 || /not logged in|refresh token|sign in again|log in again/i.test(message))
    return { kind: 'stop', message: `is not logged in, or may not do this (try: codex login): ${message}` };
  if (message.startsWith('Missing environment variable')) return { kind: 'stop', message };
  if (/quota exceeded|billing|credits/i.test(message)) return { kind: 'stop', message };
  if (/context window|context_length|input_too_large/i.test(message))
    return { kind: 'stop', message: `has no room for this in the context of its model: ${message}` };
  if (status === 404 || /model\b.*\b(?:not supported|not exist|not found)|model_not_found/i.test(message))
    return { kind: 'stop', message: `cannot have this model: ${message}` };
  return { kind: 'retry', message };
}

/** A refused request is told as the body of the answer. */
function readable(message: string): string {
  const body = jsonLine(message);
  return texts(inner(body, 'error')['message']) ?? texts(body?.['detail']) ?? message;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** "try again at 2:05 PM", "… at Nov 16th, 2026 2:05 PM": in local time, to the minute before it. */
function untilOf(message: string, now: number): string | null {
  const [, date, time] =
    /[Tt]ry again at (?:([A-Z][a-z]{2} \d{1,2}(?:st|nd|rd|th)?, \d{4}),? )?(\d{1,2}:\d{2} [AP]M)/.exec(message) ?? [
      undefined,
      undefined,
      undefined,
    ];
  if (time === undefined) return null;
  const day = date?.replace(/(\d)(?:st|nd|rd|th)/, '$1') ?? new Date(now).toDateString();
  const at = Date.parse(`${day} ${time.replaceAll('\u202F', ' ')}`);
  if (Number.isNaN(at)) return null;
  const isTomorrow = date === undefined && at < now - minuteMs;
  return new Date(at + minuteMs + (isTomorrow ? dayMs : 0)).toISOString();
}

/** The part of Codex that says for how long it waits before it asks its model again. */
export const waitingLog = 'codex_core::responses_retry';

/** Shorter waits are its own business; longer ones than the second nobody means. */
const waitSecondsMax = 60;
const limitSecondsMax = 30 * 24 * 3_600;

/** `WARN …: codex_core::responses_retry: … retrying sampling request (1/2 in 3599.9s)... … sampling_error=…` */
function longWait(text: string, now: number): AgentError | null {
  const said = text.split(`${waitingLog}: `)[1] ?? '';
  const seconds = Number(/\(\d+\/\d+ in (\d+(?:\.\d+)?)s\)/.exec(said)?.[1] ?? 0);
  if (seconds < waitSecondsMax) return null;
  const message = /sampling_error=(.*)/.exec(said)?.[1]?.slice(0, messageCharsMax) ?? 'waits for its model';
  // What is left when Codex tells is a little less than it was told: up to the full second.
  const until = new Date(Math.ceil(now / 1_000 + Math.min(seconds, limitSecondsMax)) * 1_000).toISOString();
  return { kind: 'wait', until: seconds > limitSecondsMax ? null : until, message };
}

/** What keeps it from starting is said on standard error only. */
function startError(stderr: string): AgentError | undefined {
  const said =
    /^Error: (.*)|^(Error loading config\.toml:.*|.*config\.toml:\d+:\d+:.*|error: unexpected argument.*)/m.exec(
      stderr,
    );
  const message = (said?.[1] ?? said?.[2])?.slice(0, messageCharsMax);
  if (message === undefined) return undefined;
  if (/input_too_large/.test(message)) return { kind: 'stop', message };
  if (said?.[2] !== undefined) return { kind: 'stop', message: `refuses its configuration: ${message}` };
  return { kind: 'retry', message };
}

const messageCharsMax = 300;
