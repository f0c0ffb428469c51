/** The setup of a worktree and the notification run in boxes too: they execute code of the repository. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { challenge, issue, planned } from '../change/scripts.ts';
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
    expect(output).toMatch(/"write the workspace":"EROFS"/);
    expect(output).toMatch(/"read a private key":"ENOENT"/);
    expect(output).not.toContain(secret);
    expect(run.changed()).toEqual([]);
    expect(run.daemons()).toEqual([]);
  });
});
