/** A build that stays red: a person accepts it once, and the session comes to its end. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  code,
  config,
  designed,
  docs,
  intake,
  perBatch,
  plan,
  qa,
  release,
  review,
  security,
  task,
} from './scripts.ts';
import type { Turn } from './scripts.ts';

const fails = 'cmd: node src/broken.mjs';
const grows = 'cmd: node src/grow.mjs';
/** Never prints the same numbers; fails in another way once there is a page of documentation. */
const broken =
  "import { existsSync } from 'node:fs';\n" +
  "console.error(existsSync('docs/more.md') ? 'worse' : 'bad', Math.random());\nprocess.exit(1);\n";
const growing =
  "import { appendFileSync } from 'node:fs';\nappendFileSync('gen.txt', String(Math.random()) + '\\n');\n";
const once = { 'pawl.toml': `${config}[session]\nrepairs = 1\n`, 'src/broken.mjs': broken, 'src/grow.mjs': growing };
const criterion = { id: 'AC-001', description: 'The greeting is right', verify: [fails] };
const judged: readonly Turn[] = [code(), review(), qa(), review(), security()];
const mend: Turn = { role: 'Integrator', step: 'fix_build', call: [{ tool: 'report', args: done('Looked at it.') }] };
const released: readonly Turn[] = [docs(), release(), review()];

function done(summary: string) {
  return { status: 'OK', summary };
}

let red: Prepared;
let unstable: Prepared;

beforeAll(async () => {
  const [, architect] = designed;
  const checked = (check: string) => plan([task('T-001', { acceptance_checks: [check] })]);
  [red, unstable] = await Promise.all([
    Prepared.make({
      turns: [intake({}, [criterion]), architect ?? {}, checked(fails), ...judged, mend],
      files: once,
      answers: perBatch,
    }),
    Prepared.make({
      turns: [...designed, checked(grows), ...judged, review(), qa(), security(), mend],
      files: { ...once, 'pawl.toml': `${config}[session]\nrepairs = 2\n` },
      answers: perBatch,
    }),
  ]);
});

afterAll(() => {
  red.remove();
  unstable.remove();
});

describe('[session/table/accepted-build-ends] accept with known issues', () => {
  test.concurrent('[DEF-1] the session reaches DONE: asked once, one known issue, the criterion is waived', async () => {
    const session = red.copy([...released]);
    const ended = await session.resume({ 'UD-1': 'accept with known issues: it is only a sample' });
    expect([ended.code, ended.json['phase']], ended.stderr + ended.stdout).toEqual([0, 'DONE']);
    expect(session.decision('UD-2')).toBeUndefined();
    expect(session.status['known_issues']).toEqual([expect.stringMatching(/it is only a sample.*broken\.mjs/s)]);
    expect(session.criteria[0]).toMatchObject({ status: 'waived', evidence: expect.stringContaining('UD-1') });
    const report = session.read('report.md');
    expect(report.split('## Known issues')[1]).toContain('broken.mjs');
    expect(report).toContain('**waived**');
    expect(worked(ended).filter((step) => step.startsWith('docs:'))).toHaveLength(1);
    const signals = session.journal.filter(({ from }) => from === 'integrate' || from === 'verify_release');
    expect(signals.map(({ signal }) => signal)).toEqual(['red', 'red', 'red_accepted', 'red_accepted']);
  });

  test.concurrent('[DEF-1] a check that fails in another way is asked about again', async () => {
    const pages = docs({ 'docs/more.md': '# More\n' });
    const session = red.copy([pages, release(), review(), qa(), security(), docs({}), release(), review()]);
    const asked = await session.resume({ 'UD-1': 'accept' });
    expect([asked.code, asked.json['phase'], session.decision('UD-2')?.['status']]).toEqual([3, 'ASK_USER', 'pending']);
    const ended = await session.resume({ 'UD-2': 'accept' });
    expect([ended.code, ended.json['phase']], ended.stderr + ended.stdout).toEqual([0, 'DONE']);
    expect(session.decision('UD-3')).toBeUndefined();
  });
});

describe('[session/budgets/repairs-stopped] stopping at a spent repair budget', () => {
  test.concurrent.each(['defer', 'cancel', 'give up', 'stop', 'b', 'stop: not this week'])(
    '[DEF-16] %j: BLOCKED, no attempt is made, and resume asks again',
    async (words) => {
      const session = red.copy();
      const stopped = await session.resume({ 'UD-1': words });
      expect([stopped.code, stopped.json['phase']], stopped.stderr).toEqual([3, 'BLOCKED']);
      expect(worked(stopped).at(-1)).toBe('fix_build:reported');
      expect(session.decision('UD-1')).toMatchObject({ status: 'cancelled', answer: null });
      expect(session.status['blocked']).toMatchObject({ blocker: 'repairs_spent', way_out: expect.anything() });
      const again = await session.resume();
      expect([again.code, again.json['phase'], session.decision('UD-2')?.['status']]).toEqual([
        3,
        'ASK_USER',
        'pending',
      ]);
      expect(session.decision('UD-2')?.['question']).toBe(session.decision('UD-1')?.['question']);
    },
  );

  test.concurrent('[DEF-16] the words are shown as they were understood', async () => {
    const session = red.copy();
    const { json } = await session.answer('UD-1', 'give', 'up');
    expect(JSON.stringify(json)).toContain('stop here; resume asks again');
  });
});

describe('[session/review/checks-that-change-files] checks that change the same file whenever they run', () => {
  test.concurrent('[DEF-1b] somebody is sent to mend it, with the file named; accepted once, the session ends', async () => {
    const session = unstable.copy([review(), qa(), security(), ...released]);
    expect(session.inputOf('fix_build')['to_fix']['findings']).toEqual([
      { entry: 'gen.txt', status: 'changed', evidence: expect.stringContaining('gen.txt') },
    ]);
    const { json } = await session.pawl('session', 'status', session.run);
    expect(json['decisions'][0]['detail']).toContain('gen.txt');
    const ended = await session.resume({ 'UD-1': 'accept with known issues' });
    expect([ended.code, ended.json['phase']], ended.stderr + ended.stdout).toEqual([0, 'DONE']);
    expect(session.decision('UD-2')).toBeUndefined();
    expect(session.status['known_issues']).toHaveLength(1);
  });
});
