import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Journal } from '../store/journal.ts';
import { Lease } from '../store/lease.ts';
import type { Entry, JournalRecord } from '../store/record.ts';
import { leaseOptions } from './compose.ts';
import { follow, log } from './log.ts';
import { dispatchEntries, outputOf, RepositoryFixture } from './repository.fixture.ts';
import { recordText } from './show/record-text.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const by = { who: 'ada', how: 'command' } as const;

test('people read a line for each record, scripts get all of them in one document', async () => {
  const entries: Entry[] = [
    { type: 'moved', from: 'new', signal: 'plan', change: { state: 'challenge' }, by },
    ...dispatchEntries('change.x#1', { step: 'challenge', signal: 'approved', to: 'challenged' }),
  ];
  fixture.journal('x', { state: 'new' }, { entries });
  expect((await outputOf(fixture.root, log, { words: ['x'] })).split('\n')).toEqual([
    '2026-03-01 10:00:01Z     1  created: workflow change, run x, state new',
    '2026-03-01 10:00:02Z     2  command plan, by ada with a command → challenge',
    '2026-03-01 10:00:03Z     3  #1 started: challenger (codex, o9) on challenge',
    '2026-03-01 10:00:04Z     4  #1 ended: approved (12s, 1.5k tok, $0.010) → challenged',
    '',
  ]);
  const json: unknown = JSON.parse(await outputOf(fixture.root, log, { words: ['change/x'], flags: { json: true } }));
  expect(json).toMatchObject({
    workflow: 'change',
    run: 'x',
    records: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }],
  });
});

describe('what happened, in words', () => {
  const at = '2026-03-01T10:00:00.000Z';
  const rows: [Entry, string][] = [
    [
      {
        type: 'moved',
        from: 'ask_revision',
        signal: 'continue',
        change: { state: 'revise', data: { answered: { decision: 'revision', answer: 'continue', by: 'ada' } } },
        by: { who: 'ada', how: 'answer' },
      },
      'decision revision answered: continue, by ada with pawl answer → revise',
    ],
    [
      {
        type: 'moved',
        from: 'asking',
        signal: 'noted',
        change: { data: { answered: { decision: 'UD-1', answer: 'a file,\nno server', by: 'ada', asking: 2 } } },
        by: { who: 'ada', how: 'answers' },
      },
      'decision UD-1 answered: a file, no server, by ada with an answers file',
    ],
    [
      {
        type: 'moved',
        from: 'asking',
        signal: 'noted',
        change: { data: { answered: { decision: 'UD-2', answer: null, by: 'ada' } } },
        by: { who: 'ada', how: 'terminal' },
      },
      'decision UD-2 passed over, by ada at the terminal',
    ],
    [
      {
        type: 'moved',
        from: 'ask_revision',
        signal: 'cancelled',
        change: {
          state: 'proposed',
          outcome: 'needs_person',
          data: { skipped: { decision: 'revision', reason: 'it changed' } },
        },
      },
      'ask_revision: cancelled (it changed) → proposed, at rest: needs_person',
    ],
    [
      {
        type: 'moved',
        from: 'merge',
        signal: 'merged',
        change: { state: 'archived' },
        writes: [
          { path: 'a', before: null, content: 'x' },
          { path: 'b', moveTo: 'c' },
        ],
      },
      'merge: merged → archived; wrote a, b → c',
    ],
    [
      {
        type: 'report.filed',
        dispatch: 'd1',
        tool: 'append_review',
        args: { content: `bad\u001B[2Jnews ${'x'.repeat(300)}` },
      },
      `d1 filed append_review {"content":"bad\\u001b[2Jnews ${'x'.repeat(130)}…`,
    ],
    [
      { type: 'dispatch.abandoned', id: 'd1', why: 'cut off\u0007', patch: 'dispatches/d1/abandoned.patch' },
      'd1 abandoned: cut off; what it had written is kept in dispatches/d1/abandoned.patch',
    ],
    [
      { type: 'edits.kept', paths: ['a', 'b', 'c', 'd', 'e', 'f'], by: { who: 'ada', how: 'terminal' } },
      'kept as edited: a, b, c, d and 2 more, by ada at the terminal',
    ],
    [
      { type: 'state.edited', phase: 'complete', change: { state: 'complete' }, by: { who: 'ada', how: 'edit' } },
      'state file edited to phase complete, by ada by editing → complete',
    ],
  ];
  test.each(rows)('$0.type', (entry, words) => {
    const record: JournalRecord = { seq: 7, epoch: 1, at, ...entry };
    expect(recordText(record)).toBe(`2026-03-01 10:00:00Z     7  ${words}`);
  });

  test('a fault says what went wrong', () => {
    const [, ended] = dispatchEntries('d1', { step: 'review', signal: 'timed_out', to: 'implementing' });
    if (ended?.type !== 'moved' || !ended.dispatch) throw new Error('not a dispatch');
    const usage = { inputTokens: null, outputTokens: null, costUsd: null };
    const faulty: JournalRecord = {
      seq: 7,
      epoch: 1,
      at,
      ...ended,
      dispatch: { ...ended.dispatch, usage, problem: 'no\nword' },
    };
    expect(recordText(faulty)).toContain('d1 ended: timed_out (12s, ? tok, cost unknown): no word → implementing');
  });
});

test('following shows what is there and what is added, each record once, and no half record', async () => {
  fixture.journal('x', { state: 'new' });
  const folder = fixture.folder('x');
  const seen: number[] = [];
  const stop = new AbortController();
  const lease = Lease.acquire(folder, leaseOptions(false));
  const journal = Journal.open(folder, { lease, now: () => Date.now() });
  await follow(folder, {
    signal: stop.signal,
    onRecord: ({ seq }) => {
      seen.push(seq);
      if (seq < 4) journal.append({ type: 'edits.kept', paths: [], by });
      if (seq === 4) {
        appendFileSync(join(folder, 'journal.jsonl'), '{"seq":5');
        setTimeout(() => stop.abort(), 500);
      }
    },
  });
  journal.close();
  lease.release();
  expect(seen).toEqual([1, 2, 3, 4]);
});
