import { expect, test } from 'vitest';
import { appendHistory, historyLine, readHistory } from './history-file.ts';

const entry = {
  at: '2026-05-01T10:00:00.000Z',
  decision_id: 'UD-APPROVE-DESIGN',
  answer: 'changes-requested: a\nb',
  state_context: 'APPROVE_DESIGN',
};

test('an entry is one line, and appending it again changes nothing [session/files/history]', () => {
  const line = historyLine(entry);
  expect(line).not.toContain('\n');
  const once = appendHistory(undefined, line);
  expect(once).toBe(`${line}\n`);
  expect(appendHistory(once, line)).toBe(once);
  const other = historyLine({ ...entry, at: '2026-05-01T11:00:00.000Z' });
  const twice = appendHistory(once, other);
  expect(twice).toBe(`${line}\n${other}\n`);
  expect(appendHistory(twice, other)).toBe(twice);
  expect(readHistory(twice).entries).toEqual([entry, { ...entry, at: '2026-05-01T11:00:00.000Z' }]);
});

test('a file without a line end at its end is continued on a new line', () => {
  expect(appendHistory('{}', '{"a":1}')).toBe('{}\n{"a":1}\n');
});

test('what cannot be read is counted', () => {
  expect(readHistory('{"answer": "changes-requested: x"}\n\nnot json\n3\n{"at": "x"}\n')).toEqual({
    entries: [
      { at: '', decision_id: 'UD-APPROVE-DESIGN', answer: 'changes-requested: x', state_context: 'APPROVE_DESIGN' },
    ],
    unreadable: 3,
  });
});
