/** How a conversation ended, as the decision that calls for. Agents give errors as JSON-RPC errors, or as their last words. */

import type { AgentError } from '../agent.ts';
import { inner, isoTime, numbers, texts } from '../json-line.ts';
import { opencodeWaitMsMax } from '../vendors.ts';

/** The JSON-RPC error code by which an agent says that nobody is logged in. */
const authRequired = -32_000;
const messageCharsMax = 500;

export interface LastWords {
  /** What the agent said after its last tool call. */
  readonly text: string;
  /** Its last message, or piece of one: notices come whole. */
  readonly lastPiece: string;
  readonly toolCalls: number;
  /** What made it give up, where it tells that otherwise. */
  readonly failure: string | null;
}

/** `end_turn` is not success yet: some agents give an error of their model as their only words and end the turn. */
export function errorOfStop(reason: unknown, last: LastWords, nowMs: number): AgentError | null {
  if (reason === 'end_turn' && last.failure !== null) return errorOfText(last.failure || 'gave its turn up', nowMs);
  if (reason === 'end_turn') return errorSaid(last, nowMs);
  const why = last.text.trim() === '' ? '' : `: ${short(last.text)}`;
  if (reason === 'refusal') return { kind: 'stop', message: `refused to continue${why}` };
  const message = stopReasons.get(reason) ?? `ended its turn for a reason that is not known: ${String(reason)}`;
  return { kind: 'retry', message };
}

const stopReasons = new Map<unknown, string>([
  ['max_tokens', 'reached the most tokens its model may use'],
  ['max_turn_requests', 'reached the most requests to its model that one turn may make'],
  ['cancelled', 'says that its turn was cancelled'],
]);

const beginsLikeError = /^\W{0,4}(?:(?:api|execution|unexpected|internal|request|model|stream|provider)[ -])?error\b/i;

/** Words that begin like an error and are short: a report about errors is longer, or is about some. */
function errorSaid({ text, lastPiece, toolCalls }: LastWords, nowMs: number): AgentError | null {
  for (const said of [lastPiece.trim(), text.trim()])
    if (said.length < messageCharsMax * 4 && beginsLikeError.test(said)) return errorOfText(said, nowMs);
  const isError = toolCalls === 0 && text.length < messageCharsMax * 4 && statusOf(text) !== undefined;
  return isError ? errorOfText(text, nowMs) : null;
}

export function errorOfRpc(error: { code: number; message: string; data?: unknown }, nowMs: number): AgentError {
  const { code, data } = error;
  const details = detailsOf(data);
  const message = details === '' || error.message.includes(details) ? error.message : `${error.message}: ${details}`;
  if (code === authRequired) return { kind: 'stop', message: `needs a login: ${short(message)}` };
  // What has no words of its own may still tell the kind of error, or when a limit ends.
  const decision = errorOfText(`${message} ${JSON.stringify(data ?? {})}`, nowMs);
  return { ...decision, message: short(message) };
}

function detailsOf(data: unknown): string {
  const { details, message, error } = inner(data);
  return [data, details, message, error].map(texts).find((each) => each !== null) ?? '';
}

/** The words an agent has for what its model's interface answered. */
export function errorOfText(text: string, nowMs: number): AgentError {
  const message = short(text);
  const status = statusOf(text);
  if (status === 429 || status === 529 || /rate.?limit|quota|overloaded|usage limit|RESOURCE_EXHAUSTED/i.test(text))
    return limitOf(text, nowMs);
  const isRefused = status === 401 || status === 403;
  const isHopeless =
    /api key|unauthori[sz]ed|authenticat|log ?in\b|credit balance|(?:prompt|context|input)[^.]{0,40}(?:too long|too large|length exceeded|window)/i;
  return { kind: isRefused || isHopeless.test(text) ? 'stop' : 'retry', message };
}

/** A limit by all accounts, whatever its words are. */
export function limitOf(text: string, nowMs: number): Extract<AgentError, { kind: 'wait' }> {
  return { kind: 'wait', until: resetOf(text, nowMs), message: short(text) };
}

/** How our plugin in OpenCode tells that it waits. */
export const waitingMethod = '_pawl/waiting';

/** What it is told to wait long for is a limit, whatever its words are. */
export function waitingError(params: unknown, nowMs: number): AgentError {
  const { message, next } = inner(params);
  const text = texts(message) ?? 'waits';
  const until = numbers(next);
  return until !== null && until - nowMs > opencodeWaitMsMax
    ? { ...limitOf(text, nowMs), until: isoTime(until) }
    : errorOfText(text, nowMs);
}

function statusOf(text: string): number | undefined {
  const found = /(?:status|code|error|http|got)\D{0,12}\b([45]\d\d)\b|\b([45]\d\d)\b[ :]{1,2}[{A-Z]/i.exec(text);
  const status = found?.[1] ?? found?.[2];
  return status === undefined ? undefined : Number(status);
}

const secondsMax = 30 * 24 * 3600;

/** When a limit ends: as a time, as a number of seconds, or not told. */
function resetOf(text: string, nowMs: number): string | null {
  const time =
    /(?:until|reset\w*|retry)\D{0,20}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/i.exec(
      text,
    )?.[1];
  if (time !== undefined) return isoTime(Date.parse(time));
  const epoch = /limit reached\|(\d{10})\b|"?resets?_?at"?\D{1,4}(\d{10})\b/i.exec(text);
  const second = epoch?.[1] ?? epoch?.[2];
  if (second !== undefined) return isoTime(Number(second) * 1_000);
  const wait = /(?:retry|try again|resets?|retryDelay)[_ "a-z:]{0,24}?(\d+(?:\.\d+)?) ?"?(ms|s|m|h)?/i.exec(text);
  if (!wait) return null;
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[wait[2] ?? 's'] ?? 1_000;
  const waitMs = Number(wait[1]) * unitMs;
  return waitMs > secondsMax * 1_000 ? null : isoTime(nowMs + waitMs);
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > messageCharsMax ? `${line.slice(0, messageCharsMax)}…` : line;
}
