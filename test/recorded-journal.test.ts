/** Journals written by earlier versions stay readable for ever: this one is never recorded anew. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeJournal } from '../src/store/record.ts';
import { replay } from '../src/runtime/run-state.ts';
import { phaseOf } from '../src/workflows/change/run-data.ts';

const file = new URL('fixtures/journal-format-1.jsonl', import.meta.url);

test('a journal of format 1 is decoded, replayed, and means what it meant', () => {
  const { records, end } = decodeJournal(readFileSync(file), 'journal-format-1.jsonl');
  expect(end.bytes).toBe(readFileSync(file).length);
  const state = replay(records);
  expect(state).toMatchObject({ workflow: 'change', run: 'slugs', open: null, lastCommand: 'archive' });
  expect(state && phaseOf(state.snapshot)).toBe('archived');
  expect(state?.history.map(({ step, signal }) => `${step}: ${signal}`)).toEqual([
    'propose: reported',
    'specify: reported',
    'specify: reported',
    'list_tasks: reported',
    'challenge: needs_minor_revision',
    'revise: reported',
    'challenge: approved',
    'implement: reported',
    'implement: reported',
    'review: needs_fix',
    'fix: reported',
    'review: approved',
  ]);
  expect(state?.spent).toMatchObject({ dispatches: 12, unknownCost: 0, reruns: 0 });
});
