/**
 * A plugin of ours that runs inside of OpenCode: it waits for the end of a limit without a word, for hours, and tries
 * server errors again and again. The plugin tells the bridge, as a notification beside the protocol's own.
 */

import { inner, numbers, texts } from '../json-line.ts';
import type { AgentError } from '../agent.ts';
import { errorOfText, limitOf } from './turn-end.ts';

export const waitingMethod = '_pawl/waiting';

const triesMax = 3;
/** Shorter waits are its own business. */
const waitMsMax = 60_000;

export const opencodePlugin = `import { writeSync } from 'node:fs';

export const TellsWaiting = async () => ({
  event: async ({ event }) => {
    const { type, attempt, message, next } = event.type === 'session.status' ? event.properties.status : {};
    if (type !== 'retry' || (attempt < ${triesMax} && next - Date.now() < ${waitMsMax})) return;
    writeSync(1, JSON.stringify({ jsonrpc: '2.0', method: '${waitingMethod}', params: { message, next } }) + '\\n');
  },
});
`;

/** What it is told to wait long for is a limit, whatever its words are. */
export function waitingError(params: unknown, nowMs: number): AgentError {
  const { message, next } = inner(params);
  const text = texts(message) ?? 'waits';
  const until = numbers(next);
  return until !== null && until - nowMs > waitMsMax
    ? { ...limitOf(text, nowMs), until: new Date(until).toISOString() }
    : errorOfText(text, nowMs);
}
