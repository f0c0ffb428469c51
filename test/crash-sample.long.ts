/**
 * Every kind of instant once, with a real SIGKILL, for every test run. `test/simulated` has all instants in one process;
 * `npm run test:crash` kills for real at many more, with `-- --all` at every one.
 */

import { describe, expect, test } from 'vitest';
import { crashAt, type Instant } from '../src/testing/crash-kit.ts';
import { stratifiedSample } from './crash/samples.ts';
import { lifeCycle } from './crash/life-cycle.ts';

const steps = await lifeCycle();
const samples = steps.map(({ undisturbed }) => stratifiedSample(undisturbed.instants.map(byKind), 1));
const kinds = [...new Set(samples.flat().map(({ what }) => what))];

/** Without what tells files and programs apart. */
function byKind({ number, what }: Instant): Instant {
  const [when = '', detail = ''] = what.split(' ');
  return { number, what: when.endsWith('record') ? `${when} ${detail}`.trim() : when };
}

/** Every kind once: the commands that have it take turns. */
function sampleOf(position: number): readonly Instant[] {
  return (samples[position] ?? []).filter(({ what }) => {
    const having = [...samples.keys()].filter((each) => samples[each]?.some((instant) => instant.what === what));
    return having[kinds.indexOf(what) % having.length] === position;
  });
}

test('every kind of instant is in the sample once', () => {
  const sampled = steps.flatMap((_, position) => sampleOf(position).map(({ what }) => what));
  expect(sampled.toSorted()).toEqual(kinds.toSorted());
  expect(kinds.toSorted()).toEqual([
    'after-record',
    'after-rename',
    'after-spawn',
    'before-record created',
    'before-record dispatch.started',
    'before-record moved',
    'before-record report.filed',
    'before-rename',
    'before-spawn',
    'torn-record created',
    'torn-record dispatch.started',
    'torn-record moved',
    'torn-record report.filed',
  ]);
});

describe.each(steps.map((step, position) => ({ ...step, position })))(
  '$name',
  ({ scenario, undisturbed, position }) => {
    test('runs undisturbed', () => {
      expect(undisturbed.remains.exitCode).toBe(0);
    });

    test.concurrent.each(sampleOf(position))('killed at $number, $what', async (instant) => {
      const { remains, repeated, alive, said } = await crashAt(scenario, instant);
      expect(remains, said).toEqual(undisturbed.remains);
      expect(repeated).toEqual([]);
      expect(alive).toEqual([]);
    });
  },
);
