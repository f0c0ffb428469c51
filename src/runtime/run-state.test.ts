import { expect, test } from 'vitest';
import { initialSnapshot } from '../engine/snapshot.ts';
import type { Entry, JournalRecord } from '../store/record.ts';
import { toyMachine } from '../testing/toy.ts';
import { replay, RunFold, runStateVersion, type RunState } from './run-state.ts';

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

const records = entries.map((entry, index): JournalRecord => ({
  seq: index + 1,
  epoch: 1,
  at: new Date(index).toISOString(),
  ...entry,
}));

function stateAfter(count: number): RunState {
  const state = replay(records.slice(0, count));
  if (!state) throw new Error('there is no run');
  return state;
}

test.each(records.slice(1).map(({ seq }) => seq))(
  'S1: going on from what the first %i records amounted to, written and read again, gives the same',
  (count) => {
    const written: RunState = JSON.parse(JSON.stringify(stateAfter(count)));
    const fold = new RunFold(written);
    for (const record of records.slice(count)) fold.apply(record);
    expect(fold.state).toEqual(replay(records));
  },
);

test('raising one run budget keeps another that was raised before', () => {
  const raising = (at: number, raised: Readonly<Record<string, number>>): JournalRecord => ({
    ...{ seq: at, epoch: 1, at: new Date(at).toISOString() },
    ...{ type: 'moved', from: 'idle', signal: 'go', change: {}, choice: { raised } },
  });
  const raised = replay([...records.slice(0, 1), raising(2, { tokens: 5 }), raising(3, { dispatches: 9 })]);
  expect(raised?.choice.raised).toEqual({ tokens: 5, dispatches: 9 });
});

test('the form a checkpoint keeps is that of its version: raise it when this list changes', () => {
  const keys = (value: object | null | undefined) =>
    Object.keys(value ?? {})
      .toSorted()
      .join(' ');
  const { history, spent, ...rest } = stateAfter(8);
  expect([runStateVersion, keys(rest), keys(spent), keys(history[0]), keys(stateAfter(7).open)]).toEqual([
    2,
    'changedAt choice firstTree input lastCommand lastTree open run snapshot unconfirmed workflow workspace',
    'costUsd dispatches inputTokens outputTokens reruns unknownCost unknownTokens wallMs',
    'agent at id model ms problem role session signal step tree usage',
    'reports started',
  ]);
});
