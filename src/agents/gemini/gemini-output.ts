/** What Gemini CLI prints with `--output-format=stream-json`, and what it says on stderr when it ends before that. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, jsonLine, numbers, texts } from '../json-line.ts';

type Json = Readonly<Record<string, unknown>>;

export function readOutput(): OutputReader {
  const seen: { finished: boolean; error: string | null } = { finished: false, error: null };
  return {
    line: (text) => {
      const line = jsonLine(text);
      if (line?.['type'] === 'error') seen.error = texts(line['message']) ?? seen.error;
      const events = eventsOf(line, seen.error);
      seen.finished ||= events.some(({ type }) => type === 'finished');
      return events;
    },
    end: ({ stderr }) => {
      const error = seen.finished ? null : earlyError(stderr);
      return error === null ? [] : [{ type: 'finished', error }];
    },
  };
}

function eventsOf(line: Json | undefined, earlier: string | null): readonly AgentEvent[] {
  switch (line?.['type']) {
    case 'init':
      return typeof line['session_id'] === 'string'
        ? [{ type: 'session', id: line['session_id'], model: texts(line['model']) }]
        : [];
    case 'message':
      return line['role'] === 'assistant' && typeof line['content'] === 'string'
        ? [{ type: 'text', text: line['content'] }]
        : [];
    case 'tool_use':
      return toolEvents(line);
    case 'result':
      return [
        {
          type: 'usage',
          inputTokens: numbers(inner(line, 'stats')['input_tokens']),
          outputTokens: numbers(inner(line, 'stats')['output_tokens']),
          costUsd: null,
        },
        { type: 'finished', error: line['status'] === 'success' ? null : errorOf(line, earlier) },
      ];
    default:
      return [];
  }
}

function toolEvents({ tool_name: name, parameters }: Json): AgentEvent[] {
  if (typeof name !== 'string') return [];
  const path = inner(parameters)['file_path'];
  const writes = name === 'write_file' || name === 'replace';
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

function errorOf(line: Json, earlier: string | null): AgentError {
  const { message, type } = inner(line, 'error');
  const told = plain(texts(message) ?? earlier ?? 'the turn ended with an error');
  const at = Date.parse(texts(line['timestamp']) ?? '');
  return decide(told, { type: texts(type) ?? '', at });
}

/** What it says on stderr when it ends before its turn began, without a line on stdout. */
function earlyError(stderr: string): AgentError | null {
  if (/set an Auth method|GEMINI_API_KEY|authenticat/i.test(stderr))
    return { kind: 'stop', message: 'is not logged in: run gemini and log in, or set GEMINI_API_KEY' };
  const told = stderr
    .split('\n')
    .findLast((line) => /^(?:Error|Unknown argument)|not running in a trusted/i.test(line));
  if (told === undefined) return null;
  return { kind: told.startsWith('Error') ? 'retry' : 'stop', message: plain(told) };
}

/** The API's own words, without what is wrapped around them. */
function plain(message: string): string {
  const told = /^\[API Error: ([\s\S]*?)\](?:\n|$)/.exec(message)?.[1] ?? message;
  const { message: inside, code } = inner(jsonLine(told), 'error');
  const words =
    texts(inside) === null ? told : `${texts(inside)}${numbers(code) === null ? '' : ` (status ${numbers(code)})`}`;
  return words.replace(/\s+/g, ' ').trim();
}

function decide(message: string, { type, at }: { type: string; at: number }): AgentError {
  const limited =
    /QuotaError/.test(type) || /quota|rate.?limit|RESOURCE_EXHAUSTED|\b429\b|capacity|overloaded/i.test(message);
  if (limited) return { kind: 'wait', until: untilOf(message, at), message };
  const hopeless =
    /API key|UNAUTHENTICATED|PERMISSION_DENIED|authenticat|\b40[13]\b|credits|VALIDATION_REQUIRED|model not found|NOT_FOUND|max session turns|token count exceeds|context (?:window|length)/i;
  if (hopeless.test(message) || /Authentication|TurnLimited|ValidationRequired|ModelNotFound/.test(type))
    return { kind: 'stop', message };
  return { kind: 'retry', message };
}

/** The API says how long, the line says since when. */
function untilOf(message: string, at: number): string | null {
  const [, amount, unit] = /retry (?:in|after) ([\d.]+)(ms|s)/i.exec(message) ?? [];
  if (amount === undefined || Number.isNaN(at)) return null;
  return new Date(at + Number(amount) * (unit === 'ms' ? 1 : 1_000)).toISOString();
}
