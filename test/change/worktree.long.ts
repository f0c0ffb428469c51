/** Changes that are worked on in a git worktree of their own, and how it is prepared. */

import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { dispatchMarker, markerOf } from '../../src/runtime/dispatch-marker.ts';
import type { Instant } from '../../src/testing/crash-kit.ts';
import { stratifiedSample } from '../crash/samples.ts';
import { findByMarker } from '../../src/workspace/processes.ts';
import { journalOf, repositoryFor } from './observed.ts';
import { appears } from './prepared.ts';
import { ChangeRepository, config, implemented, planned, type Turn } from './scripts.ts';

const hook = new URL('../../dist/crash-hook.js', import.meta.url).pathname;
const id = 'greet';
const secret = 'TOKEN=not-for-the-journal';

/** Leaves a mark beside the repository each time it runs; `fail` beside it makes it fail. */
const setup = `node -e "const fs=require('fs');fs.appendFileSync('../marks','x');console.log('setting up');process.exit(fs.existsSync('../fail')?7:0)"`;

const settings = (worktree: string, workflow = ''): string =>
  `${config.replace('[workflow]\n', `[workflow]\n${workflow}`)}\n[worktree]\n${worktree}\n`;

const prepared = settings(`setup = ['node', '-e', '''${setup.slice(9, -1)}''']\ncopy = [".env", "local/.npmrc"]`);

/** A project that ignores `.env`, which is there. */
function project(context: TestContext, turns: readonly Turn[] = [...planned, ...implemented], text = prepared) {
  const change = repositoryFor(context, turns, text);
  change.repository.write('.gitignore', '.env\nlocal/\n');
  change.repository.git('add', '--all');
  change.repository.git('commit', '--quiet', '--message=ignores');
  change.repository.write('.env', `${secret}\n`);
  chmodSync(join(change.repository.root, '.env'), 0o600);
  return change;
}

const worktreeOf = ({ repository }: ChangeRepository): string => join(repository.folder, `repo-change-${id}`);
const marks = ({ repository }: ChangeRepository): number => {
  const file = join(repository.folder, 'marks');
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
};
const plan = (change: ChangeRepository, ...flags: string[]) => change.change('plan', id, 'Greet by name', ...flags);

/** Every file of the run's folder, the shadow's objects included. */
function heldByRun({ repository }: ChangeRepository): string {
  const folder = repository.runFolder('change', id);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

test('[change/worktree/prepared] files are copied, the setup command runs once, before the first dispatch', async (context) => {
  const change = project(context);
  change.repository.write('local/.npmrc', 'audit=false\n');
  const ran = await plan(change, '--worktree');
  expect([ran.code, marks(change)]).toEqual([0, 1]);
  const copy = join(worktreeOf(change), '.env');
  expect(readFileSync(copy, 'utf8')).toBe(`${secret}\n`);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(worktreeOf(change), 'local/.npmrc'), 'utf8')).toBe('audit=false\n');
  expect(readFileSync(join(change.repository.runFolder('change', id), 'setup/output-1.log'), 'utf8')).toBe(
    'setting up\n',
  );
  expect(heldByRun(change)).not.toContain(secret);
  expect((await change.change('impl', id)).json['phase']).toBe('complete');
  expect(marks(change)).toBe(1);
  const { diff } = (await change.pawl('diff', id)).json;
  expect(diff).toContain('src/1.1.mjs');
  expect(diff).not.toContain('.env');
});

test('[change/worktree/config] [workflow] workspace = "worktree" does without the flag', async (context) => {
  const change = project(context, planned, settings('copy = [".env"]', 'workspace = "worktree"\n'));
  expect((await plan(change)).code).toBe(0);
  expect(existsSync(join(worktreeOf(change), '.env'))).toBe(true);
  expect(change.repository.exists(`agentd/changes/${id}`)).toBe(false);
  const wrong = project(context, planned, settings('', 'workspace = "elsewhere"\n'));
  const refused = await plan(wrong);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"in-place", "worktree"')]);
});

test('[change/worktree/copy-missing] a file that is not there is a warning; one that git does not ignore is named', async (context) => {
  const change = project(context, planned, settings('copy = [".env", "nowhere.txt", "seen.txt", "README.md"]'));
  change.repository.write('seen.txt', 'seen\n');
  change.repository.write('README.md', '# Not committed yet\n');
  const ran = await plan(change, '--worktree');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/nowhere\.txt is not copied/);
  expect(ran.stderr).toMatch(/does not ignore seen\.txt/);
  expect(ran.stderr).toMatch(/README\.md is committed: that version is used/);
  expect(ran.stderr).not.toMatch(/ignore \.env/);
  expect(readFileSync(join(worktreeOf(change), 'README.md'), 'utf8')).toBe('# Scratch\n');
  expect((await change.pawl('diff', id)).json['diff']).toBe('');
});

test('[change/worktree/copy-stays-inside] a path that leads outside is refused before anything is made', async (context) => {
  for (const path of ['../secret', '/etc/passwd', '.git/config', 'a/../../b', './x', '']) {
    const change = project(context, planned, settings(`copy = [${JSON.stringify(path)}]`));
    const ran = await plan(change, '--worktree');
    expect([ran.code, ran.json['diagnostics'][0].code], path).toEqual([2, 'InvalidDocument']);
    expect(ran.stderr).toMatch(/config\.toml:\d+: worktree\.copy is/);
    expect(existsSync(worktreeOf(change))).toBe(false);
  }
  const change = project(context, planned, settings('copy = ["link", "local/folder/x"]'));
  writeFileSync(join(change.repository.folder, 'outside'), secret);
  symlinkSync('../outside', join(change.repository.root, 'link'));
  const ran = await plan(change, '--worktree');
  expect([ran.code, ran.json['diagnostics'][0].code]).toEqual([2, 'UnsafePath']);
  expect([existsSync(worktreeOf(change)), existsSync(change.repository.runFolder('change', id))]).toEqual([
    false,
    false,
  ]);
});

test('a lock file without a setup is noticed; a setup that is added, and a new lock file, are followed', async (context) => {
  const change = project(context, [...planned, ...implemented], config);
  const { repository } = change;
  repository.write('package-lock.json', '{}\n');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=locked');
  const ran = await plan(change, '--worktree');
  expect([ran.code, marks(change)]).toEqual([0, 0]);
  expect(ran.stderr).toContain('[worktree] setup = ["npm", "ci"]');
  repository.write('agentd/config.toml', prepared);
  await change.change('impl', id);
  expect(marks(change)).toBe(1);
  writeFileSync(join(worktreeOf(change), 'package-lock.json'), '{ "lockfileVersion": 3 }\n');
  await change.change('impl', id);
  expect(marks(change)).toBe(2);
  await change.change('impl', id);
  expect(marks(change)).toBe(2);
});

test('[change/worktree/setup-fails] exit 1 names the output; the same command tries again and goes on', async (context) => {
  const change = project(context);
  const fail = join(change.repository.folder, 'fail');
  writeFileSync(fail, '');
  const failed = await plan(change, '--worktree');
  const output = join(change.repository.runFolder('change', id), 'setup/output-1.log');
  expect([failed.code, failed.json['diagnostics'][0]]).toMatchObject([1, { code: 'SetupFailed', target: output }]);
  expect(failed.stderr).toMatch(/exited with status 7.*\n\s*setting up\n/);
  expect(readFileSync(output, 'utf8')).toBe('setting up\n');
  expect(journalOf(change, id).map(({ type }) => type)).toEqual(['created']);
  for (const args of [['runs'], ['log', id], ['change', 'status', id], ['change', 'list'], ['diff', id]])
    expect((await change.pawl(...args)).code, args.join(' ')).toBe(0);
  expect((await change.change('impl', id)).code).toBe(4);
  expect(marks(change)).toBe(1);
  rmSync(fail);
  expect((await plan(change, '--worktree')).json['phase']).toBe('challenged');
  expect(marks(change)).toBe(2);
});

test('[change/worktree/setup-fails] a setup that does not end is killed after its timeout', async (context) => {
  const slow = settings('setup = ["node", "-e", "setInterval(() => {}, 1000)"]\ntimeout_minutes = 0.005');
  const change = project(context, planned, slow);
  const ran = await plan(change, '--worktree');
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('timed out after 0.005 minutes')]);
  const missing = project(context, planned, settings('setup = "no-such-program"'));
  expect((await plan(missing, '--worktree')).stderr).toMatch(/could not be started/);
});

/** A command whose setup does not end until there is a file `go`; returns once it waits. */
async function waitingForSetup(context: TestContext) {
  const waits = `node -e "require('fs').writeFileSync('../waiting', String(process.pid)); setInterval(() => {}, 1000)"`;
  const change = project(context, planned, settings(`setup = ['sh', '-c', '''test -e ../go || ${waits}''']`));
  let child: ChildProcess | undefined;
  const scripted = ['--agent', 'scripted', '--script', change.scriptFile, '--json'];
  const ended = change.repository.pawl(['change', 'plan', id, 'Greet', '--worktree', ...scripted], {
    onSpawn: (spawned) => (child = spawned),
  });
  await appears(join(change.repository.folder, 'waiting'));
  const mark = markerOf(change.repository.runFolder('change', id), '#setup');
  const alive = () => findByMarker(dispatchMarker, mark).length;
  expect(alive()).toBeGreaterThan(0);
  const goOn = () => {
    writeFileSync(join(change.repository.folder, 'go'), '');
    return change.change('plan', id, 'Greet');
  };
  return { change, ended, alive, goOn, kill: (signal: NodeJS.Signals) => child?.kill(signal) };
}

test('[change/worktree/setup-fails] Ctrl-C ends the setup, exits 130, and the same command goes on', async (context) => {
  const { change, ended, alive, goOn, kill } = await waitingForSetup(context);
  kill('SIGINT');
  const ran = await ended;
  expect([ran.code, JSON.parse(ran.stdout).diagnostics[0]]).toMatchObject([130, { code: 'Interrupted' }]);
  expect(alive()).toBe(0);
  for (const verb of ['cancel', 'undo', 'diff']) {
    const other = await change.pawl(verb, id);
    expect([0, 4], `${verb}: ${other.stderr}`).toContain(other.code);
  }
  expect((await goOn()).json['phase']).toBe('challenged');
});

test('[change/worktree/setup-fails] after Ctrl-C in the setup, resume delivers the command, too', async (context) => {
  const { change, ended, kill } = await waitingForSetup(context);
  kill('SIGINT');
  expect((await ended).code).toBe(130);
  writeFileSync(join(change.repository.folder, 'go'), '');
  const resumed = await change.pawl('resume', id);
  expect([resumed.code, resumed.json['phase']]).toEqual([0, 'challenged']);
});

test('[change/worktree/killed-while-preparing] nothing of a killed preparation runs on, and the next command repeats it', async (context) => {
  const { ended, alive, goOn, kill } = await waitingForSetup(context);
  kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  expect((await goOn()).json['phase']).toBe('challenged');
  expect(alive()).toBe(0);
});

test('[change/worktree/nothing-before-it-may-begin] a mistake makes no worktree', async (context) => {
  const change = project(context);
  expect((await change.change('plan', id, '--worktree')).code).toBe(2);
  const args = ['change', 'plan', id, 'Greet', '--worktree', '--agent', 'scripted', '--script', 'nowhere.yaml'];
  expect((await change.repository.pawl(args)).code).toBe(2);
  change.repository.git('branch', `change/${id}`);
  const taken = await plan(change, '--worktree');
  expect([taken.code, taken.json['diagnostics'][0].code]).toEqual([2, 'BranchExists']);
  expect(existsSync(worktreeOf(change))).toBe(false);
  expect(change.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});

describe('[change/worktree/killed-while-preparing]', async () => {
  const side = mkdtempSync(join(tmpdir(), 'pawl-worktree-'));
  afterAll(() => rmSync(side, { recursive: true, force: true, maxRetries: 5 }));
  const noDispatch = settings(prepared.slice(prepared.indexOf('setup ='), prepared.length), 'script_retries = 0\n');
  const make = (): ChangeRepository => {
    const change = ChangeRepository.create([{ role: 'planner', fault: 'exit:9' }], noDispatch);
    change.repository.write('.gitignore', '.env\n');
    change.repository.git('add', '--all');
    change.repository.git('commit', '--quiet', '--message=ignores');
    change.repository.write('.env', `${secret}\n`);
    return change;
  };
  const args = ['change', 'plan', id, 'Greet', '--worktree', '--agent', 'scripted', '--script', '../script.yaml'];
  const log = join(side, 'instants');
  const straight = make();
  const ran = await straight.repository.pawl(args, { node: ['--import', hook], env: { PAWL_CRASH_LOG: log } });
  const all = instantsIn(log);
  const preparing = all.slice(
    0,
    all.findIndex(({ what }) => what === 'before-record moved'),
  );

  test('the undisturbed run prepares, and its only dispatch fails', () => {
    expect([ran.code, marks(straight)]).toEqual([1, 1]);
    expect(preparing.some(({ what }) => what.includes('spawn'))).toBe(true);
    straight.repository.remove();
  });

  test.concurrent.each(stratifiedSample(preparing, 1).filter((_, index) => index % 2 === 0))(
    'killed at $number, $what',
    async ({ number }) => {
      const change = make();
      const crash = { node: ['--import', hook], env: { PAWL_CRASH_AT: String(number) } };
      const killed = await change.repository.pawl(args, crash);
      expect(killed.signal).toBe('SIGKILL');
      const stage = join(change.repository.runFolder('change', id), 'worktree-stage');
      const finished = existsSync(stage) && readFileSync(stage, 'utf8') === 'ready\n';
      const before = marks(change);
      const again = await change.repository.pawl(args);
      expect(again.code, again.stderr + again.stdout).toBe(1);
      expect(again.stderr + again.stdout).toContain('exited with status 9');
      if (finished) expect(marks(change)).toBe(before);
      else expect(marks(change)).toBeGreaterThan(before);
      expect(readFileSync(join(worktreeOf(change), '.env'), 'utf8')).toBe(`${secret}\n`);
      expect(change.repository.git('-C', worktreeOf(change), 'status', '--porcelain')).toBe('?? agentd/changes/\n');
      expect(change.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(2);
      change.repository.remove();
    },
  );
});

function instantsIn(file: string): Instant[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [number = '', ...what] = line.split(' ');
      return { number: Number(number), what: what.join(' ') };
    });
}

test('[trial 2 A7] a worktree that was removed and restored is prepared by the next command, before any work', async (context) => {
  const change = project(context);
  await plan(change, '--worktree');
  expect(marks(change)).toBe(1);
  rmSync(worktreeOf(change), { recursive: true });
  expect((await change.pawl('restore', id)).code).toBe(0);
  expect([marks(change), existsSync(join(worktreeOf(change), '.env'))]).toEqual([1, false]);
  const ended = await change.change('impl', id);
  expect([ended.code, marks(change)], ended.stderr).toEqual([0, 2]);
  expect(readFileSync(join(worktreeOf(change), '.env'), 'utf8')).toBe(`${secret}\n`);
});
