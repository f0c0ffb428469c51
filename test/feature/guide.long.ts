/** docs/guides/feature.md does what it says. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { feature } from '../../src/workflows/feature/feature.ts';
import { featureSurface } from '../../src/workflows/feature/surface.ts';
import { FeatureRepository } from './played-feature.ts';

const guide = readFileSync(new URL('../../docs/guides/feature.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text.trimEnd().split('\n'));

test('every command of the trial runs, and ends as the guide says', async (context) => {
  const repository = FeatureRepository.for(context);
  const [, trial = []] = blocks;
  expect(trial.length).toBeGreaterThan(9);
  for (const line of trial) {
    const [command = '', comment = ''] = line.split(/ +#/);
    const [, ...args] = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const { code, stdout, stderr } = await repository.pawl(args);
    const [, wanted = '0'] = /exits with (\d+)/.exec(comment) ?? [];
    expect([line, code], stdout + stderr).toEqual([line, Number(wanted)]);
  }
  expect(repository.meta).toMatchObject({ currentPhase: 'verify', phases: { verify: { verified: true } } });
  expect(repository.meta['phases']['create-plan'].reviewerNotes).toHaveLength(1);
});

test('the first block names the verbs, in their order', () => {
  const verbs = featureSurface.verbs.filter(({ does }) => does === 'work').map(({ verb }) => verb);
  expect(blocks[0]?.map((line) => line.split(' ')[2])).toEqual(verbs);
});

test('the answers of finish are those of its question', () => {
  const state = feature.machine.states['ask_finish'];
  const answers = Object.keys(state?.on ?? {}).filter((signal) => !['withdrawn', 'abandoned'].includes(signal));
  for (const answer of answers) expect(guide).toContain(`| \`${answer}\` |`);
});
