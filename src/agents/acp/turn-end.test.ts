import { expect, test } from 'vitest';
import { errorOfRpc, errorOfStop, errorOfText } from './turn-end.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const words = (text: string, toolCalls = 0) => ({ text, lastPiece: text, toolCalls, failure: null });

test('a turn that ended with words, or without any, has no error', () => {
  for (const said of ['', 'Done.', 'I found 2 errors in the parser and fixed them.', 'All 404 handlers are in place.'])
    expect(errorOfStop('end_turn', words(said, 1), now)).toBeNull();
});

test.each([
  ['refusal', 'stop'],
  ['max_tokens', 'retry'],
  ['max_turn_requests', 'retry'],
  ['cancelled', 'retry'],
  ['a new reason', 'retry'],
  [undefined, 'retry'],
])('%s calls for %s', (reason, kind) => {
  expect(errorOfStop(reason, words(''), now)).toMatchObject({ kind });
});

test('an error of the model that is told as words is one', () => {
  const error = 'API Error: Request rejected (429) · This request would exceed your rate limit.';
  expect(errorOfStop('end_turn', words(error, 2), now)).toMatchObject({ kind: 'wait', message: error });
});

test('so is a notice at the end of other words', () => {
  const last = {
    ...words('I was about to Error: Failed to get response', 1),
    lastPiece: 'Error: Failed to get response',
  };
  expect(errorOfStop('end_turn', last, now)).toEqual({ kind: 'retry', message: 'Error: Failed to get response' });
});

test('an agent that gave up has failed, whatever it says', () => {
  const failure = 'stream disconnected before completion';
  expect(errorOfStop('end_turn', { ...words('Done.', 2), failure }, now)).toEqual({ kind: 'retry', message: failure });
});

/** As they were seen. */
test.each([
  [
    'Internal error: API Error: Request rejected (429) · This request would exceed your rate limit.',
    { errorKind: 'rate_limit' },
    'wait',
  ],
  [
    'Internal error: API Error: 500 Internal server error. This is a server-side issue, usually temporary.',
    { errorKind: 'server_error' },
    'retry',
  ],
  ['Internal error: API Error: Connection to the API was lost (ECONNRESET).', { errorKind: 'server_error' }, 'retry'],
  ['Internal error', { details: 'prompt is too long: 300000 tokens > 200000 maximum' }, 'stop'],
  ['Internal error', { details: 'Incorrect API key provided' }, 'stop'],
  ['Internal error', undefined, 'retry'],
])('%s %o calls for %s', (message, data, kind) => {
  expect(errorOfRpc({ code: -32_603, message, data }, now).kind).toBe(kind);
});

test('nobody is logged in', () => {
  const error = errorOfRpc({ code: -32_000, message: 'Authentication required' }, now);
  expect(error).toEqual({ kind: 'stop', message: 'needs a login: Authentication required' });
});

test('the details of an error are told, once', () => {
  const told = (message: string, details: string) => errorOfRpc({ code: 1, message, data: { details } }, now).message;
  expect([told('Internal error', 'it broke'), told('It broke: no disk', 'no disk')]).toEqual([
    'Internal error: it broke',
    'It broke: no disk',
  ]);
});

test.each([
  ['rate limit, retry after 3600 seconds', '2026-11-15T13:00:00.000Z'],
  ['You exceeded your current quota. Please retry in 34.5s.', '2026-11-15T12:00:34.500Z'],
  ['429: {"retryDelay":"90s"}', '2026-11-15T12:01:30.000Z'],
  ['rate limit, try again in 2 h', '2026-11-15T14:00:00.000Z'],
  ['usage limit, resets at 2026-11-16T07:00:00Z', '2026-11-16T07:00:00.000Z'],
  ['Claude AI usage limit reached|1794812400', '2026-11-16T07:00:00.000Z'],
  ['rate limit', null],
  ['rate limit, retry after 99999999 s', null],
])('%s: until %s', (text, until) => {
  expect(errorOfText(text, now)).toMatchObject({ kind: 'wait', until });
});

test('a message is one line, and not endless', () => {
  expect(errorOfText(`a\n  b ${'x'.repeat(9_999)}`, now).message).toMatch(/^a b x{400,500}…$/);
});
