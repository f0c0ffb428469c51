import { describe, expect, test } from 'vitest';
import { pendingDecision } from '../engine/decision.ts';
import { initialSnapshot, type Json } from '../engine/snapshot.ts';
import type { Choice, Entry, JournalRecord } from '../store/record.ts';
import { toyMachine } from '../../test/toy.ts';
import { stepsIn } from './earlier-records.ts';
import { replay, RunFold, runStateVersion, waitsUntil, type RunState } from './run-state.ts';

const usage = { inputTokens: 10, outputTokens: null, costUsd: 0.5 };
const started = { role: 'writer', step: 'write', agent: 'scripted', model: null, prompt: 'p', digest: 'd' } as const;

const entries: readonly Entry[] = [
  {
    type: 'created',
    format: 1,
    workflow: 'toy',
    run: 'r',
    workspace: '..',
    input: {},
    snapshot: initialSnapshot(toyMachine),
  },
  { type: 'moved', from: 'idle', signal: 'go', change: { state: 'write' }, by: { who: 'me', how: 'command' } },
  { type: 'dispatch.started', id: 'd#1', tree: 't1', ...started },
  { type: 'report.filed', dispatch: 'd#1', tool: 'report', args: { text: 'x' } },
  { type: 'dispatch.abandoned', id: 'd#1', why: 'cut off', patch: null },
  { type: 'dispatch.started', id: 'd#2', tree: 't1', ...started },
  { type: 'report.filed', dispatch: 'd#2', tool: 'report', args: { text: 'y' } },
  {
    type: 'moved',
    from: 'write',
    signal: 'written',
    change: { state: 'review', data: { verdict: 'x' } },
    dispatch: { id: 'd#2', ms: 5, usage, session: null, model: 'm', tree: 't2', digest: 'e' },
    writes: [{ path: 'a', before: null, content: 'b' }],
  },
  { type: 'state.edited', phase: 'done', change: { state: 'done' }, by: { who: 'me', how: 'edit' } },
];

const recorded = (entry: Entry, index: number): JournalRecord => ({
  seq: index + 1,
  epoch: 1,
  at: new Date(index).toISOString(),
  ...entry,
});
const records = entries.map(recorded);

function stateAfter(count: number): RunState {
  const state = replay(records.slice(0, count));
  if (!state) throw new Error('there is no run');
  return state;
}

test.each(records.slice(1).map(({ seq }) => seq))(
  'S1: resuming from a serialized state after %i records gives the same state as a full replay',
  (count) => {
    const written: RunState = JSON.parse(JSON.stringify(stateAfter(count)));
    const fold = new RunFold(written);
    for (const record of records.slice(count)) fold.apply(record);
    expect(fold.state).toEqual(replay(records));
  },
);

test('the keys of a checkpoint are pinned: raise its version when this list changes', () => {
  const keys = (value: object | null | undefined) =>
    Object.keys(value ?? {})
      .toSorted()
      .join(' ');
  const { history, spent, ...rest } = stateAfter(8);
  expect([runStateVersion, keys(rest), keys(spent), keys(history[0]), keys(stateAfter(7).open)]).toEqual([
    11,
    'answered changedAt choice firstTree hint input interrupted landed lastCommand lastTree open run sandbox snapshot unconfirmed unsynced workflow workspace',
    'costUsd crashes dispatches inputTokens outputTokens reruns unknownCost unknownTokens wallMs',
    'agent at id model ms problem role session signal step tree usage',
    'advice reports started',
  ]);
});

/** The state of a run whose moves carry these. */
function stateOf(...moves: readonly Partial<Extract<Entry, { type: 'moved' }>>[]): RunState {
  const moved = moves.map((more): Entry => ({ type: 'moved', from: 'idle', signal: 'go', change: {}, ...more }));
  const state = replay([...entries.slice(0, 1), ...moved].map(recorded));
  if (!state) throw new Error('there is no run');
  return state;
}

const nothingChosen = {
  agent: null,
  model: null,
  script: null,
  raised: {},
  unproven: [],
  branch: null,
  shareTree: false,
};

describe('choices of a person', () => {
  const choiceOf = (...choices: readonly Choice[]) => stateOf(...choices.map((choice) => ({ choice }))).choice;

  test('are empty at first; a transition without a choice keeps them', () => {
    expect(stateOf().choice).toEqual(nothingChosen);
    expect(stateOf({ choice: { agent: 'codex' } }, { signal: 'written' }).choice.agent).toBe('codex');
  });

  test('raised budgets of several commands merge, the later one wins', () => {
    expect(choiceOf({ raised: { dispatches: 9 } }, { raised: { costUsd: 5 } }).raised).toEqual({
      dispatches: 9,
      costUsd: 5,
    });
    expect(choiceOf({ raised: { dispatches: 9 } }, { raised: { dispatches: 4 } }).raised).toEqual({ dispatches: 4 });
    expect(choiceOf({ raised: { dispatches: 9 } }, { agent: null, script: null }).raised).toEqual({ dispatches: 9 });
  });

  test('agent and script are remembered until a command chooses again', () => {
    const first = { agent: 'codex', script: '/s.yaml' };
    expect(choiceOf(first)).toMatchObject(first);
    expect(choiceOf(first, { agent: 'claude', script: null })).toMatchObject({ agent: 'claude', script: null });
  });

  test('retry without agent and script keeps both', () => {
    const first = { agent: 'codex', script: '/s.yaml' };
    expect(choiceOf(first, {}, { raised: { costUsd: 5 } })).toEqual({
      ...nothingChosen,
      ...first,
      raised: { costUsd: 5 },
    });
  });

  test('a run that was begun unproven stays unproven', () => {
    expect(choiceOf({ unproven: ['every loop is bounded'] }, { agent: 'codex' }).unproven).toEqual([
      'every loop is bounded',
    ]);
  });
});

describe('reads from the workflow data in journals of earlier versions', () => {
  const dataOf = (...data: readonly Readonly<Record<string, Json>>[]) =>
    stateOf(...data.map((each) => ({ change: { data: each } })));

  test('the choices of a person', () => {
    const first = { agent: 'codex', script: '/s.yaml', raised: { dispatches: 9 }, unproven: ['bounded'] };
    const chosen = { ...first, model: null, branch: null, shareTree: false };
    expect(dataOf(first).choice).toEqual(chosen);
    expect(dataOf(first, { raised: { costUsd: 5 } }).choice.raised).toEqual({ dispatches: 9, costUsd: 5 });
    expect(dataOf(first, { agent: null, script: null }).choice).toEqual({ ...chosen, agent: null, script: null });
    expect(dataOf(first, { problem: null }).choice).toEqual(chosen);
  });

  test('ignores values that are no choices', () => {
    expect(
      dataOf({ agent: 7, script: false, raised: { dispatches: 'many', costUsd: 5 }, unproven: 'x' }).choice,
    ).toEqual({ ...nothingChosen, raised: { costUsd: 5 } });
    expect(stateOf({ choice: { agent: 'codex' }, change: { data: { agent: 'claude' } } }).choice.agent).toBe('codex');
  });

  test('the problem that stopped the run, until the next command', () => {
    const stopped = { problem: 'out of quota', until: '2026-03-01T10:00:00Z' };
    const limited = { signal: 'rate_limited', change: { outcome: 'temporary', data: stopped } } as const;
    const problem = { code: 'rate_limited', message: 'out of quota', until: '2026-03-01T10:00:00Z' };
    expect(stateOf(limited).snapshot.problem).toEqual(problem);
    expect(waitsUntil(stateOf(limited).snapshot)).toBe(problem.until);
    expect(stateOf(limited, { signal: 'written' }).snapshot.problem).toEqual(problem);
    expect(stateOf(limited, { change: { data: { problem: null } } }).snapshot.problem).toBeNull();
  });

  test('the former common name of interrupted dispatches and withdrawn questions', () => {
    const [first] = entries;
    if (first?.type !== 'created') throw new Error('no run');
    const [created, ...records] = [
      first,
      { type: 'moved', from: 'write', signal: 'cancelled', change: {} } as const,
      { type: 'moved', from: 'ask', signal: 'cancelled', change: {} } as const,
      { type: 'moved', from: 'ask', signal: 'again', change: {} } as const,
    ].map(recorded);
    if (created?.type !== 'created') throw new Error('no run');
    const { steps } = stepsIn(toyMachine, created, records);
    expect(steps.map(({ signal }) => signal)).toEqual(['interrupted', 'withdrawn', 'again']);
  });

  test('a snapshot without a problem', () => {
    const [first] = entries;
    if (first?.type !== 'created') throw new Error('no run');
    const { problem: _, ...snapshot } = first.snapshot;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as an earlier version wrote it
    const state = replay([recorded({ ...first, snapshot: snapshot as typeof first.snapshot }, 0)]);
    expect(state?.snapshot.problem).toBeNull();
  });

  describe('decisions in the format of status.json', () => {
    const said = (more: object) => ({
      decision_id: 'UD-1',
      question: 'Which?',
      status: 'pending',
      answer: null,
      asked_at: 'then',
      resolved_at: null,
      state_context: 'PLAN',
      resolution_reason: null,
      ...more,
    });
    const part = { id: 'UD-1', question: 'Which?', about: 'info', suggestions: ['csv'], binding: true };
    const asked = { 'decision:UD-1': said({}), asking: { title: 'Asks', detail: 'Unsure.', parts: [part] } };
    const answered = { 'decision:UD-1': said({ status: 'answered', answer: 'csv', resolved_at: 'now' }) };
    const pending = pendingDecision(
      'UD-1',
      { question: 'Which?', about: 'info', suggestions: ['csv'], binding: true },
      { at: 'then', context: 'PLAN' },
    );

    test('asked, answered and closed', () => {
      expect(dataOf(asked).snapshot).toMatchObject({
        decisions: { 'UD-1': pending },
        asked: { title: 'Asks', detail: 'Unsure.', ids: ['UD-1'] },
      });
      const known = { ...pending, status: 'answered', answer: 'csv', resolvedAt: 'now' };
      expect(dataOf(asked, answered).snapshot.decisions).toEqual({ 'UD-1': known });
      const closed = { 'decision:UD-2': said({ status: 'cancelled', resolution_reason: 'gone', extra: { a: 1 } }) };
      expect(dataOf(asked, closed).snapshot.decisions).toMatchObject({
        'UD-1': pending,
        'UD-2': { id: 'UD-2', status: 'cancelled', reason: 'gone', extra: { a: 1 } },
      });
    });

    test('of a session that was imported, or whose state was edited', () => {
      const [first] = entries;
      if (first?.type !== 'created') throw new Error('no run');
      const { decisions: _, asked: __, ...snapshot } = first.snapshot;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as an earlier version wrote it
      const taken = { ...first, snapshot: { ...snapshot, data: asked } as unknown as typeof first.snapshot };
      expect(replay([recorded(taken, 0)])?.snapshot.decisions).toEqual({ 'UD-1': pending });
      const edited: Entry = {
        type: 'state.edited',
        phase: 'PLAN',
        change: { data: asked },
        by: { who: 'me', how: 'edit' },
      };
      expect(replay([first, edited].map(recorded))?.snapshot.asked?.ids).toEqual(['UD-1']);
    });

    test('the blocker of a session, with its problem', () => {
      const blocker = { blocker: 'task_blocked', detail: 'T-001 is blocked', wayOut: 'unblock it' };
      const problem = { code: 'task_blocked', message: 'T-001 is blocked', fix: 'unblock it' };
      expect(dataOf({ blocker }).snapshot.problem).toEqual(problem);
      expect(dataOf({ blocker, problem: 'disk full' }).snapshot.problem).toEqual({
        ...problem,
        message: 'T-001 is blocked\ndisk full',
      });
      expect(dataOf({ blocker }, { blocker: null }).snapshot.problem).toBeNull();
    });
  });
});
