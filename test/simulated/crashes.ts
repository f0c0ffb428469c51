/** One test for each command of a life and each kind of crash; `PAWL_SEED` chooses other chances. */

import { describe, expect, test } from 'vitest';
import { CrashSimulation, everyKill, everyPowerLoss } from './crash-simulation.ts';
import type { SimulatedLife } from './simulated-run.ts';

export const seed = Number(process.env['PAWL_SEED'] ?? 1);

/** Outcomes of the commands that need no person: all others wait for one. */
export async function killEverywhere(life: SimulatedLife, stride = 1): Promise<void> {
  const simulation = new CrashSimulation(life);
  const steps = await simulation.undisturbed();

  describe.each(steps.map((step) => ({ ...step, name: step.command.name })))('$name', (step) => {
    const kills = everyKill(step, seed).filter(isTaken(stride));

    test(`killed at each of ${kills.length} instants, running it again gives the same result (seed ${seed})`, async () => {
      expect(await simulation.problemsAfter(step, kills)).toEqual([]);
    });

    test('writes no file of its control folder in place', () => {
      expect(simulation.writtenInPlace(step)).toEqual([]);
    });
  });
}

export async function losePowerEverywhere(life: SimulatedLife, seeds: readonly number[], stride = 1): Promise<void> {
  const simulation = new CrashSimulation(life);
  const steps = await simulation.undisturbed();

  test.each(steps.map((step) => ({ ...step, name: step.command.name })))(
    `$name: after any power loss, running it again gives the same result (seeds ${seeds.join(', ')})`,
    async (step) => {
      expect(await simulation.problemsAfter(step, everyPowerLoss(step, seeds).filter(isTaken(stride)))).toEqual([]);
    },
  );
}

/** One crash of each few, from a place that the seed chooses: `npm run test:crash` takes all (every-crash.long.ts). */
export const sampled = 3;

function isTaken(stride: number): (crash: unknown, index: number) => boolean {
  return (_, index) => index % stride === seed % stride;
}
