import { expect, test } from 'vitest';
import { unknownUsage } from '../../engine/usage.ts';
import { age, budgetLeft, costOf, count, agentCalls, duration, money, tokensOf, withLocalTimes } from './figures.ts';

test.each([
  [0, '0.0s'],
  [420, '0.4s'],
  [9_940, '9.9s'],
  [9_960, '10s'],
  [59_400, '59s'],
  [59_600, '1m 00s'],
  [63_000, '1m 03s'],
  [3_599_400, '59m 59s'],
  [3_600_000, '1h 00m'],
  [28_740_000, '7h 59m'],
  [-5, '0.0s'],
])('%i ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [1_540, '1.5k'],
  [99_960, '100k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [2_345_678, '2.3M'],
])('%i is %s', (value, text) => {
  expect(count(value)).toBe(text);
});

test.each([
  [0, '$0.00'],
  [0.0004, '<$0.001'],
  [0.012, '$0.012'],
  [1, '$1.00'],
  [49.899, '$49.90'],
])('%f USD is %s', (usd, text) => {
  expect(money(usd)).toBe(text);
});

test('what is unknown is said, never shown as zero', () => {
  expect(tokensOf(unknownUsage)).toBe('? tok');
  expect(costOf(unknownUsage)).toBe('cost unknown');
  expect(tokensOf({ ...unknownUsage, inputTokens: 1_200 })).toBe('1.2k tok');
  expect(costOf({ ...unknownUsage, costUsd: 0 })).toBe('$0.00');
});

test('an overdrawn budget has nothing left', () => {
  expect(agentCalls(1)).toBe('1 agent call');
  expect(budgetLeft({ dispatches: 37, tokens: 1_900_000, costUsd: 49.9, wallMs: 28_740_000 })).toBe(
    '37 agent calls, 1.9M tokens, $49.90, 7h 59m of agent time',
  );
  expect(budgetLeft({ dispatches: -1, tokens: -5, costUsd: -0.5, wallMs: -1 })).toBe(
    '0 agent calls, 0 tokens, $0.00, 0.0s of agent time',
  );
});
const at = '2026-03-01T10:00:00.000Z';
const secondMs = 1_000;
const dayMs = 86_400 * secondMs;

test.each([
  [0, 'just now'],
  [-5 * secondMs, 'just now'],
  [59 * secondMs, 'just now'],
  [60 * secondMs, '1 min ago'],
  [3_599 * secondMs, '59 min ago'],
  [3_600 * secondMs, '1 h ago'],
  [dayMs - 1, '23 h ago'],
  [dayMs, '1 day ago'],
  [30 * dayMs, '30 days ago'],
  [31 * dayMs, '2026-03-01'],
])('after %i ms: %s', (ms, words) => {
  expect(age(at, Date.parse(at) + ms)).toBe(words);
});

test('no time, or none that can be read', () => {
  expect([age(null, 0), age('soon', 0)]).toEqual(['-', '-']);
});

test('times are those of the clock on the wall, with what is left until then', () => {
  const now = new Date(2026, 10, 15, 21, 26, 48).getTime();
  const told = (ms: number) => withLocalTimes(`limited until ${new Date(now + ms).toISOString()}`, now);
  expect(told(12_000)).toBe('limited until 21:27 (in 12s)');
  expect(told(200)).toBe('limited until 21:26 (in 1s)');
  expect(told(10 * 3_600_000)).toBe('limited until 2026-11-16 07:26 (in 10h 00m)');
  expect(told(-60_000)).toBe('limited until 21:25');
  expect(withLocalTimes('2026-99-99T10:00:00Z stays', now)).toBe('2026-99-99T10:00:00Z stays');
});
