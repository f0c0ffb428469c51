/** What comes before every review and every challenge, and what was approved, is looked at again before a repeated one. */

import { beforeAll, describe, expect, test } from 'vitest';
import { challenge, config, implement, listTasks, planned, propose, review, specify } from '../change/scripts.ts';
import type { ChangeRepository, Turn } from '../change/scripts.ts';
import { copyOf, folder, keepTidy, killAll, recordsOf, run, scratch, slowly, startUntil } from './at-work.ts';

/** Fails once a file says so. */
const settings = config.replace('"-e", "0"', '"check.mjs"').replace('[workflow]', '[workflow]\nscript_retries = 1');
const check =
  "import { readFileSync } from 'node:fs';\nprocess.exit(/broken/.test(readFileSync('src/1.1.mjs')) ? 1 : 0);\n";

let approved: ChangeRepository;
keepTidy();
beforeAll(async () => {
  approved = scratch(planned, settings);
  approved.repository.write('check.mjs', check);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

type Ended = Awaited<ReturnType<ChangeRepository['change']>>;

/** How a step is left before it has ended, and how the run goes on. */
const ways: Readonly<
  Record<string, (change: ChangeRepository, args: readonly string[]) => Promise<() => Promise<Ended>>>
> = {
  'Ctrl-C, then the same command': async (change, args) => {
    const work = await startUntil(change, ['change', ...args], { step: stepOf(args) });
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    return () => change.change(...args);
  },
  'Ctrl-C, then resume': async (change, args) => {
    const work = await startUntil(change, ['change', ...args], { step: stepOf(args) });
    work.child.kill('SIGINT');
    expect((await work.ended).code).toBe(130);
    return () => change.pawl('resume', run, '--agent', 'scripted', '--script', change.scriptFile);
  },
  'cancel, then retry': async (change, args) => {
    const work = await startUntil(change, ['change', ...args], { step: stepOf(args) });
    expect((await change.pawl('cancel', run)).code).toBe(0);
    expect((await work.ended).code).toBe(130);
    return () => change.pawl('retry', run, '--agent', 'scripted', '--script', change.scriptFile);
  },
  'kill -9, then the same command with --edits keep': async (change, args) => {
    const work = await startUntil(change, ['change', ...args], { step: stepOf(args) });
    await killAll(change, work);
    return () => change.change(...args, '--edits', 'keep');
  },
};
const stepOf = ([verb]: readonly string[]) => (verb === 'impl' ? 'review' : 'challenge');
const table = Object.entries(ways);

const signalsOf = (change: ChangeRepository, state: string): string[] =>
  recordsOf(change).flatMap((record) => (record.type === 'moved' && record.from === state ? [record.signal] : []));

describe.concurrent('[change/checks/before-every-review] code that was broken while the review was interrupted', () => {
  test.each(table)('D1: %s: the checks run again, and an approval is refused', async (_, leave) => {
    const change = copyOf(approved, [...planned, implement(), slowly(review('APPROVED'))]);
    const goOn = await leave(change, ['impl', run]);
    change.repository.write('src/1.1.mjs', 'broken\n');
    const approvals: Turn[] = [review('APPROVED'), review('APPROVED'), review('APPROVED')];
    change.script([...planned, implement(), ...approvals]);
    const { code, json } = await goOn();
    expect([code, json['phase']]).toEqual([1, 'implementing']);
    expect(json['diagnostics'][0].message).toMatch(/refused: An approval is not possible while a required check fails/);
    // Once before the interruption, and before each of the two attempts behind it.
    expect(signalsOf(change, 'run_checks')).toEqual(['ran', 'ran', 'ran']);
  });
});

test('D1: [change/checks/before-every-review] what a reviewer changes is put back, and checked before the next attempt', async () => {
  const breaks = { ...review('APPROVED'), write: { 'src/1.1.mjs': 'broken\n' } };
  const change = copyOf(approved, [...planned, implement(), breaks, review('APPROVED')]);
  const { code, json } = await change.change('impl', run);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  expect(signalsOf(change, 'review')).toEqual(['out_of_bounds', 'approved']);
  expect(change.repository.read('src/1.1.mjs')).not.toBe('broken\n');
  expect(signalsOf(change, 'run_checks')).toEqual(['ran', 'ran']);
});

describe.concurrent('[change/planning/validated-before-every-challenge] a plan that was broken while the challenge was interrupted', () => {
  test.each(table)('D2: %s: it is validated again, and repaired', async (_, leave) => {
    const generated = [propose(), specify(), listTasks()];
    const change = scratch([...generated, slowly(challenge('approved'))], settings);
    const goOn = await leave(change, ['plan', run, 'Greet people']);
    const path = `${folder}/specs/greeting.md`;
    change.repository.write(path, change.repository.read(path).replace(/\*\*WHEN\*\*.*\n/, ''));
    change.script([...generated, { ...specify(), step: 'repair' }, challenge('approved')]);
    const { code, json } = await goOn();
    expect([code, json['phase']]).toEqual([0, 'challenged']);
    expect(signalsOf(change, 'validate')).toEqual(['valid', 'invalid', 'valid']);
  });
});

describe.concurrent('[change/approval/impl-refuses-edited-plan] a plan that was edited while its review was interrupted', () => {
  const { 'cancel, then retry': _, ...others } = ways;
  test.each(Object.entries(others))('%s: refused until a person accepts the edit', async (_name, leave) => {
    const change = copyOf(approved, [...planned, implement(), slowly(review('APPROVED'))]);
    const goOn = await leave(change, ['impl', run]);
    const path = `${folder}/specs/greeting.md`;
    change.repository.write(path, `${change.repository.read(path)}\nAnd politely.\n`);
    change.script([...planned, implement(), review('APPROVED')]);
    const { code, json } = await goOn();
    expect([code, json['phase']]).toEqual([4, 'implementing']);
    expect(json['diagnostics'][0].message).toContain('the plan was edited after it was approved');
    expect([signalsOf(change, 'review'), signalsOf(change, 'reconfirm_plan')]).toEqual([['repeated'], ['edited']]);
    const accepted = await change.change('impl', run, '--accept-edits');
    expect([accepted.code, accepted.json['phase']]).toEqual([0, 'complete']);
  });
});
