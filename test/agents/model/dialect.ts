/** What a dialect is, and what all of them need. */

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ModelAnswer, ModelRequest } from './turn-player.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Dialect {
  /** Whether a request of that path is its own. */
  matches(path: string): boolean;
  read(path: string, body: Json): ModelRequest;
  /** Writes a whole answer, its texts and arguments cut up by `cut`. */
  write(response: ServerResponse, answer: Reply, body: Json, cut: Cut): Promise<void>;
  /** Writes the beginning of one. */
  begin(response: ServerResponse, text: string): void;
  error(status: number, message: string): unknown;
}

export type Reply = Extract<ModelAnswer, { kind: 'reply' }>;
/** A text as the pieces it is streamed in. */
export type Cut = (text: string) => readonly string[];

export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join('\n')
      : typeof value === 'object' && value !== null
        ? Object.values(value).map(textOf).join('\n')
        : '';

export type ServerEvent = readonly [name: string | null, data: unknown];

export function sse(response: ServerResponse, events: readonly ServerEvent[]): void {
  for (const [name, data] of events) {
    const event = name === null ? '' : `event: ${name}\n`;
    response.write(`${event}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
}

/** Every event in a packet of its own. */
export async function stream(response: ServerResponse, events: readonly ServerEvent[]): Promise<void> {
  startStream(response);
  for (const event of events) {
    sse(response, [event]);
    await nextTick();
  }
  response.end();
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** What each vendor calls an error: agents decide by that whether they try again. */
export const errorTypes: Readonly<Record<'anthropic' | 'openai' | 'gemini', Readonly<Record<number, string>>>> = {
  anthropic: { 400: 'invalid_request_error', 401: 'authentication_error', 429: 'rate_limit_error' },
  openai: { 400: 'invalid_request_error', 401: 'invalid_request_error', 429: 'rate_limit_exceeded' },
  gemini: { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED' },
};

let serial = 0;
export const nextId = (prefix: string): string => `${prefix}_${(serial += 1).toString().padStart(6, '0')}`;
