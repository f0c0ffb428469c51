/** Real kills at every journal record, rename and spawn of a workflow of one's own, the example, before and after. */

import { describe, expect, test } from 'vitest';
import { disturbed, ownLifeCycle, wholeLife } from '../own/crash-scenarios.ts';
import { keepTidy } from '../own/docs-review.ts';
import { chosen, sampled } from './chosen.ts';

keepTidy();
const steps = await ownLifeCycle(wholeLife);

describe.each(steps)('$name', (step) => {
  test('runs undisturbed', () => {
    expect(step.undisturbed.remains.exitCode).toBe(step.exitCode);
  });

  test.concurrent.each(chosen(step.undisturbed.instants, 4))(
    `${sampled}: killed at $number, $what`,
    async (instant) => {
      const { found, wanted, said } = await disturbed(step, instant);
      expect(found, said).toEqual(wanted);
    },
  );
});
