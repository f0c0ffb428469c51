/** A stratified sample of the crash matrix, for every test run; `npm run test:crash` runs all of it. */

import { describe, expect, test } from 'vitest';
import { crashAt, stratifiedSample } from '../src/testing/crash-kit.ts';
import { lifeCycle } from './crash/life-cycle.ts';

/** Cases for each kind of instant and each command. */
const perKind = 1;
const steps = await lifeCycle();

describe.each(steps)('$name', ({ scenario, undisturbed }) => {
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

  test.concurrent.each(stratifiedSample(undisturbed.instants, perKind))('killed at $number, $what', async (instant) => {
    const { remains, repeated, alive, said } = await crashAt(scenario, instant);
    expect(remains, said).toEqual(undisturbed.remains);
    expect(repeated).toEqual([]);
    expect(alive).toEqual([]);
  });
});
