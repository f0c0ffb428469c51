import { expect, test } from 'vitest';
import type { Machine } from '../../engine/machine.ts';
import { unknownUsage } from '../../engine/usage.ts';
import type { AdvisorEnd, Entry, JournalRecord } from '../../store/record.ts';
import { equalOdds } from '../../simulation/odds.ts';
import { advisedToy, toyMachine } from '../../../test/toy.ts';
import { oddsFromJournals } from './journal-odds.ts';

const toy: Machine = toyMachine;

test('nothing seen is as nothing known', () => {
  expect(oddsFromJournals(toy, [])).toEqual({
    odds: { ...equalOdds(toy), weights: { write: { written: 1 }, review: { approved: 0.5, needs_fix: 0.5 } } },
    runs: 0,
    steps: 0,
    dispatches: 0,
    foreignSteps: 0,
  });
});

test('signals, loads, faults, costs and times are counted', () => {
  const items = ['a', 'b', 'c'].map((id) => ({ id, after: [] }));
  const first = journal([
    { from: 'idle', signal: 'go', change: { load: { list: 'pages', items } } },
    { from: 'write', signal: 'failed', ms: 100, costUsd: 0.1 },
    { from: 'write', signal: 'written', ms: 400, costUsd: 0.4 },
    { from: 'review', signal: 'needs_fix', ms: 50, costUsd: null },
    { from: 'ask', signal: 'stop' },
  ]);
  const second = journal([
    { from: 'review', signal: 'needs_fix', ms: 70, costUsd: null },
    { from: 'bygone', signal: 'go' },
    { from: 'review', signal: 'bygone' },
  ]);
  const { odds, ...seen } = oddsFromJournals(toy, [first, second]);
  expect(seen).toEqual({ runs: 2, steps: 6, dispatches: 4, foreignSteps: 2 });
  expect(odds.weights, 'one more step a state than seen; of people, what they did').toEqual({
    idle: { go: 1 },
    write: { written: 2 },
    review: { approved: 0.5, needs_fix: 2.5 },
    ask: { stop: 1 },
  });
  expect(odds.items).toEqual({ pages: { mean: 3, most: 5 } });
  expect(odds.faults['failed']).toBeCloseTo(1.0025 / 5, 6);
  expect(odds.faults['timed_out']).toBeCloseTo(0.0025 / 5, 6);
  expect(odds.roles, 'a role whose cost was never seen takes what the others do').toEqual({
    writer: {
      costUsd: { least: 0.1, typical: 0.25, most: 0.4 },
      ms: { least: 100, typical: 250, most: 400 },
    },
    reviewer: {
      costUsd: { least: 0.1, typical: 0.25, most: 0.4 },
      ms: { least: 50, typical: 60, most: 70 },
    },
  });
});

test('the peak of a skewed spread is where its mean comes out right, or at its end', () => {
  const times = [10, 10, 10, 10, 100].map((ms) => ({ from: 'write', signal: 'written', ms, costUsd: null }));
  const { odds } = oddsFromJournals(toy, [journal(times)]);
  expect(odds.roles['writer']).toEqual({ costUsd: null, ms: { least: 10, typical: 10, most: 100 } });
});

test('an advisor has costs and times of its own', () => {
  const call = { id: 'x#2', agent: 'codex', model: null, ms: 900, usage: { ...unknownUsage, costUsd: 4 } };
  const beside = { role: 'simplifier', call, problem: null };
  const { odds } = oddsFromJournals(advisedToy, [
    journal([{ from: 'review', signal: 'approved', ms: 50, costUsd: 1, beside }]),
  ]);
  expect(odds.roles).toMatchObject({
    reviewer: { costUsd: { typical: 1 }, ms: { typical: 50 } },
    simplifier: { costUsd: { typical: 4 }, ms: { typical: 900 } },
  });
});

interface Move {
  readonly from: string;
  readonly signal: string;
  readonly change?: Extract<Entry, { type: 'moved' }>['change'];
  readonly ms?: number;
  readonly costUsd?: number | null;
  readonly beside?: AdvisorEnd;
}

function journal(moves: readonly Move[]): readonly JournalRecord[] {
  return moves.map(({ from, signal, change = {}, ms, costUsd = null, beside }, index) => ({
    type: 'moved',
    from,
    signal,
    change,
    seq: index + 1,
    epoch: 1,
    at: new Date(index).toISOString(),
    ...(ms !== undefined && {
      dispatch: {
        id: `d${index}`,
        ms,
        usage: { inputTokens: null, outputTokens: null, costUsd },
        session: null,
        model: null,
        tree: 't',
        digest: 'd',
        ...(beside && { beside }),
      },
    }),
  }));
}
