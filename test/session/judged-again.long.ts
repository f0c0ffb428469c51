/** Code that somebody changes while a question waits, or a step is interrupted, is judged by every gate before it is accepted. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slowly, until } from '../durability/at-work.ts';
import { worked, type PlayedSession } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { code, closed, designed, docs, finding, perBatch, plan, qa, release, review } from './scripts.ts';
import { security, task, type Turn } from './scripts.ts';

const risky = plan([task('T-001', { risk_flags: ['security'], files_expected: ['src/auth.mjs'] })]);
const auth = code({ 'src/auth.mjs': 'export const open = true;\n' });
const decision = security('NEEDS_DECISION', [finding('medium')]);
let asking: Prepared;
let planned: Prepared;
let plannedPlain: Prepared;

/** Takes as long as there is a file beside the repository. */
const held = `import { existsSync } from 'node:fs';
const timer = setInterval(() => existsSync('../hold') || clearInterval(timer), 20);
`;

beforeAll(async () => {
  [plannedPlain, asking, planned] = await Promise.all([
    Prepared.planned(),
    Prepared.make({ turns: [...designed, risky, auth, review(), qa(), decision], answers: perBatch }),
    Prepared.planned([task('T-001', { risk_flags: ['security'], acceptance_checks: ['cmd: node src/held.mjs'] })], {
      'src/held.mjs': held,
    }),
  ]);
});

afterAll(() => {
  asking.remove();
  planned.remove();
  plannedPlain.remove();
});

const judges = (steps: readonly string[]) => steps.filter((step) => /^(?:review|qa|security):/.test(step));

test.concurrent('DEF-5: edited while Security’s question waits: review, QA and Security look at it again', async () => {
  const session = asking.copy([review(), qa(), security(), ...closed]);
  session.repository.write('src/auth.mjs', 'export const open = false;\n');
  const resumed = await session.resume({ 'UD-1': 'accept' });
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'DONE']);
  const first = ['review:passed', 'qa:passed', 'security:decision'];
  expect(judges(worked(resumed)).slice(0, 6)).toEqual([...first, 'review:passed', 'qa:passed', 'security:passed']);
});

test.concurrent('DEF-5: unchanged, their judgements stand: nobody is dispatched twice', async () => {
  const session = asking.copy(closed);
  const resumed = await session.resume({ 'UD-1': 'accept' });
  expect([resumed.code, resumed.json['phase']], resumed.stderr).toEqual([0, 'DONE']);
  expect(judges(worked(resumed)).slice(0, 4)).toEqual([
    'review:passed',
    'qa:passed',
    'security:decision',
    'review:passed',
  ]);
});

test.concurrent('DEF-5: edited before the first task: every gate looks at it with that task', async () => {
  const plain = plannedPlain.copy([code(), review(), qa(), security(), ...closed]);
  plain.repository.write('src/greet.mjs', 'export const greet = eval;\n');
  const done = await plain.resume(perBatch);
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  expect(judges(worked(done)).slice(0, 3)).toEqual(['review:passed', 'qa:passed', 'security:passed']);
});

/** Steps of a session, and what the agents play from there on once it was interrupted and edited. */
const interrupted: Readonly<
  Record<string, { before: readonly Turn[]; after: readonly Turn[]; checks: readonly string[] }>
> = {
  security: {
    before: [auth, review(), qa(), slowly(security())],
    after: [security(), review(), qa(), ...closed],
    checks: ['security:passed', 'review:passed', 'qa:passed', 'review:passed'],
  },
  integrate: {
    before: [auth, review(), qa(), security(), review()],
    after: [review(), qa(), security(), docs(), release(), review()],
    checks: ['review:passed', 'qa:passed', 'security:passed'],
  },
  docs: {
    before: [auth, review(), qa(), security(), review(), slowly(docs())],
    after: [review(), qa(), security(), docs(), release(), review()],
    checks: ['review:passed', 'qa:passed', 'security:passed'],
  },
};

function isAt(session: PlayedSession, step: string): boolean {
  const checks = join(session.runFolder, 'checks');
  if (step === 'integrate') return existsSync(checks) && readdirSync(checks).some((name) => name.includes(step));
  const { type, step: at } = session.journal.at(-1) ?? {};
  return type === 'dispatch.started' && at === step;
}

describe('[session/review/edited-while-interrupted] code that is edited while a step is interrupted', () => {
  // After a kill, what a writer changed last cannot be told from what somebody edited at once: see cut-off.ts.
  const ways = [
    ['security', 'SIGINT'],
    ['security', 'SIGKILL'],
    ['integrate', 'SIGINT'],
    ['integrate', 'SIGKILL'],
    ['docs', 'SIGINT'],
  ] as const;
  test.concurrent.each(ways)('[H3] %s, %s: every gate judges it again', async (step, signal) => {
    const { before, after, checks } = interrupted[step] ?? { before: [], after: [], checks: [] };
    const session = planned.copy(before);
    if (step === 'integrate') session.repository.write('../hold', '');
    let stop = (): unknown => undefined;
    const args = ['session', 'resume', session.run, ...session.scripted, ...session.answersFlag(perBatch)];
    const ended = session.repository.pawl(args, { onSpawn: (child) => (stop = () => child.kill(signal)) });
    await until(`the session is at ${step}`, () => isAt(session, step));
    stop();
    await ended;
    if (step === 'integrate') rmSync(join(session.repository.folder, 'hold'));
    session.repository.write('src/auth.mjs', 'export const open = false;\n');
    const done = before.filter((turn) => !('sleep_ms' in turn));
    session.script([...designed, plan(), ...done, ...after]);
    const resumed = await session.resume({}, '--edits', 'keep');
    expect([resumed.code, resumed.json['phase']], resumed.stderr + resumed.stdout).toEqual([0, 'DONE']);
    const judged = judges(worked(resumed)).slice(
      before.filter((turn) => isJudge(turn) && !('sleep_ms' in turn)).length,
    );
    expect(judged.slice(0, checks.length)).toEqual(checks);
  });
});

test('[S1] a design that is edited while checks run is approved again before anybody works on', async () => {
  const session = planned.copy([auth, review(), qa(), security(), review(), docs(), release(), review()]);
  session.repository.write('../hold', '');
  const args = ['session', 'resume', session.run, ...session.scripted, ...session.answersFlag(perBatch)];
  const ended = session.repository.pawl(args, { onSpawn: () => undefined });
  await until('the checks run', () => isAt(session, 'integrate'));
  const design = `.agents-work/${session.run}/architecture.md`;
  session.repository.write(design, `${session.repository.read(design)}\nEverything is cached.\n`);
  rmSync(join(session.repository.folder, 'hold'));
  const blocked = await ended;
  expect([blocked.code, blocked.stdout + blocked.stderr]).toEqual([
    3,
    expect.stringContaining('not what was approved'),
  ]);
  expect(session.journal.filter(({ type, step }) => type === 'dispatch.started' && step === 'docs')).toEqual([]);
  const asked = await session.resume();
  expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining('UD-APPROVE-DESIGN')]);
});

const isJudge = ({ role }: Turn): boolean => ['Reviewer', 'QA', 'Security'].includes(String(role));
