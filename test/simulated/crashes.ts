/** One test for each command of a life and each kind of crash; `PAWL_SEED` chooses other chances. */

import { describe, expect, test } from 'vitest';
import { CrashSimulation, everyKill, everyPowerLoss } from './crash-simulation.ts';
import type { SimulatedLife } from './simulated-run.ts';

export const seed = Number(process.env['PAWL_SEED'] ?? 1);

/** Outcomes of the commands that need no person: all others wait for one. */
export async function killEverywhere(life: SimulatedLife): Promise<void> {
  const simulation = new CrashSimulation(life);
  const steps = await simulation.undisturbed();

  describe.each(steps.map((step) => ({ ...step, name: step.command.name })))('$name', (step) => {
    const kills = everyKill(step, seed);

    test(`killed at each of ${kills.length} instants, it ends the same when it is run again (seed ${seed})`, async () => {
      expect(await simulation.problemsAfter(step, kills)).toEqual([]);
    });

    test('writes no file of its control folder in place', () => {
      expect(simulation.writtenInPlace(step)).toEqual([]);
    });
  });
}

export async function losePowerEverywhere(life: SimulatedLife, seeds: readonly number[]): Promise<void> {
  const simulation = new CrashSimulation(life);
  const steps = await simulation.undisturbed();

  test.each(steps.map((step) => ({ ...step, name: step.command.name })))(
    `$name: whatever a power loss takes, it ends the same when it is run again (seeds ${seeds.join(', ')})`,
    async (step) => {
      expect(await simulation.problemsAfter(step, everyPowerLoss(step, seeds))).toEqual([]);
    },
  );
}
