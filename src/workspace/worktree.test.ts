import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnsafePath } from './safe-paths.ts';
import { branchTip, copyInside, headCommit, isIgnored, isTracked, makeWorktree, WorktreeInTheWay } from './worktree.ts';

let place: string;
let root: string;
let folder: string;
let commit: string;
const branch = 'change/x';

const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-wt-')));
  root = join(place, 'repo');
  folder = join(place, 'repo-change-x');
  write(join(root, 'a.txt'), 'a\n');
  write(join(root, 'b/c.txt'), 'c\n');
  write(join(root, '.gitignore'), '.env\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=start');
  commit = (await headCommit(root)) ?? '';
});
afterEach(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

const make = (): Promise<void> => makeWorktree(root, { folder, branch, commit, env: {} });

describe('K1', () => {
  test('it is made once: on its branch, from its commit, whatever has been committed since', async () => {
    write(join(root, 'a.txt'), 'later\n');
    git(root, 'commit', '--quiet', '--all', '--message=later');
    await make();
    await make();
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
    expect([git(folder, 'branch', '--show-current'), await branchTip(root, branch)]).toEqual([branch, commit]);
  });

  test('neither a hook nor a monitor of the repository runs when it is made, and made again', async () => {
    const ran = join(place, 'ran');
    const program = `#!/bin/sh\ntouch ${ran}\n`;
    for (const hook of ['post-checkout', 'reference-transaction', 'monitor']) {
      write(join(root, '.git/hooks', hook), program);
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    git(root, 'config', 'core.fsmonitor', join(root, '.git/hooks/monitor'));
    await make();
    await make();
    expect(existsSync(join(folder, 'a.txt'))).toBe(true);
    expect(existsSync(ran)).toBe(false);
  });

  const remains: [string, () => void][] = [
    ['an empty folder', () => mkdirSync(folder)],
    ['a branch and no folder', () => void git(root, 'branch', branch, commit)],
    ['a checkout that broke off', () => cutOff()],
    [
      'a checkout that was never begun',
      () => {
        git(root, 'worktree', 'add', '--quiet', '--no-checkout', '-b', branch, folder);
      },
    ],
    [
      'a folder that is gone, known to git still',
      () => {
        git(root, 'worktree', 'add', '--quiet', '-b', branch, folder);
        rmSync(folder, { recursive: true });
      },
    ],
  ];
  test.each(remains)('what a crash left is no hindrance: %s', async (_what, leave) => {
    leave();
    await make();
    expect(readFileSync(join(folder, 'b/c.txt'), 'utf8')).toBe('c\n');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(2);
  });

  function cutOff(): void {
    git(root, 'worktree', 'add', '--quiet', '-b', branch, folder);
    rmSync(join(folder, 'b'), { recursive: true });
  }

  const theirs: [string, () => void][] = [
    ['a folder of theirs', () => write(join(folder, 'notes.txt'), 'mine')],
    [
      'a file of theirs in a checkout that broke off',
      () => {
        cutOff();
        write(join(folder, 'notes.txt'), 'mine');
      },
    ],
    [
      'an ignored one',
      () => {
        cutOff();
        write(join(folder, '.env'), 'mine');
      },
    ],
    [
      'an edit',
      () => {
        cutOff();
        write(join(folder, 'a.txt'), 'mine');
      },
    ],
    [
      'a branch that has moved on',
      () => {
        git(root, 'branch', branch);
        git(root, 'commit', '--quiet', '--allow-empty', '--message=later');
        git(root, 'branch', '--force', branch);
      },
    ],
  ];
  test.each(theirs)('what is somebody’s is in the way and stays: %s', async (_what, leave) => {
    leave();
    const tip = await branchTip(root, branch);
    const files = ['notes.txt', '.env', 'a.txt'].filter((name) => existsSync(join(folder, name)));
    await expect(make()).rejects.toBeInstanceOf(WorktreeInTheWay);
    expect(files.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
    expect(await branchTip(root, branch)).toBe(tip);
  });
});

describe('K2', () => {
  beforeEach(make);

  test('bytes and mode are taken over, missing folders made, links inside followed', () => {
    writeFileSync(join(root, '.env'), Buffer.from([0, 255, 10]));
    chmodSync(join(root, '.env'), 0o640);
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    symlinkSync('../../.env', join(root, 'deep/er/link'));
    expect([copyInside(root, folder, '.env'), copyInside(root, folder, 'deep/er/link')]).toEqual(['copied', 'copied']);
    for (const path of ['.env', 'deep/er/link']) {
      expect(readFileSync(join(folder, path))).toEqual(Buffer.from([0, 255, 10]));
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o640);
    }
  });

  test('what is there stays, what is missing is said', () => {
    write(join(root, 'a.txt'), 'edited\n');
    expect([copyInside(root, folder, 'a.txt'), copyInside(root, folder, 'none')]).toEqual(['present', 'missing']);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
  });

  test('no way leads out of either root', () => {
    write(join(place, 'outside/secret'), 'secret');
    symlinkSync('../outside/secret', join(root, 'link'));
    symlinkSync('../outside', join(root, 'way'));
    write(join(root, 'door/file'), 'x');
    symlinkSync('../outside', join(folder, 'door'));
    for (const path of ['link', 'way/secret', 'door/file', '../outside/secret', '/etc/passwd', 'b'])
      expect(() => copyInside(root, folder, path), path).toThrow(UnsafePath);
    expect(existsSync(join(place, 'outside/file'))).toBe(false);
  });
});

test('what git makes of a file', async () => {
  write(join(root, '.env'), 'x');
  write(join(root, 'new.txt'), 'x');
  expect([await isIgnored(root, '.env'), await isIgnored(root, 'new.txt'), await isIgnored(root, 'a.txt')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([await isTracked(root, 'a.txt'), await isTracked(root, 'new.txt')]).toEqual([true, false]);
});

test('attack 1.18: neither hooks nor the file system monitor of the repository run', async () => {
  const ran = join(place, 'ran');
  const program = join(place, 'program');
  write(program, `#!/bin/sh\necho "$0" >> ${ran}\n`);
  chmodSync(program, 0o755);
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
    symlinkSync(program, join(root, '.git/hooks', hook));
  git(root, 'config', 'core.fsmonitor', program);
  git(root, 'config', 'core.hooksPath', join(root, '.git/hooks'));
  git(root, 'status', '--porcelain');
  // They would run for anybody else.
  expect(existsSync(ran)).toBe(true);
  rmSync(ran);
  await make();
  await isIgnored(root, 'a.txt');
  await isTracked(root, 'a.txt');
  expect(existsSync(ran)).toBe(false);
});
