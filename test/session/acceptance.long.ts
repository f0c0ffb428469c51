/** Acceptance checks that really run, what only a person can say, and the project's own build. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked, type Result } from './played-session.ts';
import { Prepared } from './prepared.ts';
import {
  code,
  config,
  designed,
  docs,
  intakeLean,
  perBatch,
  plan,
  qa,
  release,
  report,
  review,
  running,
  security,
} from './scripts.ts';

const sessions: PlayedSession[] = [];
/** A lean session that waits for what only a person can see. */
let manual: Prepared;

beforeAll(async () => {
  const criterion = { id: 'AC-001', description: 'It is right', verify: ['manual: read it aloud'] };
  const turns = [intakeLean({}, [criterion]), code({ 'README.md': '# Better\n' }), review()];
  manual = await Prepared.make({ turns, answers: running, flags: ['--lean'] });
});

afterAll(() => {
  manual.remove();
  for (const { repository } of sessions) repository.remove();
});

/** A lean session that only changes documentation, with these checks. */
function lean(verify: readonly string[], settings = config): PlayedSession {
  const criterion = { id: 'AC-001', description: 'It is right', verify };
  const turns = [intakeLean({}, [criterion]), code({ 'README.md': '# Better\n' }), review()];
  const session = PlayedSession.create(turns, { 'pawl.toml': settings, 'probe.mjs': probe });
  sessions.push(session);
  return session;
}

/** Says what it was given, on both streams. */
const probe = 'console.log(JSON.stringify(process.argv.slice(2)));\nconsole.error("said on stderr");\n';

/** What the checks printed. */
function outputs(session: PlayedSession): string {
  const files = [...JSON.stringify(session.criteria).matchAll(/checks\/[\w./-]+/g)].map(([path]) => path);
  return files.map((path) => readFileSync(join(session.runFolder, path), 'utf8')).join('');
}

const redDetail = ({ json }: Result): string => json['decisions'][0]['detail'];

describe('cmd: checks', () => {
  test.concurrent('[session/integrate/argument-vector] [session/integrate/time-limit] [session/acceptance/waiver] quotes and shell characters stay literal; output of both streams is kept as evidence', async () => {
    const session = lean([String.raw`cmd: node probe.mjs 'a;b' "c d" '$HOME' "x|y" \> ''`]);
    const done = await session.start(running, ['--lean']);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(session.criteria[0]).toMatchObject({ status: 'met', evidence: expect.stringContaining('exit code 0') });
    expect(outputs(session)).toContain(JSON.stringify(['a;b', 'c d', '$HOME', 'x|y', '>', '']));
    expect(outputs(session)).toContain('said on stderr');
  });

  test.concurrent('[session/integrate/argument-vector] shell syntax is refused when it is filed; a shell may be named', async () => {
    const piped = lean(['cmd: node -e 0 | cat'], `${config}[session]\nretries = 0\n`);
    const named = lean(['cmd: sh -c \'test -n "$HOME"\'']);
    const [pipe, done] = await Promise.all([piped, named].map((each) => each.start(running, ['--lean'])));
    expect(pipe?.code).toBe(1);
    expect(piped.printed(1)).toMatch(/pipe of a shell/);
    expect([done?.code, done?.json['phase']], done?.stderr).toEqual([0, 'DONE']);
  });

  test.concurrent('[session/reading/unknown-check] [session/integrate/time-limit] a program that is not there, one that does not end, one that fails: red, each with what was seen', async () => {
    const session = lean(
      [
        'cmd: no-such-program --now',
        "cmd: node -e 'setTimeout(() => {}, 60000)'",
        "cmd: node -e 'console.log(`seven`); process.exit(7)'",
      ],
      `${config}[session]\ncheck_minutes = 0.005\nrepairs = 0\n`,
    );
    const asked = await session.start(running, ['--lean']);
    expect([asked.code, asked.json['phase']], asked.stderr).toEqual([3, 'ASK_USER']);
    expect(redDetail(asked)).toContain('there is no program no-such-program');
    expect(redDetail(asked)).toContain('took longer than 0.005 minutes');
    expect(redDetail(asked)).toMatch(/exit code 7, output in .*:\n +seven/);
    expect(session.status['last_ci_result']).toBe('red');
    expect(session.decision('UD-1')).toMatchObject({ state_context: 'INTEGRATE', status: 'pending' });
  });
});

describe('manual: checks', () => {
  test.concurrent('[session/integrate/manual] [session/done/criteria] asked; a waiver needs a reason and is evidence; an answer that says neither changes nothing', async () => {
    const session = manual.copy();
    expect(session.status['current_state']).toBe('ASK_USER');
    expect(session.decision('UD-1')).toMatchObject({
      question: 'AC-001 (It is right): read it aloud',
      state_context: 'INTEGRATE',
    });
    for (const words of ['waive', 'somehow']) expect((await session.answer('UD-1', words)).code, words).toBe(2);
    const done = await session.resume({ 'UD-1': 'waive: nobody has a voice today' });
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(session.criteria[0]).toMatchObject({
      status: 'waived',
      evidence: 'manual: read it aloud: waived by a person: nobody has a voice today',
    });
    expect(session.read('report.md')).toContain('**waived**');
  });

  test.concurrent('[session/integrate/manual] not met: the Coder mends it with the words of the person, it is reviewed, and asked again', async () => {
    const fix = { ...code({ 'README.md': '# Best\n' }), step: 'fix_build_code' };
    const session = manual.copy([fix, review()]);
    const again = await session.resume({ 'UD-1': 'not met: too long' });
    expect([again.code, again.json['phase']], again.stderr).toEqual([3, 'ASK_USER']);
    expect(worked(again, 3)).toEqual(['fix_build_code:reported', 'review:passed']);
    expect(JSON.stringify(session.inputOf('fix_build_code')['user_decisions'])).toContain('not met: too long');
    expect(session.decision('UD-1')).toMatchObject({ status: 'answered', answer: 'not met: too long' });
    const done = await session.resume({ 'UD-2': 'met' });
    expect([done.code, session.criteria[0]?.['status']]).toEqual([0, 'met']);
  });
});

test.concurrent('[session/table/integrate-red] [session/integrate/checks] a red build of pawl.toml: the Integrator hands over to the Coder, and everything is judged again', async () => {
  const settings = `${config}[session]\nci = ["node", "ci.mjs"]\n`;
  const handOver = {
    role: 'Integrator',
    step: 'fix_build',
    call: [report({ status: 'BLOCKED', summary: 'The code is wrong, not the build.' })],
  };
  const fix = { ...code({ 'src/T-001.mjs': 'export default 1;\n' }), step: 'fix_build_code' };
  const turns = [
    ...designed,
    plan(),
    code(),
    handOver,
    fix,
    review(),
    review(),
    review(),
    review(),
    qa(),
    qa(),
    security(),
    security(),
    docs(),
    release(),
  ];
  const files = { 'pawl.toml': settings, 'ci.mjs': "import one from './src/T-001.mjs';\nconsole.log('built', one);\n" };
  const session = PlayedSession.create(turns, files);
  sessions.push(session);
  const done = await session.start(perBatch);
  expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
  const steps = worked(done);
  const handed = steps.indexOf('fix_build:hand_over');
  expect(steps.slice(handed, handed + 4)).toEqual([
    'fix_build:hand_over',
    'fix_build_code:reported',
    'review:passed',
    'qa:passed',
  ]);
  const input = session.inputOf('fix_build_code');
  expect(input['integrator_says']).toBe('The code is wrong, not the build.');
  expect(input['to_fix']['summary']).toContain('ci: node ci.mjs');
  expect(input['repo_state']).toMatchObject({ branch: 'main', ci_status: 'red', last_failed_step: 'ci: node ci.mjs' });
  expect(session.status['last_ci_result']).toBe('green');
  expect(session.status['retry_counts']['meta']['FIX_BUILD']).toBe(1);
});
