import { expect, test } from 'vitest';
import { appendHistory } from './gates.ts';

const entry = {
  at: '2026-05-01T10:00:00.000Z',
  decision_id: 'UD-APPROVE-DESIGN',
  answer: 'changes-requested: a\nb',
  state_context: 'APPROVE_DESIGN',
};

test('an entry of the history is one line, and appending it again changes nothing [session/files/history]', () => {
  const line = JSON.stringify(entry);
  const once = appendHistory(undefined, entry);
  expect(once).toBe(`${line}\n`);
  expect(appendHistory(once, entry)).toBe(once);
  const other = { ...entry, at: '2026-05-01T11:00:00.000Z' };
  const twice = appendHistory(once, other);
  expect(twice).toBe(`${line}\n${JSON.stringify(other)}\n`);
  expect(appendHistory(twice, other)).toBe(twice);
});

test('a history without a line break at its end is continued on a new line', () => {
  expect(appendHistory('{}', { a: '1' })).toBe('{}\n{"a":"1"}\n');
});
