import { describe, expect, test } from 'vitest';
import type { Entry, JournalRecord } from '../store/record.ts';
import { earlierAttempts } from './judge.ts';

function journal(...entries: readonly Entry[]): readonly JournalRecord[] {
  return entries.map((entry, index) => ({ ...entry, seq: index + 1, epoch: 1, at: `2026-01-01T00:00:00.00${index}Z` }));
}

const started = (id: string): Entry => ({
  type: 'dispatch.started',
  id,
  role: 'writer',
  step: 'draft',
  agent: 'scripted',
  model: null,
  prompt: '',
  tree: `before ${id}`,
  digest: '',
});
const command = (signal: string, state: string): Entry => ({ type: 'moved', from: 'new', signal, change: { state } });
const ended = (id: string, signal: string, state?: string): Entry => ({
  type: 'moved',
  from: 'draft',
  signal,
  change: state === undefined ? {} : { state },
  dispatch: {
    id,
    ms: 1,
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
    session: null,
    model: null,
    tree: `after ${id}`,
    digest: '',
  },
});
const abandoned = (id: string): Entry => ({ type: 'dispatch.abandoned', id, why: '', patch: null });
const attempt = (id: string) => ({ treeBefore: `before ${id}`, treeAfter: `after ${id}` });
const by = { who: 'me', how: 'edit' } as const;

describe('B2: consecutive attempts that are judged together', () => {
  test.each<[string, readonly Entry[], readonly string[]]>([
    ['none before the first', [command('start', 'draft'), started('1')], []],
    [
      'one that was out of bounds',
      [command('start', 'draft'), started('1'), ended('1', 'out_of_bounds'), started('2')],
      ['1'],
    ],
    [
      'several, with any faults',
      [started('1'), ended('1', 'out_of_bounds'), started('2'), ended('2', 'unparseable'), started('3')],
      ['1', '2'],
    ],
    [
      'one that failed with unknown changes',
      [command('start', 'draft'), started('1'), ended('1', 'failed'), started('2')],
      ['1'],
    ],
    [
      'none before a successful step',
      [started('1'), ended('1', 'done', 'review'), command('again', 'draft'), started('2')],
      [],
    ],
    ['none before a successful step that leads to itself', [started('1'), ended('1', 'done'), started('2')], []],
    [
      'none that a person has confirmed',
      [started('1'), ended('1', 'out_of_bounds', 'stopped'), command('retry', 'draft'), started('2')],
      [],
    ],
    [
      'none before an adopted edit of the state',
      [started('1'), ended('1', 'failed'), { type: 'state.edited', phase: 'x', change: {}, by }, started('2')],
      [],
    ],
    [
      'none that was interrupted and rolled back',
      [command('start', 'draft'), started('1'), abandoned('1'), started('2')],
      [],
    ],
    [
      'those before an interrupted one',
      [
        command('start', 'draft'),
        started('1'),
        ended('1', 'out_of_bounds'),
        started('2'),
        abandoned('2'),
        started('3'),
      ],
      ['1'],
    ],
    [
      'none where nothing was dispatched',
      [started('1'), ended('1', 'done', 'x'), { type: 'moved', from: 'x', signal: 'failed', change: {} }],
      [],
    ],
  ])('%s', (_, entries, ids) => {
    expect(earlierAttempts(journal(...entries))).toEqual(ids.map(attempt));
  });
});
