/** Checks of a workflow that commit, bring files back, and claim names: the real program in a real repository. */

import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { levelHere } from '../sandbox/hostile-run.ts';
import { Delivery } from './committing-workflow.ts';

const made: Delivery[] = [];
afterEach(() => made.splice(0).forEach(({ repository }) => repository.remove()));

function delivery(options?: ConstructorParameters<typeof Delivery>[0]): Delivery {
  const one = new Delivery(options);
  made.push(one);
  return one;
}

function hook(one: Delivery, name: string, lines: string, folder = '.git/hooks'): void {
  one.repository.write(`${folder}/${name}`, `#!/bin/sh\n${lines}\n`);
  chmodSync(join(one.repository.root, folder, name), 0o755);
}

test('a check commits what the run made, in the name of the user', async () => {
  const one = delivery();
  const ended = await one.start('first', { 'src/a.txt': 'two\n', 'src/b.txt': 'new\n' });
  expect(ended.code, ended.stderr).toBe(0);
  expect(one.git('log', '-1', '--format=%an %s')).toBe('Ada feat: first');
  expect(one.git('show', '--format=', '--name-status', 'HEAD')).toBe('M\tsrc/a.txt\nA\tsrc/b.txt');
  expect(one.git('status', '--porcelain')).not.toContain('src');
});

test('a hook that refuses is a result, with its output', async () => {
  const one = delivery();
  hook(one, 'pre-commit', 'echo "lint failed"; exit 1');
  const ended = await one.start('first', { 'src/a.txt': 'two\n' });
  expect([ended.code, one.git('log', '--format=%s')]).toEqual([1, 'start']);
  expect(ended.stdout + ended.stderr).toContain('lint failed');
});

test('without an identity the command stops, and continues once there is one', async () => {
  const one = delivery();
  one.git('config', '--unset', 'user.name');
  one.git('config', 'user.useConfigOnly', 'true');
  const stopped = await one.start('first', { 'src/a.txt': 'two\n' });
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toContain('fix: git config user.name');
  one.git('config', 'user.name', 'Ada');
  const ended = await one.pawl(['resume', 'first', '--no-input']);
  expect([ended.code, one.git('log', '-1', '--format=%s')], ended.stderr).toEqual([0, 'feat: first']);
});

test.each(['commit-tree', 'update-ref', 'update-index'])(
  'killed after git %s, it is committed once',
  async (command) => {
    const one = delivery();
    const bin = join(one.repository.folder, 'bin');
    const real = process.env['PATH']
      ?.split(':')
      .map((folder) => join(folder, 'git'))
      .find((file) => existsSync(file));
    one.repository.write(
      '../bin/git',
      // The shadow of the work tree has commands of the same names.
      `#!/bin/sh\n[ -z "$GIT_DIR" ] && printf '%s\\n' "$@" | grep -q '^${command}$' || exec ${real} "$@"\n${real} "$@" > /dev/null; kill -9 $PPID\n`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const { signal } = await one.start('first', { 'src/a.txt': 'two\n' }, env);
    expect(signal).toBe('SIGKILL');
    const ended = await one.pawl(['resume', 'first', '--no-input']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(one.git('log', '--format=%s')).toBe('feat: first\nstart');
    expect(one.git('status', '--porcelain')).not.toContain('src');
  },
);

test('snapshots are committed and brought back; the rest is kept as a patch', async () => {
  const finish = `
        const before = await git.snapshot();
        const first = await git.rewind(null, { except: ['src/kept.txt'] });
        const again = await git.rewind(null, { except: ['src/kept.txt'] });
        const made = await git.commit({ message: 'feat: from the snapshot', paths: ['src/a.txt'], tree: before });
        const good = made.kind === 'committed' && first.join() === 'src/a.txt,src/b.txt' && again.length === 0;
        return { signal: { name: good ? 'good' : 'bad' } };`;
  const one = delivery({ finish });
  const files = { 'src/a.txt': 'two\n', 'src/b.txt': 'new\n', 'src/kept.txt': 'kept\n' };
  expect((await one.start('first', files)).code).toBe(0);
  expect([one.repository.read('src/a.txt'), one.git('show', 'HEAD:src/a.txt')]).toEqual(['one\n', 'two']);
  expect([one.repository.exists('src/b.txt'), one.repository.read('src/kept.txt')]).toEqual([false, 'kept\n']);
  const folder = join(one.repository.runFolder('deliver', 'first'), 'rewinds');
  const [patch = ''] = readdirSync(folder);
  expect(readFileSync(join(folder, patch), 'utf8')).toMatch(/-one\n\+two[^]*\+new/);
});

test('names are claimed by a run; branch, commit and merge base are told', async () => {
  const finish = `
        const names = await git.namesElsewhere('src');
        const [head, base, none] = [await git.head(), await git.mergeBase('base'), await git.mergeBase('nowhere')];
        const facts = { names, branch: git.branch(), isBase: head === base, none, claimed: [git.claim('GAL-1'), git.claim('GAL-1')] };
        return { signal: { name: git.claim('GAL-1') ? 'good' : 'bad' }, notes: [JSON.stringify(facts)] };`;
  const one = delivery({ finish });
  one.git('branch', 'base');
  const first = await one.start('first', { 'src/b.txt': 'new\n' });
  expect(first.code, first.stderr).toBe(0);
  const facts = { names: ['a.txt', 'b.txt'], branch: 'main', isBase: true, none: null, claimed: [true, true] };
  expect(first.stdout + first.stderr).toContain(JSON.stringify(facts));
  expect((await one.start('second', { 'src/b.txt': 'new\n' })).code).toBe(1);
});

const { level } = levelHere();
const isMissing = level === 'none' && process.env['CI'] !== 'true';

describe.skipIf(isMissing)(`hooks in the sandbox (here: ${level})`, () => {
  test('they work as they do with git, and cannot write the git directory or the home of the user', async () => {
    const one = delivery({ sandbox: '' });
    const { repository } = one;
    hook(
      one,
      'pre-commit',
      `echo formatted >> src/a.txt && git add src/a.txt && git stash list && git diff --cached --name-only
       touch "${repository.root}/.git/planted" 2> /dev/null && echo "wrote the git directory"
       touch "$HOME/planted" 2> /dev/null && echo "wrote the home"
       cat "${repository.runFolder('deliver', 'first')}/journal.jsonl" 2> /dev/null
       exit 0`,
    );
    hook(one, 'commit-msg', 'echo "Reviewed-by: hook" >> "$1"');
    hook(one, 'post-commit', 'git log -1 --format=%s');
    const ended = await one.start('first', { 'src/a.txt': 'two\n' });
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(one.git('show', 'HEAD:src/a.txt')).toBe('two\nformatted');
    expect(one.git('log', '-1', '--format=%B')).toContain('Reviewed-by: hook');
    expect(one.outputs('first')).toBe('src/a.txt\nfeat: first Reviewed-by: hook\n');
    expect(existsSync(join(repository.root, '.git/planted'))).toBe(false);
    expect(existsSync(join(repository.home, 'planted'))).toBe(false);
  });

  test('a hook that an agent wrote (husky) runs there too', async () => {
    const one = delivery({ sandbox: '' });
    hook(one, 'pre-commit', 'exit 0', '.husky');
    one.git('add', '--all');
    one.git('commit', '--quiet', '--message=husky');
    one.git('config', 'core.hooksPath', '.husky');
    const planted = join(one.repository.folder, 'planted');
    writeFileSync(planted, 'as it was');
    const evil = `#!/bin/sh\necho evil > ${planted}\ncat ${planted}\nexit 0\n`;
    const ended = await one.start('first', { 'src/a.txt': 'two\n', '.husky/pre-commit': evil });
    expect([ended.code, readFileSync(planted, 'utf8')]).toEqual([0, 'as it was']);
    // It ran, in a temporary folder of its own.
    expect(one.outputs('first')).toBe('evil\n');
  });
});
