/** Real kills at every journal record, rename and spawn of the whole life cycle of a change, before and after. */

import { describe, expect, test } from 'vitest';
import { crashAt } from '../../src/testing/crash-kit.ts';
import { chosen, sampled } from './chosen.ts';
import { lifeCycle } from './life-cycle.ts';

const steps = await lifeCycle();

describe.each(steps)('[change row 85] $name', ({ scenario, undisturbed }) => {
  test('runs undisturbed', () => {
    expect(undisturbed.remains.exitCode).toBe(0);
  });

  test.concurrent.each(chosen(undisturbed.instants, 10))(`${sampled}: killed at $number, $what`, async (instant) => {
    const { remains, repeated, alive, said } = await crashAt(scenario, instant);
    expect(remains, said).toEqual(undisturbed.remains);
    expect(repeated).toEqual([]);
    expect(alive).toEqual([]);
  });
});
