/** A stratified sample of kills over the example, for every test run; `npm run test:crash` runs all of them. */

import { describe, expect, test } from 'vitest';
import { stratifiedSample } from '../../src/testing/crash-kit.ts';
import { coarse, disturbed, ownLifeCycle, shortLife } from './crash-scenarios.ts';
import { keepTidy } from './docs-review.ts';

keepTidy();
const steps = await ownLifeCycle(shortLife);

describe.each(steps)('$name', (step) => {
  const { exitCode, undisturbed } = step;

  test('runs undisturbed', () => {
    expect(undisturbed.remains.exitCode).toBe(exitCode);
  });

  // The last instant of every kind: the first ones are much like those of every other workflow.
  const sample = stratifiedSample(coarse(undisturbed.instants.toReversed()), 1).filter((_, index) => index % 2 === 0);

  test.concurrent.each(sample)('killed at $number, $what', async (instant) => {
    const { found, wanted, said } = await disturbed(step, instant);
    expect(found, said).toEqual(wanted);
  });
});
