import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { follow } from '../runs/find.ts';
import { isRecord } from '../schema/values.ts';
import type { Entry, JournalRecord } from '../store/record.ts';
import { changeSurface } from '../workflows/change/surface.ts';
import { sessionSurface } from '../workflows/session/surface.ts';
import { listOf, log, runs } from './reading.ts';
import { dispatchEntries, outputOf, RepositoryFixture, stateYaml } from './repository.fixture.ts';
import { recordText } from './show/record-text.ts';
import type { CommandFunction } from './context.ts';

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
      'decision UD-2 skipped, by ada at the terminal',
    ],
    [
      {
        type: 'moved',
        from: 'ask_revision',
        signal: 'withdrawn',
        change: {
          state: 'proposed',
          outcome: 'needs_person',
          data: { skipped: { decision: 'revision', reason: 'it changed' } },
        },
      },
      'ask_revision: withdrawn (it changed) → proposed, at rest: needs_person',
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
      'd1 abandoned: cut off; its changes are kept in dispatches/d1/abandoned.patch',
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
  const { store } = fixture.repository;
  const key = { workflow: 'change', run: 'x' };
  const held = store.open(key);
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const { seq } of follow(fixture.repository, key, stop.signal)) {
    seen.push(seq);
    if (seq < 4) held.append({ type: 'edits.kept', paths: [], by });
    if (seq === 4) {
      appendFileSync(join(store.folder(key), 'journal.jsonl'), '{"seq":5');
      setTimeout(() => stop.abort(), 500);
    }
  }
  held.close({ inOrder: true, state: null });
  expect(seen).toEqual([1, 2, 3, 4]);
});

describe('lists', () => {
  const changes = listOf(changeSurface);

  test('runs: people see a table, scripts one document, an empty repository a way to begin', async () => {
    expect(await outputOf(fixture.root, runs, {})).toContain('pawl change plan <id>');
    expect(await outputOf(fixture.root, runs, { flags: { json: true } })).toBe('{"runs":[]}\n');
    fixture.write('agentd/changes/busy/STATE.yaml', stateYaml('proposed', { updated_at: new Date().toISOString() }));
    fixture.journal('busy', { state: 'challenge' });
    const release = fixture.hold('busy');
    const work = `pid ${process.pid}`;
    expect((await outputOf(fixture.root, runs, {})).split('\n')).toEqual([
      `RUN   WORKFLOW  PHASE     ${'UPDATED'.padEnd(work.length)}  COST  NEXT`,
      `busy  change    proposed  ${work.padEnd(7)}  -     pawl attach busy`,
      '',
    ]);
    const [listed] = await documentOf(runs, 'runs');
    expect(Object.keys(listed ?? {})).toEqual([
      'workflow',
      'run',
      'phase',
      'outcome',
      'finished',
      'message',
      'updatedAt',
      'owner',
      'doing',
      'decision',
      'usage',
      'next',
      'workspace',
      'problem',
    ]);
    release();
  });

  test('changes: people see a table, scripts one document', async () => {
    fixture.write('agentd/changes/one/STATE.yaml', stateYaml('proposed', { updated_at: new Date().toISOString() }));
    fixture.write('agentd/changes/bad/STATE.yaml', 'phase: what\n');
    expect((await outputOf(fixture.root, changes, {})).split('\n')).toEqual([
      'ID   PHASE     VERDICT  ITERATION  UPDATED   NEXT',
      expect.stringMatching(/^bad {2}broken {4}- {8}- {10}- {9}agentd\/changes\/bad\/STATE\.yaml:1: phase is "what"; /),
      'one  proposed  -        -          just now  pawl change plan one',
      '',
    ]);
    const [bad, one] = await documentOf(changes, 'changes');
    const facts = { phase: 'proposed', verdict: null, iteration: null, problem: null, workspace: null, journal: false };
    expect(one).toEqual({ id: 'one', ...facts, updatedAt: expect.any(String), next: 'pawl change plan one' });
    expect(Object.keys(bad ?? {})).toEqual(Object.keys(one ?? {}));
    expect(bad).toMatchObject({ id: 'bad', phase: null, verdict: null, iteration: null, next: null });
  });

  test('archived changes are listed only where that is asked for', async () => {
    expect(await outputOf(fixture.root, changes, { flags: { archived: true } })).toBe('Nothing is archived.\n');
    fixture.write('agentd/archive/old/STATE.yaml', stateYaml('archived', { verdict: 'APPROVED', iteration: 2 }));
    fixture.journal('old', { state: 'archived', outcome: 'done', data: { archivedAs: 'old' } });
    expect(await documentOf(changes, 'changes')).toEqual([]);
    expect((await outputOf(fixture.root, changes, { flags: { archived: true } })).split('\n')).toEqual([
      'ID   PHASE     VERDICT   ITERATION  UPDATED',
      expect.stringMatching(/^old  archived  APPROVED  2 {10}\S+/),
      '',
    ]);
  });

  test('sessions have columns of their own', async () => {
    const name = '2026-03-04_csv-export';
    fixture.journal(name, { state: 'code' }, { workflow: 'session' });
    fixture.write(
      `.agents-work/${name}/tasks.yaml`,
      'project: {name: x}\ntasks:\n  - {id: T-001, title: One, status: completed}\n',
    );
    const sessions = listOf(sessionSurface);
    expect((await outputOf(fixture.root, sessions, {})).split('\n')).toEqual([
      'SESSION                STATE           MODE  TASKS  OPEN  UPDATED',
      expect.stringMatching(/^2026-03-04_csv-export  IMPLEMENT_LOOP  full  1\/1    -     \S+/),
      '',
    ]);
    expect(await documentOf(sessions, 'sessions')).toMatchObject([
      { run: name, mode: 'full', pending: 0, tasks: { done: 1, total: 1 }, journal: true },
    ]);
  });

  async function documentOf(command: CommandFunction, key: string): Promise<readonly object[]> {
    const document: unknown = JSON.parse(await outputOf(fixture.root, command, { flags: { json: true } }));
    const rows = isRecord(document) ? document[key] : undefined;
    if (!Array.isArray(rows)) throw new Error(`there is no ${key}`);
    return rows.filter(isRecord);
  }
});
