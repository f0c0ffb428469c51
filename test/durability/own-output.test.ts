/** `pawl … > out.txt` inside the work tree: that file grows while agents work, and nobody is to blame for it. */

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { implemented, planned, program, propose, type ChangeRepository } from '../change/scripts.ts';
import { keepTidy, recordsOf, run, scratch, slowly, stateOf, until } from './at-work.ts';

keepTidy();

/** Runs a command with its output redirected into a file of the work tree, as a shell would. */
function redirected(
  { repository, scriptFile }: ChangeRepository,
  args: readonly string[],
  files: { readonly stdout: string; readonly stderr: string },
): { readonly ended: Promise<number | null>; kill(): void } {
  const flags = files.stdout === files.stderr ? 'a' : 'w';
  const outputs = [files.stdout, files.stderr].map((file) => openSync(join(repository.root, file), flags));
  const child = spawn(process.execPath, [program, ...args, '--agent', 'scripted', '--script', scriptFile], {
    cwd: repository.root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: repository.home,
      GIT_CONFIG_NOSYSTEM: '1',
      PAWL_TRUST: '1',
      PAWL_SANDBOX: 'off',
    },
    stdio: ['ignore', ...outputs],
  });
  for (const output of outputs) closeSync(output);
  return {
    ended: new Promise((resolve) => child.once('close', resolve)),
    kill: () => void child.kill('SIGKILL'),
  };
}

const both = { stdout: 'out.txt', stderr: 'out.txt' };

test.concurrent('O1: its own output neither breaches a read-only role nor voids an approval', async () => {
  const change = scratch([...planned, ...implemented]);
  expect(await redirected(change, ['change', 'plan', run, 'Greet'], both).ended).toBe(0);
  expect(change.repository.read('out.txt')).toContain('challenged');
  expect(await redirected(change, ['change', 'impl', run], both).ended).toBe(0);
  expect(stateOf(change)?.history.every(({ problem }) => problem === null)).toBe(true);
  const { diff } = (await change.pawl('diff', run)).json;
  expect(diff).toContain('src/1.1.mjs');
  expect(diff).not.toContain('out.txt');
  // O2: another command, whose output goes elsewhere, judges the same tree.
  const archived = await change.change('archive', run);
  expect(archived.code, archived.stderr).toBe(0);
  expect(change.repository.read('out.txt')).toContain('complete');
});

test.concurrent('O2: the same holds for a document that is written only at the end', async () => {
  const change = scratch([...planned, ...implemented]);
  const files = { stdout: 'result.json', stderr: 'progress.log' };
  expect(await redirected(change, ['change', 'plan', run, 'Greet', '--json'], files).ended).toBe(0);
  expect(await redirected(change, ['change', 'impl', run, '--json'], files).ended).toBe(0);
  expect(JSON.parse(change.repository.read('result.json'))).toMatchObject({ phase: 'complete' });
  const archived = await change.change('archive', run);
  expect(archived.code, archived.stderr).toBe(0);
});

test.concurrent('O1: a change of any other file still counts', async () => {
  const change = scratch([
    { ...propose(), write: { 'README.md': 'mine' } },
    { ...propose(), write: { 'a.txt': 'mine' } },
  ]);
  change.repository.write('agentd/config.toml', '[workflow]\nscript_retries = 0\n');
  expect(await redirected(change, ['change', 'plan', run, 'Greet'], both).ended).toBe(1);
  expect(stateOf(change)?.history.at(-1)).toMatchObject({
    signal: 'out_of_bounds',
    problem: expect.stringContaining('README.md'),
  });
  expect(stateOf(change)?.history.at(-1)?.problem).not.toContain('out.txt');
});

test.concurrent('O1: after a kill the file is not restored, and nobody is asked about it', async () => {
  const change = scratch([slowly(propose())]);
  const work = redirected(change, ['change', 'plan', run, 'Greet'], both);
  await until('the planner is at work', () => recordsOf(change).some(({ type }) => type === 'dispatch.started'));
  await until('it is told', () => change.repository.read('out.txt').includes('propose'));
  work.kill();
  await work.ended;
  const told = change.repository.read('out.txt');
  change.script(planned);
  expect(await redirected(change, ['change', 'plan', run], both).ended).toBe(0);
  expect(change.repository.read('out.txt').startsWith(told)).toBe(true);
});
