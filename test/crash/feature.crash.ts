/** Real kills of the feature workflow, over its bundled rehearsal and both ways to its end. */

import { afterAll, describe, expect, test } from 'vitest';
import { chosen, sampled } from './chosen.ts';
import { casesOf, disturbed, featureLife } from './feature-life.ts';

const life = await featureLife();
afterAll(() => life.remove());

/** Of each command. */
const sampleSize = 4;

describe.each(life.steps)('$name', (step) => {
  test('[feature/rehearsal] runs undisturbed', () => {
    expect(step.undisturbed.remains.exitCode).toBe(0);
  });

  test.concurrent.each(chosen(casesOf(step), sampleSize))(
    `[feature/crash] [feature/loop/crash] [feature/finish/resume] ${sampled}: killed at $number, $what`,
    async (instant) => {
      const { found, wanted, said } = await disturbed(step, instant);
      expect(found, said).toEqual(wanted);
    },
  );
});
