import { expect, test } from 'vitest';
import { workThrough, type BatchEnd, type BatchStop, type BatchWork } from './batch.ts';

/** Runs as they end; `told` has everything in the order in which it happened. */
function batchOf({
  untaken = [],
  unfinished = [],
  ready = [],
  ends = {},
  apart = {},
  stop = () => null,
}: {
  untaken?: readonly string[];
  unfinished?: readonly string[];
  ready?: readonly string[];
  ends?: Readonly<Record<string, BatchEnd['result']>>;
  apart?: Readonly<Record<string, string>>;
  stop?: (told: readonly string[]) => BatchStop | null;
}) {
  const told: string[] = [];
  const batch: BatchWork = {
    untaken: () => Promise.resolve(untaken),
    unfinished: () => Promise.resolve(unfinished),
    ready: () => ready,
    work: async (run, how) => {
      told.push(`${how} ${run}`);
      await new Promise((done) => setImmediate(done));
      told.push(`end ${run}`);
      return { result: ends[run] ?? 'done', message: '' };
    },
    takeOver: (run) => {
      told.push(`take ${run}`);
      return Promise.resolve(apart[run] ?? null);
    },
    stopped: () => stop(told),
  };
  return { batch, told };
}

const one = { jobs: 1, runs: 20 };

test('takes over what is done, resumes what was cut off, then begins what is ready, each once', async () => {
  const { batch, told } = batchOf({ untaken: ['a'], unfinished: ['b'], ready: ['b', 'c', 'd'], ends: { c: 'failed' } });
  const { entries, stopped } = await workThrough(batch, one);
  expect(told).toEqual(['take a', 'resume b', 'end b', 'take b', 'begin c', 'end c', 'begin d', 'end d', 'take d']);
  expect([entries.map(({ run, result }) => `${run} ${result}`), stopped]).toEqual([
    ['a done', 'b done', 'c failed', 'd done'],
    null,
  ]);
});

test('several at a time; one whose work does not fit stops no other', async () => {
  const { batch, told } = batchOf({ ready: ['a', 'b', 'c'], apart: { a: 'conflict' } });
  const { entries } = await workThrough(batch, { jobs: 2, runs: 20 });
  expect(told.slice(0, 2)).toEqual(['begin a', 'begin b']);
  expect(entries.map(({ run, apart }) => [run, apart])).toEqual([
    ['a', 'conflict'],
    ['b', null],
    ['c', null],
  ]);
});

test('begins nothing after a stop', async () => {
  const { batch, told } = batchOf({ ready: ['a', 'b'], stop: ({ length }) => (length > 0 ? 'interrupted' : null) });
  expect((await workThrough(batch, one)).stopped).toBe('interrupted');
  expect(told).toEqual(['begin a', 'end a', 'take a']);
});

test.each<[BatchStop | null, readonly string[], BatchEnd['result'], BatchStop | null]>([
  ['over_budget', ['a'], 'done', null],
  ['over_budget', ['a'], 'stopped', 'over_budget'],
  ['over_budget', ['a', 'b'], 'done', 'over_budget'],
  ['unavailable', ['a'], 'done', 'unavailable'],
  [null, ['a'], 'done', null],
  [null, ['a', 'b'], 'done', 'limit'],
])('%s, with %j to do, the first of which is %s: %s', async (reason, ready, result, stopped) => {
  const { batch } = batchOf({ ready, ends: { a: result }, stop: ({ length }) => (length > 0 ? reason : null) });
  expect((await workThrough(batch, { jobs: 1, runs: 1 })).stopped).toBe(stopped);
});
