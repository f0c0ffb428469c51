/** Setup of a worktree, notification and acceptance checks run in boxes too: they execute code of the repository. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { challenge, ChangeRepository, issue, planned } from '../change/scripts.ts';
import { PlayedSession } from '../session/played-session.ts';
import { code, intakeLean, review, task } from '../session/scripts.ts';
import { HostileRun, levelHere, secret } from './hostile-run.ts';

const { level, problem } = levelHere();
const isMissing = level !== 'files+network' && process.env['CI'] !== 'true';
const runs: HostileRun[] = [];
afterEach(() => runs.splice(0).forEach((run) => run.close()));

const attack = '["node", "FOLDER/attack/attack.mjs"]';

async function begin(settings: string): Promise<HostileRun> {
  const run = await HostileRun.create('this user', settings);
  runs.push(run);
  const { repository } = run;
  repository.write('pawl.toml', repository.read('pawl.toml').replaceAll('FOLDER', repository.folder));
  repository.git('commit', '--quiet', '--all', '--message=settings');
  return run;
}

/** What a command printed, as a file of the run's folder. */
function printed(run: HostileRun, file: string): string {
  const path = join(run.repository.runFolder('change', 'greet'), file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe.skipIf(isMissing)(`commands in boxes (needs files+network; here: ${level}, ${problem ?? 'complete'})`, () => {
  test('[worktree] setup reaches neither the checkout it was begun from nor anything outside', async () => {
    const run = await begin(`[worktree]\nsetup = ${attack}\n`);
    // Its own commit is not among what is watched.
    run.watchAgain();
    const plan = await run.change('plan', 'Greet people by name', '--worktree');
    expect(plan.code, plan.stderr + plan.stdout).toBe(0);
    const output = printed(run, 'setup/output-1.log');
    expect(output).toMatch(/"write the workspace":"(?:ENOENT|EROFS)"/);
    expect(output).toMatch(/"write a hook":"EROFS"/);
    expect(output).toMatch(/"reach a server of this computer":"ECONNREFUSED"/);
    expect(output).not.toContain(secret);
    expect(run.repository.exists('src/planted.mjs')).toBe(false);
    expect(run.changed()).toEqual([]);
    expect(run.daemons()).toEqual([]);
  });

  test('audit 12.1: checks that Pawl finds by itself need no trust in a box', async () => {
    const { repository } = ChangeRepository.create(planned, '');
    repository.write('package.json', JSON.stringify({ scripts: { test: 'true' } }));
    const plan = ['change', 'plan', 'greet', 'Greet people by name', '--agent', 'scripted'];
    const unboxed = await repository.pawl(plan, { env: { PAWL_TRUST: '' } });
    expect([unboxed.code, unboxed.stderr]).toEqual([3, expect.stringContaining('npm test')]);
    const boxed = await repository.pawl(plan, { env: { PAWL_TRUST: '', PAWL_SANDBOX: '' } });
    expect(boxed.code, boxed.stderr).toBe(0);
    repository.remove();
  });

  test('notify writes nothing at all', async () => {
    const run = await begin(`notify = ${attack}\n`);
    const { repository } = run;
    repository.write(
      'pawl.toml',
      repository.read('pawl.toml').replace('[change]', '[change]\nplanning_iterations = 0'),
    );
    repository.git('commit', '--quiet', '--all', '--message=settings');
    run.watchAgain();
    const turns = [...planned.slice(0, -1), challenge('needs_revision', [issue])];
    writeFileSync(join(repository.folder, 'turns.yaml'), stringify(turns));
    const plan = await run.change('plan', 'Greet people by name');
    expect(plan.code, plan.stderr + plan.stdout).toBe(3);
    const output = printed(run, 'notify/stdout.log');
    // It is not in the repository, so it sees nothing of it.
    expect(output).toMatch(/"write the workspace":"ENOENT"/);
    expect(output).toMatch(/"read a private key":"ENOENT"/);
    expect(output).not.toContain(secret);
    expect(run.changed()).toEqual([]);
    expect(run.daemons()).toEqual([]);
  });

  test('attack 3.18: a command that an agent proposed runs unasked, and reaches nothing outside', async () => {
    const verify = [`cmd: sh -cx 'touch ../stolen; echo it ran'`];
    const criterion = { id: 'AC-001', description: 'It is right', verify };
    const plan = intakeLean({}, [criterion], [task('T-001', { acceptance_checks: verify })]);
    const session = PlayedSession.create([plan, code({ 'README.md': '# Better\n' }), review()]);
    const start = ['session', 'start', 'Greet people by name', '--lean', ...session.scripted];
    const done = await session.ran(start, { env: { PAWL_SANDBOX: '' } });
    session.run = String(done.json['run']);
    expect([done.code, done.json['phase']], done.stderr).toEqual([0, 'DONE']);
    expect(session.status['user_decisions']).toEqual([]);
    expect(existsSync(join(session.repository.folder, 'stolen'))).toBe(false);
    const [, log = ''] = /output in (\S+?)\)/.exec(JSON.stringify(session.criteria)) ?? [];
    expect(session.repository.read(log)).toContain('it ran');
    session.repository.remove();
  });
});
