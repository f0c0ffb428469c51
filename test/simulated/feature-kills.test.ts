import { expect, test } from 'vitest';
import { CrashSimulation } from './crash-simulation.ts';
import { killEverywhere } from './crashes.ts';
import { featureLife } from './lives.ts';

/** One of ten: every-crash.long.ts takes all. */
await killEverywhere(featureLife, 10);

test('[feature/crash] undisturbed, the life goes through all it is there for', async () => {
  const steps = await new CrashSimulation(featureLife).undisturbed();
  const ends = steps.map(({ command, remains }) => [command.name, remains.outcome]);
  expect(ends).toEqual([
    ['create', 'done'],
    ['specify', 'done'],
    ['create-tasks', 'done'],
    ['implement', 'needs_person'],
    ['answer findings: address', 'done'],
    ['address', 'done'],
    ['finish', 'needs_person'],
    ['answer finish: discard', 'done'],
    ['ask for the name', 'needs_person'],
    ['answer discard: 001-short-slugs', 'done'],
    ['discard', 'done'],
    ['back', 'done'],
  ]);
});
