/** What Copilot CLI prints with `--output-format=json`, and the file it leaves its token counts in. */

import type { AgentError, AgentEvent, OutputReader } from '../agent.ts';
import { inner, jsonLine, numbers, texts } from '../json-line.ts';
import { readSettingsFile } from '../settings-file.ts';

type Json = Readonly<Record<string, unknown>>;

export function readOutput(session: string, usageFile: string): OutputReader {
  const before = totalsIn(usageFile);
  const seen: { finished: boolean; error: AgentError | null } = { finished: false, error: null };
  return {
    line: (text) => {
      const line = jsonLine(text);
      if (line?.['type'] === 'session.error') seen.error = errorOf(line);
      if (line?.['type'] !== 'result') return eventsOf(line, session);
      seen.finished = true;
      const failed = { kind: 'retry', message: 'ended with an error it did not tell' } as const;
      return [{ type: 'finished', error: line['exitCode'] === 0 ? null : (seen.error ?? failed) }];
    },
    end: ({ stderr }) => {
      const early = seen.finished ? null : earlyError(stderr);
      return [...usageSince(before, usageFile), ...(early ? [{ type: 'finished', error: early } as const] : [])];
    },
  };
}

function eventsOf(line: Json | undefined, session: string): readonly AgentEvent[] {
  const { model, content, toolName, arguments: args } = inner(line, 'data');
  switch (line?.['type']) {
    case 'session.tools_updated':
      return [{ type: 'session', id: session, model: texts(model) }];
    case 'assistant.message':
      return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
    case 'tool.execution_start':
      return typeof toolName === 'string' ? toolEvents(toolName, inner(args)['path']) : [];
    default:
      return [];
  }
}

function toolEvents(name: string, path: unknown): AgentEvent[] {
  const writes = name === 'create' || name === 'edit';
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

function errorOf(line: Json): AgentError {
  const { errorType, message: said, statusCode } = inner(line, 'data');
  const [type, status] = [texts(errorType) ?? '', numbers(statusCode)];
  const message = (texts(said) ?? (type || 'ended with an error')).replace(/\s+/g, ' ').trim();
  if (type === 'rate_limit' || type === 'quota' || status === 429)
    return { kind: 'wait', until: untilOf(message, Date.parse(texts(line['timestamp']) ?? '')), message };
  const hopeless = /^auth|context|subscription/.test(type) || status === 401 || status === 402 || status === 403;
  return hopeless || /context window|prompt is too long|model .* not (?:available|supported|found)/i.test(message)
    ? { kind: 'stop', message }
    : { kind: 'retry', message };
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The message says how long, the line says since when. */
function untilOf(message: string, at: number): string | null {
  const [, amount, unit = ''] =
    /(?:again|retry) (?:in|after) ([\d.]+) ?(s|m|h|d)(?:ec|in|our|ay|\b)/i.exec(message) ?? [];
  const ms = Number(amount) * (unitMs[unit.toLowerCase()] ?? Number.NaN);
  return Number.isNaN(at + ms) ? null : new Date(at + ms).toISOString();
}

/** What it says on stderr when it ends before its turn began. */
function earlyError(stderr: string): AgentError | null {
  if (/No authentication information/i.test(stderr))
    return { kind: 'stop', message: 'is not logged in: run copilot login, or set COPILOT_GITHUB_TOKEN' };
  const told = stderr.split('\n').find((line) => /^error/i.test(line));
  if (told === undefined) return null;
  return { kind: /option|argument|model/i.test(told) ? 'stop' : 'retry', message: told.trim() };
}

interface Totals {
  readonly input: number;
  readonly output: number;
}

/** Over all models of the session. */
function totalsIn(file: string): Totals {
  const models = Object.values(inner(readSettingsFile(file), 'modelMetrics')).map((metrics) => inner(metrics, 'usage'));
  const total = (key: string): number => models.reduce((sum, usage) => sum + (numbers(usage[key]) ?? 0), 0);
  return { input: total('inputTokens'), output: total('outputTokens') };
}

/** What was added to the file: a session that goes on counts on. Nothing where it was ended before it could write. */
function usageSince(before: Totals, file: string): AgentEvent[] {
  const { input, output } = totalsIn(file);
  if (input === before.input && output === before.output) return [];
  return [{ type: 'usage', inputTokens: input - before.input, outputTokens: output - before.output, costUsd: null }];
}
