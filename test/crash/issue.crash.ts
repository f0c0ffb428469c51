/** Real kills of the issue workflow, over its bundled rehearsal: journal records, renames and spawns, before and after. */

import { afterAll, expect, test } from 'vitest';
import { chosen, sampled } from './chosen.ts';
import { disturbed, issueLife } from './issue-life.ts';

const life = await issueLife();
afterAll(() => life.remove());

test('[issue/rehearsal] the rehearsal runs undisturbed, with a commit of stubs, one of code and one of issues', () => {
  expect(life.undisturbed.remains.exitCode).toBe(0);
  expect(life.undisturbed.remains.commits.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'chore(todo): close GAL-1',
    'feat: implement limitSlug',
    'feat: scaffold limitSlug with stubs',
    'start',
  ]);
});

/** The last record is there, and what it writes is not. */
const atTheEnd = life.undisturbed.instants
  .filter(({ what }) => what === 'before-rename run-GAL-1/summary.md')
  .slice(-1);

test.concurrent.each([...new Set([...chosen(life.undisturbed.instants, 10), ...atTheEnd])])(
  `[issue/crash] ${sampled}: killed at $number, $what`,
  async (instant) => {
    const { found, wanted, said } = await disturbed(life, instant);
    expect(found, said).toEqual(wanted);
  },
);
