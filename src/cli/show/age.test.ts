import { expect, test } from 'vitest';
import { age } from './age.ts';

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
