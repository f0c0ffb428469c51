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

const records = recorded(entries);

function recorded(all: readonly Entry[]): readonly JournalRecord[] {
  return all.map((entry, index) => ({ seq: index + 1, epoch: 1, at: new Date(index).toISOString(), ...entry }));
}

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

test('the form a checkpoint keeps is that of its version: raise it when this list changes', () => {
  const keys = (value: object | null | undefined) =>
    Object.keys(value ?? {})
      .toSorted()
      .join(' ');
  const { history, spent, ...rest } = stateAfter(8);
  expect([runStateVersion, keys(rest), keys(spent), keys(history[0]), keys(stateAfter(7).open)]).toEqual([
    1,
    'changedAt firstTree input lastCommand lastTree open run snapshot unconfirmed workflow workspace',
    'costUsd dispatches inputTokens outputTokens reruns unknownCost unknownTokens wallMs',
    'agent at id model ms problem role session signal step tree usage',
    'reports started',
  ]);
});

test('what a person chose stays until it is chosen otherwise, each raised budget on its own', () => {
  const command = { type: 'moved', from: 'idle', signal: 'retry', change: {} } as const;
  const chosen = [
    { agent: 'codex', script: 's.yaml', raised: { dispatches: 9 } },
    { raised: { costUsd: 20 } },
    { agent: null, raised: { dispatches: 12 }, unproven: ['gates'] },
  ];
  const choices = chosen.map((_, count) => {
    const commands = chosen.slice(0, count + 1).map((choice): Entry => ({ ...command, choice }));
    return replay(recorded([...entries.slice(0, 1), ...commands]))?.choice;
  });
  expect(choices).toEqual([
    { agent: 'codex', script: 's.yaml', raised: { dispatches: 9 }, unproven: [] },
    { agent: 'codex', script: 's.yaml', raised: { dispatches: 9, costUsd: 20 }, unproven: [] },
    { agent: null, script: 's.yaml', raised: { dispatches: 12, costUsd: 20 }, unproven: ['gates'] },
  ]);
});
