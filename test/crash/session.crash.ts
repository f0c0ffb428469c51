/**
 * Real kills of the session workflow, over both bundled rehearsals: every journal record, rename and spawn, before and
 * after. Complete for every `pawl answer` and for commands of up to three dispatches, which are those around
 * the design, its approval and correction, the plan, and a lean session's task up to its question.
 * Commands with more dispatches are sampled: every record and rename up to their first report and from their last one
 * on, and one instant of every kind of the whole command.
 */

import { afterAll, describe, expect, test } from 'vitest';
import { chosen, sampled } from './chosen.ts';
import { casesOf, disturbed, lives, sessionLife } from './session-life.ts';

const both = [await sessionLife(lives.full), await sessionLife(lives.lean)];
afterAll(() => both.forEach(({ remove }) => remove()));

describe.each(both.flatMap(({ steps }) => steps))('$name', (step) => {
  test('runs undisturbed', () => {
    expect(step.undisturbed.remains.exitCode).toBe(step.exitCode);
    expect(step.facts.corrections.made).toBeLessThanOrEqual(step.facts.corrections.requested);
  });

  test.concurrent.each(chosen(casesOf(step), 3))(
    `[session/crash/kit] [session/answering/never-two-corrections] ${sampled}: killed at $number, $what`,
    async (instant) => {
      const { found, wanted, said } = await disturbed(step, instant);
      expect(found, said).toEqual(wanted);
    },
  );
});
