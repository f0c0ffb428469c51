import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gitState, namesElsewhere } from './history.ts';

let folder: string;
let root: string;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function write(path: string, content = ''): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function commit(...paths: string[]): void {
  for (const path of paths) write(path);
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message=x');
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-history-')));
  root = join(folder, 'repo');
  mkdirSync(root);
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('the state of a checkout: branch, commit, changes, branches', async () => {
  expect(await gitState(root)).toEqual({ branch: 'main', head: null, dirty: [], branches: [] });
  commit('a b.txt', 'c.txt');
  git('branch', 'feature/x');
  const head = git('rev-parse', 'HEAD');
  expect(await gitState(root)).toEqual({ branch: 'main', head, dirty: [], branches: ['feature/x', 'main'] });
  git('mv', 'c.txt', 'd.txt');
  write('ä.txt');
  write('a b.txt', 'changed');
  const { dirty } = await gitState(root);
  expect(dirty).toEqual([' M a b.txt', 'D  c.txt', 'A  d.txt', '?? ä.txt']);
});

test('a detached HEAD has no branch', async () => {
  commit();
  git('checkout', '--quiet', '--detach');
  expect(await gitState(root)).toMatchObject({ branch: null, head: git('rev-parse', 'HEAD') });
});

test("files that the user's own configuration ignores are no changes; no monitor runs", async () => {
  commit();
  const ran = join(folder, 'ran');
  write('../monitor', `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(join(folder, 'monitor'), 0o755);
  git('config', 'core.fsmonitor', join(folder, 'monitor'));
  git('config', 'status.showUntrackedFiles', 'no');
  write('../ignored', '*.swp\n');
  write('../config', `[core]\n\texcludesFile = ${join(folder, 'ignored')}\n`);
  write('x.swp');
  write('new.txt');
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(folder, 'config'));
  expect((await gitState(root)).dirty).toEqual(['?? new.txt']);
  expect(existsSync(ran)).toBe(false);
});

test('names of a folder in all branches and worktrees, committed or not', async () => {
  commit('TODO/GAL-1.md', 'TODO/deep/GAL-9.md', 'other/GAL-8.md');
  git('checkout', '--quiet', '-b', 'one');
  commit('TODO/GAL-2.md', 'TODO/mit Leerzeichen ä.md');
  // A file in the place of the folder, and no such folder at all.
  git('checkout', '--quiet', '--orphan', 'two');
  git('rm', '--quiet', '-rf', '.');
  commit('TODO');
  git('checkout', '--quiet', 'main');
  git('worktree', 'add', '--quiet', '-b', 'three', join(folder, 'tree'));
  writeFileSync(join(folder, 'tree/TODO/GAL-3.md'), '');
  mkdirSync(join(folder, 'tree/TODO/other'));
  git('worktree', 'add', '--quiet', '-b', 'gone', join(folder, 'gone'));
  rmSync(join(folder, 'gone'), { recursive: true });
  git('update-ref', 'refs/remotes/origin/four', 'one');
  git('branch', '--quiet', '--delete', '--force', 'one');
  expect(await namesElsewhere(root, 'TODO')).toEqual([
    'GAL-1.md',
    'GAL-2.md',
    'GAL-3.md',
    'deep',
    'mit Leerzeichen ä.md',
    'other',
  ]);
  expect(await namesElsewhere(root, 'nowhere')).toEqual([]);
});
