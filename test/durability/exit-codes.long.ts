/** The pinned exit codes, each with a real command. */

import { beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/problem.ts';
import { challenge, config, implement, planned, propose, type ChangeRepository, type Turn } from '../change/scripts.ts';
import { copyOf, keepTidy, run, scratch, slowly, startUntil } from './at-work.ts';

keepTidy();

test('[change row 96] the exit codes are pinned', () => {
  expect(exitCodes).toEqual({
    done: 0,
    failed: 1,
    usage: 2,
    needs_person: 3,
    not_ready: 4,
    over_budget: 5,
    locked: 6,
    unavailable: 69,
    temporary: 75,
    interrupted: 130,
  });
});

let approved: ChangeRepository;

beforeAll(async () => {
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

interface Row {
  readonly code: number;
  readonly why: string;
  readonly outcome: string;
  /** Begins a new change with these turns; without them, the approved one is used. */
  readonly turns?: readonly Turn[];
  readonly settings?: string;
  readonly args: readonly string[];
}

const plan = ['change', 'plan', run, 'Greet people'];

const rows: readonly Row[] = [
  { code: 0, why: 'done', outcome: 'done', args: ['change', 'plan', run] },
  {
    code: 1,
    why: 'the agent failed as often as it may',
    outcome: 'failed',
    turns: [{ role: 'planner', fault: 'exit:7' }],
    settings: config.replace('[workflow]', '[workflow]\nscript_retries = 0'),
    args: plan,
  },
  { code: 2, why: 'usage', outcome: 'error', args: ['change', 'plan', 'No Such Id'] },
  {
    code: 3,
    why: 'a person is needed',
    outcome: 'needs_person',
    turns: [...planned.slice(0, 3), challenge('rejected')],
    args: plan,
  },
  {
    code: 75,
    why: 'a rate limit',
    outcome: 'temporary',
    turns: [{ role: 'planner', fault: 'rate_limited' }],
    args: plan,
  },
  { code: 4, why: 'refused by the state', outcome: 'not_ready', args: ['change', 'archive', run] },
  {
    code: 5,
    why: 'a run budget is spent',
    outcome: 'over_budget',
    turns: planned,
    settings: `${config}\n[budget]\ndispatches = 2\n`,
    args: plan,
  },
];

describe.concurrent('commands', () => {
  test.each(rows)('$code: $why', async ({ code, outcome, turns, settings, args }) => {
    const change = turns ? scratch(turns, settings) : copyOf(approved, planned);
    const ran = await change.pawl(...args, '--agent', 'scripted', '--script', change.scriptFile);
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.json).toMatchObject({ outcome, exitCode: code });
  });

  test('5: a larger budget resumes the run where it stopped', async () => {
    const change = scratch(planned, `${config}\n[budget]\ndispatches = 2\n`);
    expect((await change.change('plan', run, 'Greet people')).code).toBe(5);
    expect((await change.pawl('resume', run)).code).toBe(5);
    const ran = await change.pawl('resume', run, '--budget', 'dispatches=10');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.json['dispatches']).toHaveLength(4);
  });

  test('[change row 98] [session row 112] 6: another process works on it; 75: its lock was taken over; 130: interrupted', async () => {
    const change = scratch([slowly(propose())]);
    const work = await startUntil(change, plan, { step: 'propose' });
    expect((await change.change('plan', run)).code).toBe(6);
    const taker = await startUntil(change, ['change', 'plan', run, '--force'], {
      step: 'propose',
      more: () => work.child.exitCode !== null,
    });
    expect((await work.ended).code).toBe(75);
    taker.child.kill('SIGINT');
    expect((await taker.ended).code).toBe(130);
  });

  test('69: the agent cannot be used', async () => {
    const change = copyOf(approved, [...planned, implement()]);
    const ran = await change.pawl('change', 'impl', run, '--agent', 'claude');
    expect(ran.code, ran.stderr).toBe(69);
    expect(ran.json).toMatchObject({ outcome: 'unavailable', exitCode: 69, next: `pawl retry ${run} --agent <agent>` });
  });
});
