import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CommitRepository, nobody } from './committing.fixture.ts';
import { IdentityMissing } from './committing.ts';
import { GitFailed } from './git.ts';

let repository: CommitRepository;
beforeEach(() => {
  for (const [name, value] of Object.entries(nobody)) vi.stubEnv(name, value);
  repository = new CommitRepository();
});
afterEach(() => {
  vi.unstubAllEnvs();
  repository.remove();
});

const git = (...args: string[]): string => repository.git(...args);
const subjects = (): string[] => git('log', '--format=%s').split('\n');

describe('C1: exactly the named paths', () => {
  test('new, changed, deleted, executable, linked, with spaces and umlauts; the rest stays as it is', async () => {
    repository.start({
      'a.txt': 'one\n',
      'gone.txt': 'x\n',
      'dir/b.txt': 'b\n',
      'dir/c.txt': 'c\n',
      'other.txt': 'o\n',
    });
    repository.write('a.txt', 'two\n');
    rmSync(join(repository.root, 'gone.txt'));
    rmSync(join(repository.root, 'dir/c.txt'));
    repository.write('dir/deep/new file.txt', 'new\n');
    repository.write('ünï/код.txt', 'new\n');
    repository.write('run.sh', '#!/bin/sh\n', 0o755);
    symlinkSync('a.txt', join(repository.root, 'link'));
    repository.write('other.txt', 'not ours\n');
    repository.write('untracked.txt', 'not ours\n');
    git('add', 'other.txt');
    const paths = ['a.txt', 'gone.txt', 'dir', 'ünï/код.txt', 'run.sh', 'link', 'nowhere.txt'];
    const made = await repository.commit('feat: everything', paths);
    expect(made).toEqual({ kind: 'committed', id: git('rev-parse', 'HEAD') });
    expect(repository.changed()).toEqual([
      'M a.txt',
      'D dir/c.txt',
      'A dir/deep/new file.txt',
      'D gone.txt',
      'A link',
      'A run.sh',
      'A ünï/код.txt',
    ]);
    expect(git('ls-tree', 'HEAD', 'run.sh', 'link')).toMatch(/120000 blob \S+\tlink\n100755 blob \S+\trun\.sh/);
    expect(git('log', '-1', '--format=%an <%ae> %cn %s%n%b')).toBe('Ada <ada@example.org> Ada feat: everything');
    // What the user has staged is staged still, and nothing else is.
    expect(git('status', '--porcelain')).toBe('M  other.txt\n?? untracked.txt');
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(git('reflog', '-1', '--format=%gs')).toBe('commit: feat: everything');
  });

  test('from a snapshot: what was written since is not part of it', async () => {
    repository.start();
    repository.write('a.txt', 'stub\n');
    repository.write('new.txt', 'stub\n');
    const tree = await repository.tree.snapshot();
    repository.write('a.txt', 'implemented\n');
    rmSync(join(repository.root, 'new.txt'));
    expect(await repository.commit('feat: scaffold', ['a.txt', 'new.txt'], { tree })).toMatchObject({
      kind: 'committed',
    });
    expect([git('show', 'HEAD:a.txt'), git('show', 'HEAD:new.txt')]).toEqual(['stub', 'stub']);
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('implemented\n');
    expect(git('status', '--porcelain')).toBe(' M a.txt\n D new.txt');
  });

  test('line endings and filters are those of the repository', async () => {
    repository.start({ '.gitattributes': '*.txt text\n*.bin -text\n*.up filter=up\n' });
    git('config', 'filter.up.clean', 'tr a-z A-Z');
    git('config', 'filter.up.smudge', 'tr A-Z a-z');
    for (const path of ['a.txt', 'b.bin', 'c.up']) repository.write(path, 'x\r\ny\r\n');
    await repository.commit('feat: lines', ['a.txt', 'b.bin', 'c.up']);
    const stored = (path: string): string =>
      execFileSync('git', ['cat-file', 'blob', `HEAD:${path}`], { cwd: repository.root, encoding: 'utf8' });
    expect(['a.txt', 'b.bin', 'c.up'].map(stored)).toEqual(['x\ny\n', 'x\r\ny\r\n', 'X\r\nY\r\n']);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('a file that becomes a folder, and a folder that becomes a file', async () => {
    repository.start({ one: 'file\n', 'two/a.txt': 'a\n' });
    rmSync(join(repository.root, 'one'));
    repository.write('one/a.txt', 'a\n');
    rmSync(join(repository.root, 'two'), { recursive: true });
    repository.write('two', 'file\n');
    await repository.commit('feat: swap', ['one', 'two']);
    expect(git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('one/a.txt\ntwo');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('files that a sparse checkout leaves out, and submodules, are not deleted', async () => {
    repository.start({ 'src/a.txt': 'a\n', 'src/left/out.txt': 'b\n' });
    const commit = git('rev-parse', 'HEAD');
    git('update-index', '--add', '--cacheinfo', `160000,${commit},src/module`);
    git('commit', '--quiet', '--message=module');
    git('update-index', '--skip-worktree', 'src/left/out.txt');
    rmSync(join(repository.root, 'src/left'), { recursive: true });
    repository.write('src/a.txt', 'two\n');
    await repository.commit('fix: a', ['src']);
    expect(repository.changed()).toEqual(['M src/a.txt']);
  });

  test('the first commit of a repository; one with sha256 ids', async () => {
    const other = new CommitRepository('--object-format=sha256');
    try {
      for (const each of [repository, other]) {
        each.write('a.txt', 'one\n');
        each.write('b.txt', 'one\n');
        expect(await each.commit('feat: first', ['a.txt', 'b.txt'])).toMatchObject({ kind: 'committed' });
        rmSync(join(each.root, 'b.txt'));
        each.recorded = undefined;
        expect(await each.commit('feat: second', ['b.txt'])).toMatchObject({ kind: 'committed' });
        expect([each.git('log', '--format=%s'), each.git('ls-files')]).toEqual(['feat: second\nfeat: first', 'a.txt']);
        expect(each.git('status', '--porcelain')).toBe('');
      }
    } finally {
      other.remove();
    }
  });

  test('nothing to commit', async () => {
    repository.start();
    repository.write('b.txt', 'not named\n');
    const id = git('rev-parse', 'HEAD');
    expect(await repository.commit('feat: nothing', ['a.txt'])).toEqual({ kind: 'nothing', id });
    expect(subjects()).toEqual(['start']);
  });

  test('in a linked worktree, and with a detached HEAD', async () => {
    repository.start();
    const tree = join(repository.folder, 'tree');
    git('worktree', 'add', '--quiet', '--detach', tree);
    writeFileSync(join(tree, 'a.txt'), 'two\n');
    const main = repository.root;
    repository.root = tree;
    const made = await repository.commit('fix: there', ['a.txt']);
    expect(made).toEqual({ kind: 'committed', id: git('rev-parse', 'HEAD') });
    expect([git('status', '--porcelain'), subjects()]).toEqual(['', ['fix: there', 'start']]);
    repository.root = main;
    expect([git('status', '--porcelain'), subjects()]).toEqual(['', ['start']]);
  });
});

test('[trial 2 1] C4: nothing is committed where somebody switches to another branch while a hook runs', async () => {
  repository.start();
  git('switch', '--quiet', '--create', 'work');
  repository.hook('pre-commit', 'exit 0');
  repository.write('a.txt', 'two\n');
  const requirePlace = (): void => {
    if (git('branch', '--show-current') !== 'work') throw new Error('another branch');
  };
  const runHook = () => (git('switch', '--quiet', 'main'), Promise.resolve({ passed: true, output: '' }));
  await expect(repository.commit('x', ['a.txt'], { requirePlace, runHook })).rejects.toThrow('another branch');
  expect([subjects(), git('log', '--format=%s', 'work')]).toEqual([['start'], 'start']);
});

describe('C2: identity and signature', () => {
  test('a missing identity is said before anything is done', async () => {
    repository.start();
    git('config', '--unset', 'user.name');
    git('config', '--unset', 'user.email');
    git('config', 'user.useConfigOnly', 'true');
    repository.write('a.txt', 'two\n');
    await expect(repository.commit('x', ['a.txt'])).rejects.toThrow(IdentityMissing);
    expect([subjects(), git('status', '--porcelain')]).toEqual([['start'], ' M a.txt']);
  });

  test("the identity of the user's own configuration counts", async () => {
    repository.start();
    git('config', '--unset', 'user.name');
    repository.write('../global', '[user]\n\tname = Grace\n');
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(repository.folder, 'global'));
    repository.write('a.txt', 'two\n');
    await repository.commit('fix: a', ['a.txt']);
    expect(git('log', '-1', '--format=%an %ae')).toBe('Grace ada@example.org');
  });

  const hasKeygen = ((): boolean => {
    try {
      execFileSync('sh', ['-c', 'command -v ssh-keygen'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  test.skipIf(!hasKeygen)('commits are signed where the user has configured it', async () => {
    repository.start();
    const key = join(repository.folder, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', key]);
    const allowed = join(repository.folder, 'allowed');
    writeFileSync(allowed, `ada@example.org ${readFileSync(`${key}.pub`, 'utf8')}`);
    git('config', 'gpg.format', 'ssh');
    git('config', 'user.signingKey', key);
    git('config', 'gpg.ssh.allowedSignersFile', allowed);
    git('config', 'commit.gpgSign', 'true');
    repository.write('a.txt', 'two\n');
    await repository.commit('fix: signed', ['a.txt']);
    expect(git('log', '-1', '--format=%G? %GS')).toBe('G ada@example.org');
    // A key that cannot be used stops it, and nothing is committed unsigned.
    git('config', 'user.signingKey', join(repository.folder, 'nothing'));
    repository.write('a.txt', 'three\n');
    repository.recorded = undefined;
    await expect(repository.commit('fix: unsigned', ['a.txt'])).rejects.toThrow(GitFailed);
    expect(subjects()).toEqual(['fix: signed', 'start']);
  });
});

test('[trial D2] what was committed from a snapshot is not committed again behind later commits', async () => {
  repository.start({ 'a.txt': 'none\n' });
  repository.write('a.txt', 'stub\n');
  const tree = await repository.tree.snapshot();
  const first = await repository.commit('feat: scaffold', ['a.txt'], { tree });
  const { recorded } = repository;
  repository.recorded = undefined;
  repository.write('a.txt', 'body\n');
  await repository.commit('feat: implement', ['a.txt']);
  repository.recorded = recorded;
  const again = await repository.commit('feat: scaffold', ['a.txt'], { tree });
  expect(again).toEqual({ ...first, kind: 'already' });
  expect(subjects().slice(0, 2)).toEqual(['feat: implement', 'feat: scaffold']);
});
