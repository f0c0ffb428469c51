/** What `codex exec --json` prints, as events of the port. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, items, jsonLine, numbers, texts, type Json } from '../json-line.ts';
import { finished, jsonOutput, conversationEvents, textEvents, toolEvents } from '../native-agent.ts';
import { keepUsed, since, usedBefore } from '../usage-ledger.ts';

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
  let conversation = resume;
  return jsonOutput(
    {
      'thread.started': ({ thread_id: id }) => {
        conversation = texts(id);
        return conversationEvents(id, model);
      },
      'item.completed': ({ item }) => itemEvents(inner(item)),
      'turn.completed': ({ usage }) => {
        // Of the whole conversation; cached tokens are among the input tokens already.
        const { input_tokens: input, output_tokens: output } = inner(usage);
        const totals = { inputTokens: numbers(input), outputTokens: numbers(output) };
        if (conversation !== null && ledger !== undefined) keepUsed(conversation, totals, ledger);
        const inputTokens = since(before.inputTokens, totals.inputTokens);
        const outputTokens = since(before.outputTokens, totals.outputTokens);
        return [{ type: 'usage', inputTokens, outputTokens, costUsd: null }, finished(null)];
      },
      'turn.failed': ({ error }) => [finished(errorOf(texts(inner(error)['message']) ?? 'its turn failed', now()))],
    },
    { whole: startError, line: (text) => longWait(text, now()) },
  );
}

function itemEvents({ type, text, message, tool, changes, status }: Json): AgentEvent[] {
  switch (type) {
    case 'agent_message':
      return textEvents(text);
    case 'error':
      return textEvents(message);
    case 'command_execution':
      return toolEvents('shell');
    case 'mcp_tool_call':
      return toolEvents(tool);
    case 'file_change': {
      const paths = status === 'completed' ? items(changes).map(({ path }) => texts(path)) : [];
      const files = paths.flatMap((path) => (path === null ? [] : [{ type: 'file', path } as const]));
      return [...toolEvents('apply_patch'), ...files];
    }
    default:
      return [];
  }
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
    /[Tt]ry again at (?:([A-Z][a-z]{2} \d{1,2}(?:st|nd|rd|th)?, \d{4}),? )?(\d{1,2}:\d{2} [AP]M)/.exec(message) ?? [];
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
function startError(stderr: string): AgentError | null {
  const said =
    /^Error: (.*)|^(Error loading config\.toml:.*|.*config\.toml:\d+:\d+:.*|error: unexpected argument.*)/m.exec(
      stderr,
    );
  const message = (said?.[1] ?? said?.[2])?.slice(0, messageCharsMax);
  if (message === undefined) return null;
  if (/input_too_large/.test(message)) return { kind: 'stop', message };
  if (said?.[2] !== undefined) return { kind: 'stop', message: `refuses its configuration: ${message}` };
  return { kind: 'retry', message };
}

const messageCharsMax = 300;
