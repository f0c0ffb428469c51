/** The events of the port as lines of JSON: what programs of our own print, the scripted agent and the bridge to ACP. */

import { isRecord } from '../documents/fields.ts';
import type { AgentError, AgentEvent, OutputReader } from './agent.ts';

export function eventLines(): OutputReader {
  return { line: (text) => [parseEvent(text)].flatMap((event) => event ?? []) };
}

function parseEvent(line: string): AgentEvent | null {
  const event = parseJson(line);
  if (!isRecord(event)) return null;
  const { type, text, name } = event;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'tool' && typeof name === 'string') return { type, name };
  if (type === 'file' && typeof event['path'] === 'string') return { type, path: event['path'] };
  if (type === 'session' && typeof event['id'] === 'string')
    return { type, id: event['id'], model: textOrNull(event['model']) };
  if (type === 'usage') {
    const { inputTokens, outputTokens, costUsd } = event;
    return {
      type,
      inputTokens: numberOrNull(inputTokens),
      outputTokens: numberOrNull(outputTokens),
      costUsd: numberOrNull(costUsd),
    };
  }
  if (type === 'finished') {
    const error = parseError(event['error']);
    return error === undefined ? null : { type, error };
  }
  return null;
}

function parseJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Success, or the decision the error calls for. */
function parseError(error: unknown): AgentError | null | undefined {
  if (error === undefined || error === null) return null;
  if (!isRecord(error) || typeof error['message'] !== 'string') return undefined;
  const { kind, message, until } = error;
  if (kind === 'stop' || kind === 'retry') return { kind, message };
  if (kind === 'wait' && (until === null || typeof until === 'string')) return { kind, message, until };
  return undefined;
}
