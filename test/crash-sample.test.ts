/** Samples of the crash matrix, for every test run; `npm run test:crash` runs all of it. */

import { afterAll, describe, expect, test } from 'vitest';
import { crashAt, stratifiedSample, type Instant } from '../src/testing/crash-kit.ts';
import { lifeCycle } from './crash/life-cycle.ts';
import { afterFirstCheck, aroundApproval, disturbed, lives, sessionLife } from './crash/session-life.ts';

const steps = await lifeCycle();
const samples = steps.map(({ undisturbed }) => stratifiedSample(undisturbed.instants, 1));
const kinds = [...new Set(samples.flat().map(({ what }) => what))];

/** Every kind of instant once: the commands that have it take turns. */
function sampleOf(position: number): readonly Instant[] {
  return (samples[position] ?? []).filter(({ what }) => {
    const having = [...samples.keys()].filter((each) => samples[each]?.some((instant) => instant.what === what));
    return having[kinds.indexOf(what) % having.length] === position;
  });
}

test('every kind of instant is in the sample once', () => {
  const sampled = steps.flatMap((_, position) => sampleOf(position).map(({ what }) => what));
  expect(sampled.toSorted()).toEqual(kinds.toSorted());
});

describe.each(steps.map((step, position) => ({ ...step, position })))(
  '$name',
  ({ scenario, undisturbed, position }) => {
    test('the undisturbed run succeeds, and has instants of every kind', () => {
      expect(undisturbed.remains.exitCode).toBe(0);
      const kinds = new Set(undisturbed.instants.map(({ what }) => what.split(' ')[0] ?? ''));
      expect([...kinds].toSorted()).toEqual([
        'after-record',
        'after-rename',
        'after-spawn',
        'before-record',
        'before-rename',
        'before-spawn',
        'torn-record',
      ]);
    });

    test.concurrent.each(sampleOf(position))('killed at $number, $what', async (instant) => {
      const { remains, repeated, alive, said } = await crashAt(scenario, instant);
      expect(remains, said).toEqual(undisturbed.remains);
      expect(repeated).toEqual([]);
      expect(alive).toEqual([]);
    });
  },
);

/** A session's design, sent back and approved: answers and corrections are what a kill must not lose or double. */
const session = await sessionLife(lives.full, ({ name }) => name.includes('design') || name.includes('changes'));
afterAll(session.remove);

describe.each(session.steps)('$name', (step) => {
  test('runs undisturbed', () => {
    expect(step.undisturbed.remains.exitCode).toBe(step.exitCode);
    expect(step.facts.corrections.requested).toBe(step.name === 'design' ? 0 : 1);
  });

  const cases = step.name === 'design' ? afterFirstCheck(step) : aroundApproval(step);
  test.concurrent.each(cases)('killed at $number, $what', async (instant) => {
    const { found, wanted, said } = await disturbed(step, instant);
    expect(found, said).toEqual(wanted);
  });
});
