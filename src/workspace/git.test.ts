import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BareRepository, findRepository, git, GitFailed, NotARepository } from './git.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-git-')));
});
afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));

const run = (...args: string[]): string => execFileSync('git', args, { cwd: top, encoding: 'utf8', stdio: 'pipe' });
const repository = (name: string): string => {
  run('init', '-q', name);
  run('-C', name, 'commit', '-q', '--allow-empty', '-m', 'first');
  return join(top, name);
};

describe('findRepository', () => {
  test('from the root and from a folder below, without commits too', () => {
    run('init', '-q', 'repo');
    const root = join(top, 'repo');
    mkdirSync(join(root, 'a/b'), { recursive: true });
    const expected = { root, gitDir: join(root, '.git'), commonDir: join(root, '.git') };
    expect(findRepository(root)).toEqual(expected);
    expect(findRepository(join(root, 'a/b'))).toEqual(expected);
  });

  test('a linked worktree shares the common directory', () => {
    const root = repository('repo');
    run('-C', 'repo', 'worktree', 'add', '-q', '../tree');
    expect(findRepository(join(top, 'tree'))).toEqual({
      root: join(top, 'tree'),
      gitDir: join(root, '.git/worktrees/tree'),
      commonDir: join(root, '.git'),
    });
  });

  test('agrees with git itself in a worktree of a bare repository', () => {
    repository('repo');
    run('clone', '-q', '--bare', 'repo', 'bare.git');
    run('-C', 'bare.git', 'worktree', 'add', '-q', '../tree');
    const found = findRepository(join(top, 'tree'));
    expect(found.root).toBe(run('-C', 'tree', 'rev-parse', '--show-toplevel').trim());
    expect(found.commonDir).toBe(run('-C', 'tree', 'rev-parse', '--git-common-dir').trim());
  });

  test('no repository: says what to do', () => {
    expect(() => findRepository(top)).toThrow(NotARepository);
    expect(() => findRepository(top)).toThrow(/is not inside a git repository/);
    expect(() => findRepository(join(top, 'missing'))).toThrow(NotARepository);
    mkdirSync(join(top, 'broken'));
    writeFileSync(join(top, 'broken/.git'), 'gitdir: ../nowhere\n');
    expect(() => findRepository(join(top, 'broken'))).toThrow(/is not a git directory/);
  });

  test('[change row 103] a bare repository, and the inside of a .git folder, have no work tree', () => {
    run('init', '-q', '--bare', 'bare');
    repository('repo');
    mkdirSync(join(top, 'hub'));
    writeFileSync(join(top, 'hub/.git'), 'gitdir: ../bare\n');
    for (const place of ['bare', 'bare/refs', 'hub', 'repo/.git', 'repo/.git/refs']) {
      expect(() => findRepository(join(top, place)), place).toThrow(BareRepository);
    }
  });
});

describe('git', () => {
  test('passes input and gives back bytes', async () => {
    const root = repository('repo');
    const id = await git(['hash-object', '-w', '--stdin'], { cwd: root, input: Buffer.from([0, 255, 10]) });
    expect(await git(['cat-file', 'blob', id.toString().trim()], { cwd: root })).toEqual(Buffer.from([0, 255, 10]));
  });

  test('a failure carries what git said', async () => {
    const failure = await git(['cat-file', 'blob', 'nonsense'], { cwd: repository('repo') }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(GitFailed);
    expect(failure).toMatchObject({
      code: 'GitFailed',
      exitCode: 128,
      message: expect.stringContaining('Not a valid object name'),
    });
  });

  test('the environment does not reach it', async () => {
    const root = repository('repo');
    process.env['GIT_DIR'] = '/nowhere';
    try {
      expect((await git(['rev-parse', '--git-dir'], { cwd: root })).toString().trim()).toBe('.git');
    } finally {
      delete process.env['GIT_DIR'];
    }
  });
});
