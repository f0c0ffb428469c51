/** Which instants of a command are killed for real: all of them with `npm run test:crash -- --all`, else a sample. */

import type { Instant } from '../../src/testing/crash-kit.ts';
import { seededSample } from './samples.ts';

const all = process.env['PAWL_CRASHES'] === 'all';
const dayMs = 24 * 60 * 60 * 1000;

/** Another one every day, so that the samples of many days come to the whole; `PAWL_SEED` repeats one. */
const seed = Number(process.env['PAWL_SEED'] ?? Math.floor(Date.now() / dayMs));

/** For the titles of tests: what it takes to see the same again. */
export const sampled = all ? 'every instant' : `sample ${seed}`;

export function chosen(instants: readonly Instant[], many: number): readonly Instant[] {
  return all ? instants : seededSample(instants, many, seed);
}
