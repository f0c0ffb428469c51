/** A check that merges the branch of its run and removes its worktree: the real program in a real repository. */

import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Delivery } from '../committing/committing-workflow.ts';
import { levelHere } from '../sandbox/hostile-run.ts';

const made: Delivery[] = [];
afterEach(() => made.splice(0).forEach(({ repository }) => repository.remove()));

const land = `
        const merged = await git.landing.merge({ branch: 'deliver/' + run, into: 'main' });
        const order = { branch: 'deliver/' + run, lose: false, except: ['.pawl'] };
        const removed = merged.kind === 'refused' ? merged : await git.landing.remove(order);
        return { signal: { name: removed.kind === 'removed' ? 'good' : 'bad' }, notes: [JSON.stringify({ merged, removed })] };`;

function delivery(options: ConstructorParameters<typeof Delivery>[0] = {}): Delivery {
  const one = new Delivery({ land, ...options });
  made.push(one);
  return one;
}

/** In a worktree of its own, in which the command itself is started. */
function start(one: Delivery, env = {}) {
  one.git('worktree', 'add', '--quiet', '-b', 'deliver/first', worktreeOf(one));
  return one.start('first', { 'src/a.txt': 'two\n' }, env, worktreeOf(one));
}

const worktreeOf = ({ repository }: Delivery): string => `${repository.root}-deliver-first`;

function expectLanded(one: Delivery): void {
  expect(existsSync(worktreeOf(one))).toBe(false);
  expect(one.git('branch', '--format=%(refname:short)')).toBe('main');
  expect(one.git('log', '-1', '--format=%s')).toBe('feat: first');
  expect(one.repository.read('src/a.txt')).toBe('two\n');
  expect(one.git('worktree', 'list').split('\n')).toHaveLength(1);
}

test('a run that removes its worktree ends well and leaves no folder', async () => {
  const one = delivery();
  const ended = await start(one);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expectLanded(one);
  expect(ended.stdout + ended.stderr).not.toContain('git worktree remove');
  // Commands on it later make no folder either.
  const status = await one.pawl(['deliver', 'status', 'first', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ phase: 'good', problems: [] });
  await one.pawl(['resume', 'first', '--no-input']);
  expect((await one.pawl(['undo', 'first'])).stderr).toContain('has removed its worktree');
  expectLanded(one);
});

/** A `git` that kills Pawl after a command of a name. */
function deadlyGit(one: Delivery, word: string): Readonly<Record<string, string>> {
  const bin = join(one.repository.folder, 'bin');
  const real = (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, 'git'))
    .find((file) => existsSync(file));
  const isIt = `[ -e ${worktreeOf(one)} ] || printf '%s\\n' "$@" | grep -q '^${word}$'`;
  one.repository.write(
    '../bin/git',
    `#!/bin/sh\n{ ${isIt}; } && [ ! -e ${worktreeOf(one)} ] || exec ${real} "$@"\n${real} "$@" > /dev/null; kill -9 $PPID\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  return { PATH: `${bin}:${process.env['PATH']}` };
}

describe.each(['remove', '-d'])('killed after git %s, with its worktree gone', (word) => {
  const killed = async (): Promise<Delivery> => {
    const one = delivery();
    const { signal, stdout, stderr } = await start(one, deadlyGit(one, word));
    expect(signal, stdout + stderr).toBe('SIGKILL');
    expect(existsSync(worktreeOf(one))).toBe(false);
    return one;
  };

  test('the run goes on', async () => {
    const one = await killed();
    const ended = await one.pawl(['resume', 'first', '--no-input']);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expectLanded(one);
  });

  test('status says how; restore does not make the worktree anew; abandon does not either', async () => {
    const one = await killed();
    const status = await one.pawl(['deliver', 'status', 'first', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ next: 'pawl resume first' });
    const restored = await one.pawl(['restore', 'first']);
    expect([restored.code, restored.stderr]).toEqual([4, expect.stringContaining('fix: pawl resume first')]);
    expect(existsSync(worktreeOf(one))).toBe(false);
    const abandoned = await one.pawl(['abandon', 'first', 'enough', '--yes']);
    expect(abandoned.code, abandoned.stderr).toBe(0);
    expect(existsSync(worktreeOf(one))).toBe(false);
  });
});

const { level } = levelHere();

const isMissing = level === 'none' && process.env['CI'] !== 'true';

describe.skipIf(isMissing)(`hooks of a merge in the sandbox (here: ${level})`, () => {
  test('they read the main work tree, and write neither it nor the git directory', async () => {
    const one = delivery({ sandbox: '' });
    one.git('config', 'merge.ff', 'false');
    const { root } = one.repository;
    one.repository.write(
      '.git/hooks/commit-msg',
      `#!/bin/sh\npwd; git show :src/a.txt; touch ${root}/planted ${root}/.git/planted 2> /dev/null\necho >> "$1"; echo "Reviewed-by: hook" >> "$1"\n`,
    );
    chmodSync(join(root, '.git/hooks/commit-msg'), 0o755);
    const ended = await start(one);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(one.git('log', '-1', '--format=%B')).toBe("Merge branch 'deliver/first'\n\nReviewed-by: hook");
    expect(one.outputs('first')).toContain(`${root}\ntwo\n`);
    expect(['planted', '.git/planted'].map((path) => existsSync(join(root, path)))).toEqual([false, false]);
  });
});
