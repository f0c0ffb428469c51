import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRepository, GitFailed } from './git.ts';
import { WorkTree } from './tree.ts';

let top: string;
let root: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-commits-')));
  root = join(top, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', root]);
  commit('first', { 'a.txt': 'one\n' });
  commit('second', { 'a.txt': 'two\n', 'b.txt': 'b\n' });
});
afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
const put = (path: string, content: string, mode = 0o644): void => writeFileSync(join(root, path), content, { mode });
const commits = () =>
  new WorkTree({ root, shadowDir: join(top, 'shadow'), commonDir: findRepository(root).commonDir }).commits;

function commit(message: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) put(path, content);
  git('add', '-A');
  git('commit', '-q', '-m', message);
}

test('a diff has new files, those between two commits, and those of one path', async () => {
  put('new.txt', 'new\n');
  put('a.txt', 'three\n');
  const diff = await commits().diff('HEAD', null, null);
  expect(diff).toContain('+++ b/new.txt');
  expect(diff).toContain('-two\n+three');
  expect(await commits().diff('HEAD~1', 'main', 'a.txt')).toMatch(
    /^diff --git a\/a\.txt b\/a\.txt\n[^]*-one\n\+two\n$/,
  );
});

test('a log, a commit, and a file as it was', async () => {
  const log = await commits().log('HEAD', null, 5);
  expect(log).toMatch(/second[^]*b\.txt \| 1 \+[^]*first/);
  expect(await commits().log('HEAD', 'b.txt', 5)).not.toContain('first');
  expect(await commits().log('HEAD', null, 1)).not.toContain('first');
  expect(await commits().show('HEAD', null)).toContain('-one\n+two');
  expect(await commits().show('HEAD^', 'a.txt')).toBe('one\n');
});

test('in a shallow clone, too', async () => {
  const clone = join(top, 'clone');
  git('clone', '-q', '--depth=1', `file://${root}`, clone);
  root = clone;
  expect(await commits().log('HEAD', null, 5)).toContain('second');
});

test('nothing that the repository names is run (attack 2.22)', async () => {
  const ran = join(top, 'ran');
  put('evil.sh', `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, 0o755);
  put('.gitattributes', '*.txt diff=evil filter=evil\n');
  const evil = join(root, 'evil.sh');
  const settings = ['core.fsmonitor', 'core.pager', 'diff.external', 'diff.evil.command', 'diff.evil.textconv'];
  const others = ['filter.evil.clean', 'filter.evil.smudge', 'gpg.program', 'core.sshCommand', 'core.gitProxy'];
  for (const name of [...settings, ...others]) git('config', name, evil);
  git('config', 'log.showSignature', 'true');
  git('config', 'alias.log', `!${evil}`);
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.url', `ext::${evil}`);
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'protocol.ext.allow', 'always');
  put('a.txt', 'three\n');
  expect(await commits().diff('HEAD', null, null)).toContain('+three');
  await commits().diff('HEAD~1', 'HEAD', null);
  await commits().log('HEAD', 'a.txt', 5);
  await commits().show('HEAD', null);
  await commits().show('HEAD', 'a.txt');
  await expect(commits().show('0123456789012345678901234567890123456789', null)).rejects.toThrow(GitFailed);
  expect(existsSync(ran)).toBe(false);
});

test.each(['--output=x', '-p', '', 'HEAD:a.txt', 'a b', 'HEAD..main', ':/first', 'HEAD^{/first}', 'a\nb', '@{u}'])(
  '%j is no name of a commit (attack 2.22)',
  async (name) => {
    await expect(commits().show(name, null)).rejects.toThrow('is not the name of a commit');
    await expect(commits().diff('HEAD', name, null)).rejects.toThrow('is not the name of a commit');
  },
);

test.each(['../outside', '/etc/passwd', '--output=x', 'nothing.txt'])('%j is no file of a commit', async (path) => {
  await expect(commits().show('HEAD', path)).rejects.toThrow(GitFailed);
  expect(existsSync(join(root, 'x'))).toBe(false);
});
