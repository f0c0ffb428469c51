import { expect, test } from 'vitest';
import { CrashSimulation } from './crash-simulation.ts';
import { killEverywhere, losePowerEverywhere, sampled, seed } from './crashes.ts';
import { advisedLife } from './lives.ts';

const life = await advisedLife();
await killEverywhere(life, sampled);
await losePowerEverywhere(life, [seed], sampled);

test('both work at the same time, as one dispatch', async () => {
  const [start] = await new CrashSimulation(life).undisturbed();
  const records = start?.records ?? [];
  const reviews = records.filter((record) => record.type === 'dispatch.started' && record.step === 'review');
  expect(reviews).toHaveLength(2);
  for (const review of reviews) {
    const at = records.indexOf(review);
    const after = records.slice(at + 1, at + 4).map(({ type }) => type);
    expect(after).toEqual(['report.filed', 'report.filed', 'moved']);
  }
  expect(start?.remains.files).toMatchObject({
    '.pawl/docs-review/install/reports/003-review.md': expect.stringContaining('## simplifier: complex'),
  });
});
