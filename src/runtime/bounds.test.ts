import { describe, expect, test } from 'vitest';
import type { Entry, JournalRecord } from '../journal/record.ts';
import { treeBeforeAttempts } from './bounds.ts';

function journal(...entries: readonly Entry[]): readonly JournalRecord[] {
  return entries.map((entry, index) => ({ ...entry, seq: index + 1, epoch: 1, at: `2026-01-01T00:00:00.00${index}Z` }));
}

const started = (tree: string): Entry => ({
  type: 'dispatch.started',
  id: `r#${tree}`,
  role: 'writer',
  step: 'draft',
  agent: 'scripted',
  model: null,
  prompt: '',
  tree,
  digest: '',
});
const moved = (signal: string, state?: string): Entry => ({
  type: 'moved',
  from: 'draft',
  signal,
  change: state === undefined ? {} : { state },
});
const by = { who: 'me', how: 'flag' } as const;

describe('B2: attempts in a row are judged by the tree before the first of them', () => {
  test.each<[string, readonly Entry[], string | undefined]>([
    ['nothing yet', [moved('start', 'draft')], undefined],
    ['the first attempt', [moved('start', 'draft'), started('t1')], 't1'],
    ['after one out of bounds', [moved('start', 'draft'), started('t1'), moved('out_of_bounds'), started('t2')], 't1'],
    [
      'after another fault in between',
      [
        moved('start', 'draft'),
        started('t1'),
        moved('out_of_bounds'),
        started('t2'),
        moved('unparseable'),
        started('t3'),
      ],
      't1',
    ],
    [
      'after a crash, which hides what it wrote',
      [moved('start', 'draft'), started('t1'), moved('failed'), started('t2')],
      't1',
    ],
    [
      'after a step that counts',
      [started('t1'), moved('done', 'review'), moved('needs_work', 'draft'), started('t2')],
      't2',
    ],
    ['after a step that counts and leads to itself', [started('t1'), moved('done'), started('t2')], 't2'],
    [
      'after a person looked at it',
      [started('t1'), moved('out_of_bounds', 'stopped'), moved('retry', 'draft'), started('t2')],
      't2',
    ],
    [
      'after a person kept edits',
      [started('t1'), moved('failed'), started('t2'), { type: 'edits.kept', paths: ['a'], by }, started('t3')],
      't3',
    ],
    [
      'after a dispatch that was cut off and taken back',
      [
        moved('start', 'draft'),
        started('t1'),
        { type: 'dispatch.abandoned', id: 'r#t1', why: '', patch: null },
        started('t2'),
      ],
      't1',
    ],
  ])('%s', (_, entries, tree) => {
    expect(treeBeforeAttempts(journal(...entries))).toBe(tree);
  });
});
