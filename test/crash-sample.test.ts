/** A stratified sample of the crash matrix, for every test run; `npm run test:crash` runs all of it. */

import { describe, expect, test } from 'vitest';
import { crashAt, stratifiedSample } from '../src/testing/crash-kit.ts';
import { lifeCycle } from './crash/life-cycle.ts';

/** Cases for each kind of instant; each command takes every third kind, so that three commands have them all. */
const perKind = 1;
const steps = (await lifeCycle()).map((step, position) => ({ ...step, position }));

describe.each(steps)('$name', ({ scenario, undisturbed, position }) => {
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

  const sample = stratifiedSample(undisturbed.instants, perKind).filter((_, index) => (index + position) % 3 === 0);

  test.concurrent.each(sample)('killed at $number, $what', async (instant) => {
    const { remains, repeated, alive, said } = await crashAt(scenario, instant);
    expect(remains, said).toEqual(undisturbed.remains);
    expect(repeated).toEqual([]);
    expect(alive).toEqual([]);
  });
});
