import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRepository } from './git.ts';
import { UnsafePath } from './safe-paths.ts';
import { lastChangedAt } from './last-changed.ts';
import { WorkTree } from './tree.ts';

let top: string;
let root: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-tree-')));
  root = join(top, 'repo');
  git('init', '-q', '-b', 'main', root);
});
afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));

const git = (...args: string[]): string => execFileSync('git', args, { cwd: top, encoding: 'utf8', stdio: 'pipe' });
const inRepo = (...args: string[]): string => git('-C', root, ...args);
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const shadowDir = (): string => join(top, 'shadow');
const workTree = (shadow = shadowDir()): WorkTree =>
  new WorkTree({ root, shadowDir: shadow, commonDir: findRepository(root).commonDir });
/** What a shadow without any history says about the same files. */
const afresh = (): Promise<string> => workTree(mkdtempSync(join(top, 'fresh-'))).snapshot();
const pathsOf = async (tree: WorkTree, from: string, to: string): Promise<string[]> =>
  (await tree.changed(from, to)).map(({ status, path }) => `${status} ${path}`).toSorted();
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

test('a snapshot of the git directory at the same time takes no file out of that of the work tree (W1)', async () => {
  put('control/config', 'tracked, and ignored later');
  inRepo('add', '--all');
  inRepo('commit', '--quiet', '--message=first');
  put('.gitignore', 'control/\n');
  const expected = await afresh();
  for (let round = 0; round < 10; round += 1) {
    const tree = workTree(join(top, `shadow-${round}`));
    const logs = Array.from({ length: 6 }, () => tree.commits.log('HEAD', null, 1));
    const meanwhile = [tree.git.snapshot(), ...logs];
    expect(await tree.snapshot()).toBe(expected);
    await Promise.all(meanwhile);
    expect((await tree.snapshotWithIgnored()).tree).toBe(expected);
    tree.close();
  }
});

describe('attack 2.5, audit 12.5: an index that somebody else wrote hides nothing (S6)', () => {
  /** Makes an index say that `a` was recorded as it is now, with the content it had before. */
  const forge = (index: string): void => {
    const env = { ...process.env, GIT_DIR: shadowDir(), GIT_WORK_TREE: root, GIT_INDEX_FILE: index };
    execFileSync('git', ['update-index', '--assume-unchanged', 'a'], { cwd: root, env });
  };
  const indexes = (): string[] => readdirSync(shadowDir()).filter((name) => /^index(?:\.\d+-\w+)?$/.test(name));
  const noted = (): WorkTree =>
    new WorkTree({
      root,
      shadowDir: shadowDir(),
      commonDir: findRepository(root).commonDir,
      notes: join(top, 'notes'),
    });

  test('while a process works', async () => {
    put('a', 'good');
    const tree = noted();
    const before = await tree.snapshot();
    for (const name of indexes()) forge(join(shadowDir(), name));
    put('a', 'evil');
    const after = await tree.snapshot();
    expect(await pathsOf(tree, before, after)).toEqual(['M a']);
    expect(after).toBe(await afresh());
  });

  test('between two processes', async () => {
    put('a', 'good');
    const first = noted();
    const before = await first.snapshot();
    first.close();
    expect(indexes()).toEqual(['index']);
    forge(join(shadowDir(), 'index'));
    put('a', 'evil');
    const second = noted();
    expect(await pathsOf(second, before, await second.snapshot())).toEqual(['M a']);
  });

  test('one that only Pawl wrote is known by its digest', async () => {
    put('a', 'good');
    const tree = noted();
    await tree.snapshot();
    const digest = createHash('sha256')
      .update(readFileSync(join(shadowDir(), 'index')))
      .digest('hex');
    expect(readdirSync(join(top, 'notes')).map((name) => readFileSync(join(top, 'notes', name), 'utf8'))).toEqual([
      digest,
    ]);
  });
});

describe('snapshot', () => {
  test('an empty repository without commits', async () => {
    expect(await workTree().snapshot()).toBe(emptyTree);
  });

  test('tracked and untracked files, without ignored ones; the exec bit, symlinks, odd names (W1)', async () => {
    put('.gitignore', 'ignored/\n*.log\n');
    put('ignored/x', '');
    put('tracked', 'a');
    inRepo('add', 'tracked');
    put('script', '#!/bin/sh\n');
    chmodSync(join(root, 'script'), 0o755);
    symlinkSync('tracked', join(root, 'link'));
    put('grüße/日本.md', 'u');
    put('new\nline\t"quoted"', 'n');
    put('-flag', '-');
    put(':(top)magic*', 'm');
    const tree = workTree();
    const now = await tree.snapshot();
    expect(await pathsOf(tree, emptyTree, now)).toEqual(
      ['.gitignore', 'tracked', 'script', 'link', 'grüße/日本.md', 'new\nline\t"quoted"', '-flag', ':(top)magic*']
        .map((path) => `A ${path}`)
        .toSorted(),
    );
    const listed = git('--git-dir', shadowDir(), 'ls-tree', now, 'script', 'link', 'tracked');
    expect(listed.split('\n').map((line) => line.slice(0, 6))).toEqual(['120000', '100755', '100644', '']);
    expect(await tree.read(now, 'new\nline\t"quoted"')).toEqual(Buffer.from('n'));
    expect(await tree.read(now, ':(top)magic*')).toEqual(Buffer.from('m'));
    expect(await tree.read(now, 'link')).toEqual(Buffer.from('tracked'));
    expect(await tree.read(now, 'grüße')).toBeUndefined();
    expect(await tree.read(now, 'none')).toBeUndefined();
  });

  test('is the tree git itself would commit', async () => {
    for (let at = 0; at < 30; at += 1) put(`d${at % 4}/f${at}`, `content ${at}`);
    inRepo('add', '-A');
    expect(await workTree().snapshot()).toBe(inRepo('write-tree').trim());
  });

  test('sees every kind of change', async () => {
    put('a/file', '1');
    put('b', '1');
    put('c', '1');
    const tree = workTree();
    const before = await tree.snapshot();
    expect(await tree.snapshot()).toBe(before);
    rmSync(join(root, 'a'), { recursive: true });
    put('a', 'was a folder');
    rmSync(join(root, 'b'));
    put('b/file', 'was a file');
    rmSync(join(root, 'c'));
    symlinkSync('a', join(root, 'c'));
    const after = await tree.snapshot();
    expect(await pathsOf(tree, before, after)).toEqual(['A a', 'A b/file', 'D a/file', 'D b', 'T c']);
    expect(after).toBe(await afresh());
  });

  test('a folder replaced by a symlink to another with the same files', async () => {
    put('a/x', '1');
    put('a/y', '1');
    const tree = workTree();
    const before = await tree.snapshot();
    renameSync(join(root, 'a'), join(top, 'moved'));
    writeFileSync(join(top, 'moved/y'), 'other');
    symlinkSync(join(top, 'moved'), join(root, 'a'));
    const after = await tree.snapshot();
    expect(await pathsOf(tree, before, after)).toEqual(['A a', 'D a/x', 'D a/y']);
    await tree.restore(after, before);
    expect(await tree.snapshot()).toBe(before);
    expect(readFileSync(join(top, 'moved/y'), 'utf8')).toBe('other');
  });

  test('a change of equal size within the same second (W4)', async () => {
    put('a', 'aaaa');
    const tree = workTree();
    const before = await tree.snapshot();
    const { atime, mtime } = statSync(join(root, 'a'));
    put('a', 'bbbb');
    utimesSync(join(root, 'a'), atime, mtime);
    expect(await tree.snapshot()).not.toBe(before);
  });

  test('does not depend on what was snapshotted before (W1)', async () => {
    put('build/out.js', 'x');
    put('forced.log', 'x');
    put('later.log', 'x');
    const tree = workTree();
    await tree.snapshot();
    inRepo('add', '-f', 'forced.log');
    put('.gitignore', '*.log\n');
    put('build/.gitignore', '*\n');
    const now = await tree.snapshot();
    expect(await pathsOf(tree, emptyTree, now)).toEqual(['A .gitignore', 'A forced.log']);
    expect(now).toBe(await afresh());

    inRepo('add', '-f', 'later.log');
    expect(await pathsOf(tree, now, await tree.snapshot())).toEqual(['A later.log']);
    inRepo('rm', '-q', '--cached', 'forced.log', 'later.log');
    expect(await pathsOf(tree, now, await tree.snapshot())).toEqual(['D forced.log']);
    expect(await tree.snapshot()).toBe(await afresh());
  });

  test('.git/info/exclude is respected, but cannot be used to hide files later', async () => {
    writeFileSync(join(root, '.git/info/exclude'), 'private\n');
    put('private', 'x');
    put('public', 'x');
    const tree = workTree();
    const before = await tree.snapshot();
    expect(await pathsOf(tree, emptyTree, before)).toEqual(['A public']);
    writeFileSync(join(root, '.git/info/exclude'), '*\n');
    put('hidden', 'x');
    expect(await pathsOf(tree, before, await tree.snapshot())).toEqual(['A hidden']);
  });

  test('stores bytes as they are, whatever .gitattributes say', async () => {
    put('.gitattributes', '* text=auto eol=lf ident\n*.enc working-tree-encoding=UTF-16\n');
    put('crlf.txt', 'a\r\nb\r\n$Id$\r\n');
    put('x.enc', Buffer.from('\ufeffäö', 'utf16le'));
    const tree = workTree();
    const now = await tree.snapshot();
    expect((await tree.read(now, 'crlf.txt'))?.toString()).toBe('a\r\nb\r\n$Id$\r\n');
    expect(await tree.read(now, 'x.enc')).toEqual(Buffer.from('\ufeffäö', 'utf16le'));
    rmSync(join(root, 'crlf.txt'));
    await tree.restore(await tree.snapshot(), now);
    expect(readFileSync(join(root, 'crlf.txt'), 'utf8')).toBe('a\r\nb\r\n$Id$\r\n');
  });

  test('in a linked worktree and in a sha256 repository', async () => {
    put('a', '1');
    inRepo('add', '-A');
    inRepo('commit', '-q', '-m', 'first');
    inRepo('worktree', 'add', '-q', join(top, 'linked'));
    root = join(top, 'linked');
    put('b', '2');
    const tree = workTree();
    expect(await pathsOf(tree, emptyTree, await tree.snapshot())).toEqual(['A a', 'A b']);

    root = join(top, 'sha256');
    git('init', '-q', '--object-format=sha256', root);
    put('a', '1');
    inRepo('add', '-A');
    const other = workTree(join(top, 'shadow256'));
    const before = await other.snapshot();
    expect(before).toBe(inRepo('write-tree').trim());
    put('a', '2');
    await other.restore(await other.snapshot(), before);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('1');
  });

  test('W3, [D10] attack 2.6, attack 2.7: the files of nested repositories and submodules are files like any other', async () => {
    put('a', '1');
    git('init', '-q', join(root, 'unborn'));
    git('init', '-q', join(root, 'nes ted'));
    put('nes ted/committed', '1');
    put('nes ted/.gitignore', 'ignored\n');
    put('nes ted/ignored', '1');
    git('-C', join(root, 'nes ted'), 'add', '-A');
    git('-C', join(root, 'nes ted'), 'commit', '-q', '-m', 'one');
    inRepo('-c', 'advice.addEmbeddedRepo=false', 'add', 'nes ted');
    git('init', '-q', join(root, 'nes ted/inner'));
    put('nes ted/inner/deep', '1');
    const tree = workTree();
    const before = await tree.snapshot();
    const nested = ['A nes ted/.gitignore', 'A nes ted/committed', 'A nes ted/inner/deep'];
    expect(await pathsOf(tree, emptyTree, before)).toEqual(['A a', ...nested]);
    expect(await tree.snapshot()).toBe(before);
    put('nes ted/committed', '2');
    put('nes ted/inner/deep', '2');
    put('unborn/planted', '1');
    // Neither a commit nor an exclude of its own hides anything.
    git('-C', join(root, 'nes ted'), 'commit', '-qam', 'two');
    writeFileSync(join(root, 'unborn/.git/info/exclude'), '*\n');
    const after = await tree.snapshot();
    const changes = ['A unborn/planted', 'M nes ted/committed', 'M nes ted/inner/deep'];
    expect(await pathsOf(tree, before, after)).toEqual(changes);
    await tree.restore(after, before);
    expect(existsSync(join(root, 'nes ted/.git'))).toBe(true);
    expect(await tree.snapshot()).toBe(before);
  });

  test('git init in a folder does not hide what is in it', async () => {
    put('src/a', '1');
    const tree = workTree();
    const before = await tree.snapshot();
    git('init', '-q', join(root, 'src'));
    put('src/a', '2');
    put('src/b', '1');
    expect(await pathsOf(tree, before, await tree.snapshot())).toEqual(['A src/b', 'M src/a']);
  });
});

describe("the user's repository", () => {
  test('planted programs do not run, assume-unchanged does not hide (S1)', async () => {
    put('a.txt', 'one');
    put('b.txt', 'one');
    inRepo('add', '-A');
    inRepo('commit', '-q', '-m', 'first');
    const ran = join(top, 'ran');
    const script = join(top, 'planted.sh');
    writeFileSync(script, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat\n`, { mode: 0o755 });
    for (const name of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman']) {
      writeFileSync(join(root, '.git/hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    for (const [key, value] of [
      ['core.fsmonitor', script],
      ['filter.x.clean', script],
      ['filter.x.smudge', script],
      ['filter.x.process', script],
      ['diff.x.textconv', script],
      ['diff.x.command', script],
      ['diff.external', script],
    ] as const) {
      inRepo('config', key, value);
    }
    put('.gitattributes', '* filter=x diff=x\n');
    const tree = workTree();
    const before = await tree.snapshot();
    inRepo('-c', 'core.fsmonitor=false', 'update-index', '--assume-unchanged', 'a.txt');
    inRepo('-c', 'core.fsmonitor=false', 'update-index', '--skip-worktree', 'b.txt');
    rmSync(ran, { force: true });
    put('a.txt', 'two');
    put('b.txt', 'two');
    put('c.txt', 'two');
    const after = await tree.snapshot();
    expect(await pathsOf(tree, before, after)).toEqual(['A c.txt', 'M a.txt', 'M b.txt']);
    expect(await tree.diff(before, after)).toContain('-one');
    await tree.restore(after, before);
    expect(await afresh()).toBe(before);
    expect(existsSync(ran)).toBe(false);
    inRepo('status');
    expect(existsSync(ran), 'the planted programs do run for an ordinary git').toBe(true);
  });

  test('is not written to (W2)', async () => {
    put('a', '1');
    inRepo('add', '-A');
    inRepo('commit', '-q', '-m', 'first');
    put('b', 'x');
    const picture = (): string[] =>
      readdirSync(join(root, '.git'), { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((name) => join(root, '.git', name))
        .map((path) => (statSync(path).isFile() ? `${path} ${readFileSync(path, 'latin1')}` : path));
    const before = picture();
    const tree = workTree();
    const first = await tree.snapshot();
    put('a', '2');
    const second = await tree.snapshot();
    await tree.restore(second, first);
    expect(picture()).toEqual(before);
  });

  test('its objects are used, not copied', async () => {
    put('big', 'x'.repeat(100_000));
    inRepo('add', '-A');
    inRepo('commit', '-q', '-m', 'first');
    await workTree().snapshot();
    const objects = readdirSync(join(shadowDir(), 'objects'), { recursive: true, encoding: 'utf8' });
    expect(objects.filter((name) => /^..\/.{38}$/.test(name))).toEqual([]);
  });

  test('a broken index or configuration of the user does not stop a snapshot', async () => {
    put('a', '1');
    const tree = workTree();
    const before = await tree.snapshot();
    writeFileSync(join(root, '.git/index'), 'rubbish');
    writeFileSync(join(root, '.git/config'), '[core]\n\trepositoryformatversion = 99\n[broken');
    expect(await tree.snapshot()).toBe(before);
    expect(await afresh()).toBe(before);
  });

  test('a moved repository keeps working with its shadow inside .git', async () => {
    put('a', '1');
    inRepo('add', '-A');
    inRepo('commit', '-q', '-m', 'first');
    const before = await workTree(join(root, '.git/pawl/shadow')).snapshot();
    renameSync(root, join(top, 'with:colon'));
    root = join(top, 'with:colon');
    const tree = workTree(join(root, '.git/pawl/shadow'));
    put('a', '2');
    await tree.restore(await tree.snapshot(), before);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('1');
  });
});

describe('digest, changed, diff', () => {
  test('a digest does not see the excepted folders, and everything else', async () => {
    put('src/a', '1');
    const tree = workTree();
    const digest = async (...folders: string[]): Promise<string> => tree.digest(await tree.snapshot(), folders);
    const bare = await digest();
    const first = await digest('agentd', 'x/y');
    expect(first).toMatch(/^tree:[0-9a-f]{64}$/);
    expect(first).toBe(bare);
    put('agentd/STATE.yaml', 'phase: proposed');
    put('x/y/z', 'nested');
    expect(await digest('agentd', 'x/y')).toBe(first);
    expect(await digest('agentd')).not.toBe(first);
    put('agentd2', 'not in the folder');
    expect(await digest('agentd', 'x/y')).not.toBe(first);
    rmSync(join(root, 'agentd2'));
    chmodSync(join(root, 'src/a'), 0o755);
    expect(await digest('agentd', 'x/y')).not.toBe(first);
  });

  test('git apply takes the patch back: text, binary, modes, symlinks, deletions, any encoding', async () => {
    put('text', 'one\ntwo\n');
    put('latin1', Buffer.from([0x67, 0xfc, 0x0a]));
    put('binary', Buffer.from([0, 1, 2, 255]));
    put('gone', 'x');
    put('script', 'x');
    const tree = workTree();
    const before = await tree.snapshot();
    put('text', 'one\nzwei\n');
    put('latin1', Buffer.from([0x67, 0xfc, 0x0a, 0xe4, 0x0a]));
    put('binary', Buffer.from([0, 1, 3, 255]));
    rmSync(join(root, 'gone'));
    chmodSync(join(root, 'script'), 0o755);
    symlinkSync('text', join(root, 'link'));
    put('grüße', 'new');
    const after = await tree.snapshot();
    const patch = await tree.patch(before, after);
    await tree.restore(after, before);
    writeFileSync(join(top, 'patch'), patch);
    inRepo('apply', join(top, 'patch'));
    expect(await tree.snapshot()).toBe(after);
  });

  test('a diff can be limited, and coloured', async () => {
    const tree = workTree();
    for (const path of ['a*', 'ab', 'agentd/x', 'sub/agentd/x']) put(path, 'x\n');
    const now = await tree.snapshot();
    const filesIn = (diff: string): string[] =>
      [...diff.matchAll(/^diff --git a\/(.*) b\//gm)].map(([, path]) => path ?? '');
    expect(filesIn(await tree.diff(emptyTree, now))).toEqual(['a*', 'ab', 'agentd/x', 'sub/agentd/x']);
    expect(filesIn(await tree.diff(emptyTree, now, { exceptFolders: ['agentd'] }))).toEqual([
      'a*',
      'ab',
      'sub/agentd/x',
    ]);
    expect(await tree.diff(emptyTree, now, { color: true })).toContain('\u001b[32m');
  });

  test('only tree ids reach git', async () => {
    await expect(workTree().changed('--output=x', emptyTree)).rejects.toThrow('not a git tree id');
  });
});

describe('restore', () => {
  test('only what differs, byte for byte, and nothing else (R3)', async () => {
    put('.gitignore', 'cache/\n');
    put('kept', '1');
    put('changed', 'old');
    put('deep/er/deleted', 'old');
    put('script', 'old');
    chmodSync(join(root, 'script'), 0o755);
    symlinkSync('kept', join(root, 'link'));
    put('private', 'old');
    chmodSync(join(root, 'private'), 0o600);
    const tree = workTree();
    const before = await tree.snapshot();
    const keptAt = statSync(join(root, 'kept'), { bigint: true });
    put('changed', 'new');
    put('private', 'new');
    rmSync(join(root, 'deep'), { recursive: true });
    chmodSync(join(root, 'script'), 0o644);
    rmSync(join(root, 'link'));
    put('link', 'a file now');
    put('added/by/agent', 'x');
    put('added/cache/object', 'ignored');
    await tree.restore(await tree.snapshot(), before);
    expect(await tree.snapshot()).toBe(before);
    expect(readlinkSync(join(root, 'link'))).toBe('kept');
    expect(statSync(join(root, 'script')).mode & 0o111).toBe(0o111);
    expect(statSync(join(root, 'private')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'kept'), { bigint: true }).ctimeNs).toBe(keptAt.ctimeNs);
    expect(readdirSync(join(root, 'added'))).toEqual(['cache']);
  });

  test('limited to paths, names taken literally', async () => {
    for (const path of ['a*', 'ab', 'd/x', 'dx']) put(path, 'old');
    const tree = workTree();
    const before = await tree.snapshot();
    for (const path of ['a*', 'ab', 'd/x', 'dx']) put(path, 'new');
    await tree.restore(await tree.snapshot(), before, { paths: ['a*', 'd'] });
    expect(['a*', 'ab', 'd/x', 'dx'].map((path) => readFileSync(join(root, path), 'utf8'))).toEqual([
      'old',
      'new',
      'old',
      'new',
    ]);
    await tree.restore(await tree.snapshot(), before, { paths: [] });
    expect(readFileSync(join(root, 'ab'), 'utf8')).toBe('new');
  });

  test('not through a symlink somebody put in the way (R1, R2)', async () => {
    put('d/x', 'old');
    put('e', 'old');
    const tree = workTree();
    const before = await tree.snapshot();
    rmSync(join(root, 'd'), { recursive: true });
    mkdirSync(join(top, 'outside'));
    symlinkSync(join(top, 'outside'), join(root, 'd'));
    put('e', 'new');
    const after = await tree.snapshot();
    await expect(tree.restore(after, before, { paths: ['d/x', 'e'] })).rejects.toThrow(UnsafePath);
    expect(readdirSync(join(top, 'outside'))).toEqual([]);
    expect(readFileSync(join(root, 'e'), 'utf8')).toBe('new');
    await tree.restore(after, before);
    expect(await tree.snapshot()).toBe(before);
  });

  test('a planted object in the user repository is not taken for the file (R1)', async () => {
    put('a', 'old');
    inRepo('add', '-A');
    const tree = workTree();
    const before = await tree.snapshot();
    put('a', 'evil');
    const [old, evil] = ['old', 'evil'].map((text) => {
      writeFileSync(join(top, 'x'), text);
      const id = inRepo('hash-object', '-w', join(top, 'x')).trim();
      return join(root, '.git/objects', id.slice(0, 2), id.slice(2));
    });
    rmSync(old!);
    writeFileSync(old!, readFileSync(evil!));
    const after = await tree.snapshot();
    await expect(tree.restore(after, before)).rejects.toThrow(/missing or damaged/);
  });

  test.runIf(process.platform === 'linux')('names that are not UTF-8', async () => {
    const name = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
    writeFileSync(name, 'old');
    const tree = workTree();
    const before = await tree.snapshot();
    writeFileSync(name, 'newer');
    await tree.restore(await tree.snapshot(), before);
    expect(readFileSync(name, 'utf8')).toBe('old');
    rmSync(name);
    await tree.restore(await tree.snapshot(), before);
    expect(readFileSync(name, 'utf8')).toBe('old');
  });

  test('any two states of a tree lead back to each other', async () => {
    const name = fc.constantFrom('a', 'b', 'a/b', 'a/b/c', 'b/ü', 'c\n');
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.constant('link' as const),
      fc.constant('script' as const),
    );
    const state = fc.array(fc.tuple(name, content), { maxLength: 5 });
    const tree = workTree();
    const show = (files: readonly (readonly [string, Uint8Array | 'link' | 'script'])[]): void => {
      for (const entry of readdirSync(root)) if (entry !== '.git') rmSync(join(root, entry), { recursive: true });
      for (const [path, wanted] of files) {
        try {
          if (wanted === 'link') symlinkSync('a', join(root, path));
          else put(path, wanted === 'script' ? '#!' : Buffer.from(wanted));
          if (wanted === 'script') chmodSync(join(root, path), 0o755);
        } catch {
          // The state asks for a file where a folder is: one of the two is enough.
        }
      }
    };
    await fc.assert(
      fc.asyncProperty(state, state, async (first, second) => {
        show(first);
        const before = await tree.snapshot();
        show(second);
        const after = await tree.snapshot();
        await tree.restore(after, before);
        expect(await tree.snapshot()).toBe(before);
        await tree.restore(before, after);
        expect(await tree.snapshot()).toBe(after);
      }),
      { numRuns: 25 },
    );
  });
});

describe('other processes', () => {
  test('snapshots at the same time agree (W5)', async () => {
    for (let at = 0; at < 50; at += 1) put(`f${at}`, `${at}`);
    const trees = [workTree(), workTree(), workTree()];
    const all = await Promise.all([...trees, ...trees].map((tree) => tree.snapshot()));
    expect(new Set(all).size).toBe(1);
  });

  test('a lock left behind does not block; a broken shared index is thrown away (S3)', async () => {
    put('a', '1');
    const before = await workTree().snapshot();
    writeFileSync(join(shadowDir(), 'index.lock'), '');
    expect(await workTree().snapshot()).toBe(before);
    rmSync(join(shadowDir(), 'index'));
    writeFileSync(join(shadowDir(), 'index'), 'rubbish');
    expect(await workTree().snapshot()).toBe(before);
  });

  test('kill -9 in the middle of a snapshot, then again', async () => {
    for (let at = 0; at < 400; at += 1) put(`d${at % 7}/f${at}`, `content ${at}`.repeat(50));
    const program = await bundled(`
      import { WorkTree } from ${JSON.stringify(join(import.meta.dirname, 'tree.ts'))};
      const [root, shadowDir, commonDir] = process.argv.slice(2);
      process.stdout.write('ready');
      await new WorkTree({ root, shadowDir, commonDir }).snapshot();
      process.stdout.write('done');
    `);
    const expected = await afresh();
    for (const delayMs of [0, 5, 12, 20, 30, 45, 70, 100]) {
      const args = [program, root, shadowDir(), findRepository(root).commonDir];
      const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      await wait(delayMs);
      process.kill(-child.pid!, 'SIGKILL');
      await once(child, 'close');
      expect(await workTree().snapshot()).toBe(expected);
      rmSync(shadowDir(), { recursive: true });
    }
  });
});

test('lastChangedAt: of the file, or of the nearest folder left', () => {
  put('a/b/c', 'x');
  const old = new Date('2020-01-01');
  utimesSync(join(root, 'a/b/c'), old, old);
  expect(lastChangedAt(root, 'a/b/c')).toBe(lstatSync(join(root, 'a/b/c')).ctimeMs);
  rmSync(join(root, 'a/b'), { recursive: true });
  expect(lastChangedAt(root, 'a/b/c')).toBe(lstatSync(join(root, 'a')).ctimeMs);
});

async function bundled(source: string): Promise<string> {
  const input = join(top, 'program.ts');
  const file = join(top, 'program.mjs');
  writeFileSync(input, source);
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}
