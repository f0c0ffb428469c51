import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nobody } from './committing.fixture.ts';
import { branch, LandingRepository } from './landing.fixture.ts';

let repository: LandingRepository;
beforeEach(() => {
  for (const [name, value] of Object.entries(nobody)) vi.stubEnv(name, value);
  repository = new LandingRepository();
  repository.begin();
});
afterEach(() => {
  vi.unstubAllEnvs();
  repository.remove();
});

const git = (...args: string[]): string => repository.git(...args);
const merge = (more: { message?: string } = {}) => repository.landing().merge({ branch, into: 'main', ...more });
const remove = (lose = false) => repository.landing().remove({ branch, lose });
const merged = ['two\n', '(none)', 'new\n'];
const files = (): readonly string[] => ['a.txt', 'gone.txt', 'new/file.txt'].map((path) => repository.text(path));

describe('uncommitted', () => {
  test('tells edits and untracked files, without those that are left out or ignored', async () => {
    repository.change('a.txt', 'edited\n');
    repository.change('docs/state.json', '{}');
    repository.change('docs-2/x', '');
    repository.change('ignored', '');
    expect(await repository.landing().uncommitted(['docs'])).toEqual([' M a.txt', '?? docs-2/x']);
  });

  test('tells nothing of a worktree that is gone', async () => {
    rmSync(repository.worktree, { recursive: true });
    expect(await repository.landing().uncommitted([])).toEqual([]);
  });
});

describe('merge', () => {
  test('moves main forward where that suffices', async () => {
    const tip = git('rev-parse', branch);
    expect(await merge()).toEqual({ kind: 'merged', commit: tip });
    expect([git('rev-parse', 'main'), git('status', '--porcelain'), ...files()]).toEqual([tip, '', ...merged]);
    expect(git('reflog', '-1', '--format=%gs')).toBe(`merge ${branch}: Fast-forward`);
    expect(git('rev-parse', 'ORIG_HEAD')).toBe(git('rev-parse', 'main~1'));
    expect(await merge()).toEqual({ kind: 'already', commit: tip });
  });

  test('makes a merge commit in the name of the user, with the words of git or those given', async () => {
    const from = repository.goOn();
    const tip = git('rev-parse', branch);
    const result = await merge();
    expect(result).toEqual({ kind: 'merged', commit: git('rev-parse', 'main') });
    expect(git('log', '-1', '--format=%P %an %s')).toBe(`${from} ${tip} Ada Merge branch '${branch}'`);
    expect([git('status', '--porcelain'), ...files()]).toEqual(['', ...merged]);
    expect(repository.text('b.txt')).toBe('other\n');
    repository.change('a.txt', 'three\n');
    repository.commitThere('more');
    repository.goOn('b.txt', 'again\n');
    expect(await merge({ message: 'Land x\n\nBody' })).toMatchObject({ kind: 'merged' });
    expect(git('log', '-1', '--format=%B')).toBe('Land x\n\nBody');
  });

  test('respects merge.ff', async () => {
    git('config', 'merge.ff', 'false');
    await merge();
    expect(git('log', '-1', '--format=%s')).toBe(`Merge branch '${branch}'`);
    git('config', 'merge.ff', 'only');
    repository.change('a.txt', 'three\n');
    repository.commitThere('more');
    expect(await merge()).toMatchObject({ kind: 'refused' });
  });

  test('tells a conflict with its paths and changes nothing', async () => {
    repository.goOn('a.txt', 'conflicting\n');
    repository.write('b.txt', 'edited\n');
    const before = repository.everything;
    expect(await merge()).toEqual({ kind: 'conflict', paths: ['a.txt'] });
    expect(repository.everything).toEqual(before);
    expect(existsSync(join(repository.root, '.git/MERGE_HEAD'))).toBe(false);
  });

  test.each(['fast-forward', 'merge commit'])('keeps unrelated edits in the main checkout: %s', async (how) => {
    if (how === 'merge commit') repository.goOn('other.txt', 'x\n');
    repository.write('b.txt', 'edited\n');
    repository.write('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    repository.write('untracked.txt', 'mine\n');
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(git('status', '--porcelain')).toBe(' M b.txt\nA  staged.txt\n?? untracked.txt');
    expect([repository.text('b.txt'), ...files()]).toEqual(['edited\n', ...merged]);
  });

  test.each<[string, () => void, string]>([
    ['an edited file', () => repository.write('a.txt', 'edited\n'), 'a.txt'],
    ['a deleted file', () => rmSync(join(repository.root, 'a.txt')), 'a.txt'],
    ['an edit of a file that the merge deletes', () => repository.write('gone.txt', 'edited\n'), 'gone.txt'],
    ['an untracked file', () => repository.write('new/file.txt', 'mine\n'), 'new/file.txt'],
    ['a file in the place of a folder', () => repository.write('new', 'mine\n'), 'new/file.txt'],
    ['a folder in the place of a file', () => repository.write('new/file.txt/mine', 'mine\n'), 'new/file.txt'],
    [
      'a staged edit',
      () => {
        repository.write('a.txt', 'edited\n');
        git('add', 'a.txt');
      },
      'a.txt',
    ],
    [
      'an ignored file',
      () => {
        repository.write('.git/info/exclude', 'new\n');
        repository.write('new/file.txt', 'mine\n');
      },
      'new/file.txt',
    ],
  ])('is refused with everything as it was: %s', async (_, edit, path) => {
    edit();
    const before = repository.everything;
    const result = await merge();
    expect(result).toMatchObject({ kind: 'refused', fix: expect.stringMatching(/stash push .*-- \S/) });
    expect(result).toMatchObject({ why: expect.stringContaining(path) });
    expect(repository.everything).toEqual(before);
    expect(existsSync(join(repository.root, '.git/index.lock'))).toBe(false);
  });

  test('is refused while another branch is checked out, and goes on once it is not', async () => {
    git('switch', '--quiet', '--create', 'other');
    const before = repository.everything;
    expect(await merge()).toMatchObject({ kind: 'refused', fix: `git -C ${repository.root} switch main` });
    expect(repository.everything).toEqual(before);
    git('switch', '--quiet', 'main');
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });

  test("leaves somebody else's merge alone", async () => {
    git('switch', '--quiet', '--create', 'other');
    repository.goOn('b.txt', 'theirs\n');
    git('switch', '--quiet', 'main');
    repository.goOn('b.txt', 'ours\n');
    expect(() => git('merge', '--quiet', 'other')).toThrow('merge');
    const before = repository.everything;
    expect(await merge()).toMatchObject({ kind: 'refused', why: expect.stringContaining('a merge is under way') });
    expect(repository.everything).toEqual(before);
    expect(git('rev-parse', 'MERGE_HEAD')).toBe(git('rev-parse', 'other'));
  });

  test("respects somebody else's lock of the index", async () => {
    repository.write('.git/index.lock', '');
    expect(await merge()).toMatchObject({ kind: 'refused', why: expect.stringContaining('index.lock') });
    expect(existsSync(join(repository.root, '.git/index.lock'))).toBe(true);
    expect(git('rev-parse', 'main')).not.toBe(git('rev-parse', branch));
  });

  test.each(['pre-merge-commit', 'prepare-commit-msg', 'commit-msg'])('%s refuses: nothing changes', async (name) => {
    repository.goOn();
    repository.hook(name, 'echo "not like this"; exit 3');
    const before = repository.everything;
    expect(await merge()).toMatchObject({ kind: 'refused', why: `the hook ${name} refuses: not like this` });
    expect(repository.everything).toEqual(before);
    repository.hook(name, 'exit 0');
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });

  test('hooks see the merged index and may change the message; post-merge runs once', async () => {
    repository.goOn();
    repository.hook('pre-merge-commit', 'git show :a.txt > ../seen');
    repository.hook('commit-msg', 'echo >> "$1"; echo "Reviewed-by: hook" >> "$1"');
    repository.hook('post-merge', 'echo "$1 $(git log -1 --format=%s)" >> ../after; exit 1');
    await merge({ message: 'Land x' });
    await merge({ message: 'Land x' });
    expect(git('log', '-1', '--format=%B')).toBe('Land x\n\nReviewed-by: hook');
    expect([repository.file('seen'), repository.file('after')]).toEqual(['two\n', '0 Land x\n']);
  });

  test('is refused without an identity', async () => {
    repository.goOn();
    git('config', 'user.useConfigOnly', 'true');
    git('config', '--unset', 'user.email');
    expect(await merge()).toMatchObject({ kind: 'refused', fix: expect.stringContaining('git config user.name') });
  });

  test('a run without a branch of its own is home where that branch is checked out', async () => {
    const landing = repository.landing({ workTree: repository.root });
    const already = { kind: 'already', commit: git('rev-parse', 'main') };
    expect(await landing.merge({ branch: null, into: 'main' })).toEqual(already);
    expect(await landing.merge({ branch: 'main', into: 'main' })).toEqual(already);
    git('switch', '--quiet', '--create', 'other');
    expect(await landing.merge({ branch: null, into: 'main' })).toMatchObject({ kind: 'refused' });
  });

  test('tells a branch that does not exist', async () => {
    const landing = repository.landing();
    expect(await landing.merge({ branch: 'none', into: 'main' })).toMatchObject({ why: 'there is no branch none' });
    expect(await landing.merge({ branch, into: 'none' })).toMatchObject({ why: 'there is no branch none' });
  });

  test('is done once the branch is removed, too', async () => {
    repository.goOn();
    const { commit } = { commit: '', ...(await merge()) };
    await remove();
    repository.goOn('b.txt', 'later\n');
    expect(await merge()).toEqual({ kind: 'already', commit });
  });
});

describe('remove', () => {
  const isThere = (): readonly boolean[] => [existsSync(repository.worktree), git('branch', '--list', branch) !== ''];

  test('removes a worktree and branch that are merged; a repetition tells the same', async () => {
    git('config', `branch.${branch}.remote`, 'origin');
    repository.change('.gitignore', 'ignored\nnode_modules\n');
    git('-C', repository.worktree, 'commit', '--quiet', '--all', '--message=ignores');
    repository.change('node_modules/built', 'built\n');
    const tip = git('rev-parse', branch);
    await merge();
    for (const _ of [1, 2]) expect(await remove()).toEqual({ kind: 'removed', commit: tip });
    expect(isThere()).toEqual([false, false]);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(() => git('config', '--get-regexp', '^branch')).toThrow('git');
    expect(readdirSync(repository.folder).toSorted()).toEqual(['bin', 'repo']);
  });

  test('files that git ignores stay, unless the main work tree has the same', async () => {
    await merge();
    repository.change('ignored', 'TOKEN=1\n');
    expect(await remove()).toMatchObject({ kind: 'refused', why: expect.stringMatching(/git ignores.*: ignored$/) });
    expect(isThere()).toEqual([true, true]);
    repository.write('ignored', 'TOKEN=1\n');
    expect(await remove()).toMatchObject({ kind: 'removed' });
  });

  test('branches that are pushed are not lost', async () => {
    git('init', '--quiet', '--bare', join(repository.folder, 'remote'));
    git('remote', 'add', 'origin', join(repository.folder, 'remote'));
    expect(await remove()).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('neither merged nor pushed'),
    });
    git('push', '--quiet', 'origin', branch);
    expect(await remove()).toMatchObject({ kind: 'removed' });
  });

  test.each<[string, () => void, RegExp]>([
    ['edits', () => repository.change('a.txt', 'edited\n'), /not committed: a\.txt/],
    ['untracked files', () => repository.change('notes.txt', 'mine\n'), /not committed: notes\.txt/],
    [
      'later commits',
      () => {
        repository.change('a.txt', 'three\n');
        repository.commitThere('later');
      },
      /neither merged nor pushed/,
    ],
    [
      'commits on no branch',
      () => {
        git('-C', repository.worktree, 'switch', '--quiet', '--detach');
        repository.change('a.txt', 'three\n');
        repository.commitThere('detached');
      },
      /which no branch has/,
    ],
    [
      'another branch in the worktree',
      () => void git('-C', repository.worktree, 'switch', '--quiet', '--create', 'theirs'),
      /has the branch theirs checked out/,
    ],
  ])('is refused with %s, unless they may be lost', async (_, work, why) => {
    await merge();
    work();
    const commit = git('rev-parse', branch);
    const status = git('-C', repository.worktree, 'status', '--porcelain');
    expect(await remove()).toMatchObject({ kind: 'refused', why: expect.stringMatching(why) });
    expect([...isThere(), git('-C', repository.worktree, 'status', '--porcelain')]).toEqual([true, true, status]);
    expect(await remove(true)).toEqual({ kind: 'removed', commit });
    expect(isThere()).toEqual([false, false]);
    git('branch', branch, commit);
  });

  test('edits that nobody needs are not in the way', async () => {
    await merge();
    repository.change('docs/state.json', '{}');
    const result = await repository.landing().remove({ branch, lose: false, except: ['docs'] });
    expect([result.kind, ...isThere()]).toEqual(['removed', false, false]);
  });

  test('a worktree that is gone, or was cut off while it was removed: the branch goes', async () => {
    await merge();
    rmSync(repository.worktree, { recursive: true });
    expect(await remove()).toMatchObject({ kind: 'removed' });
    expect([...isThere(), git('worktree', 'list').split('\n').length]).toEqual([false, false, 1]);
  });

  test('a folder of its name that is no worktree is left alone', async () => {
    await merge();
    rmSync(join(repository.worktree, '.git'));
    expect(await remove(true)).toMatchObject({ kind: 'refused', fix: expect.stringContaining('mv ') });
    expect(isThere()).toEqual([true, true]);
  });

  test('a worktree that a person locked stays, also with lose', async () => {
    git('worktree', 'lock', repository.worktree);
    expect(await remove(true)).toMatchObject({ kind: 'refused', fix: expect.stringContaining('worktree unlock') });
    expect(isThere()).toEqual([true, true]);
  });

  test('a branch that is checked out in the main work tree stays; nothing is switched', async () => {
    git('worktree', 'remove', repository.worktree);
    git('switch', '--quiet', branch);
    const landing = repository.landing({ workTree: repository.root });
    expect(await landing.remove({ branch, lose: true })).toMatchObject({ kind: 'refused' });
    expect(git('branch', '--show-current')).toBe(branch);
    git('switch', '--quiet', 'main');
    expect(await landing.remove({ branch, lose: false })).toMatchObject({ kind: 'refused' });
    expect(await landing.remove({ branch, lose: true })).toMatchObject({ kind: 'removed' });
    expect(await landing.remove({ branch: null, lose: true })).toEqual({ kind: 'removed', commit: null });
    expect(existsSync(repository.root)).toBe(true);
  });

  test('a process inside of the worktree goes on in the main work tree', async () => {
    await merge();
    mkdirSync(join(repository.worktree, 'deep'));
    const before = process.cwd();
    process.chdir(join(repository.worktree, 'deep'));
    try {
      expect(await remove()).toMatchObject({ kind: 'removed' });
      expect(process.cwd()).toBe(repository.root);
      expect(execFileSync('pwd', { encoding: 'utf8' })).toBe(`${repository.root}\n`);
    } finally {
      process.chdir(before);
    }
  });
});

describe('pullRequest', () => {
  const url = 'https://github.com/ada/x/pull/7';
  const order = { branch, base: 'main', title: 'Add x', body: 'Text\nof it' };
  const open = (changes: Partial<typeof order> = {}) => repository.landing().pullRequest({ ...order, ...changes });
  const remote = (): string => join(repository.folder, 'remote');

  /** The address is that of a forge, the repository behind it a folder. */
  const addRemote = (address = 'https://github.com/ada/x.git'): void => {
    git('init', '--quiet', '--bare', remote());
    git('remote', 'add', 'origin', address);
    git('config', `url.${remote()}.insteadOf`, address);
  };
  const pushed = (): string => git('-C', remote(), 'for-each-ref', '--format=%(refname) %(objectname)');
  const program = (name = 'gh'): void => {
    repository.forge(name, `case "$2" in view) exit 1;; create) echo "Creating"; echo ${url};; esac`);
  };
  beforeEach(() => {
    // Whatever forge this computer has is not to be found: only git and the shell are.
    const tools = join(repository.folder, 'tools');
    mkdirSync(tools);
    for (const name of ['git', 'sh', 'cat', 'env']) {
      const at = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(at, join(tools, name));
    }
    vi.stubEnv('PATH', `${repository.bin}:${tools}`);
  });

  test('pushes the branch and opens one', async () => {
    addRemote();
    program();
    expect(await open()).toEqual({ kind: 'opened', url });
    expect(pushed()).toBe(`refs/heads/${branch} ${git('rev-parse', branch)}`);
    expect(git('config', `branch.${branch}.remote`)).toBe('origin');
    expect(repository.forgeCalls).toEqual([
      ['pr', 'view', '--json=url,state,headRefOid,headRefName', '--', branch],
      ['pr', 'create', `--head=${branch}`, '--base=main', '--title=Add x', '--body-file=-', 'Text', 'of it'],
    ]);
  });

  test('uses glab for a host of GitLab', async () => {
    addRemote('git@gitlab.example.org:ada/x.git');
    program();
    program('glab');
    expect(await open()).toEqual({ kind: 'opened', url });
    expect(repository.forgeCalls[1]).toEqual([
      'mr',
      'create',
      `--source-branch=${branch}`,
      '--target-branch=main',
      '--title=Add x',
      '--description=Text',
      'of it',
      '--yes',
    ]);
  });

  test('words of agents are never options, commands or further lines of a title', async () => {
    addRemote();
    program();
    await open({ title: '--web\n$(touch ../hacked) `id` ; \u001B[31m', body: '--fill\n$(touch ../hacked)' });
    expect(repository.forgeCalls[1]?.slice(4)).toEqual([
      '--title=--web $(touch ../hacked) `id` ; [31m',
      '--body-file=-',
      '--fill',
      '$(touch ../hacked)',
    ]);
    expect(existsSync(join(repository.folder, 'hacked'))).toBe(false);
  });

  test.each([
    ['open', (tip: string) => ({ state: 'OPEN', headRefOid: `not ${tip}`, headRefName: branch }), 'already'],
    ['merged as it is', (tip: string) => ({ state: 'MERGED', headRefOid: tip, headRefName: branch }), 'already'],
    ['merged before', () => ({ state: 'MERGED', headRefOid: 'x', headRefName: branch }), 'opened'],
    ['of another branch', () => ({ state: 'OPEN', headRefOid: 'x', headRefName: 'other' }), 'opened'],
  ])('one that exists already, %s', async (_, shown, kind) => {
    addRemote();
    const json = JSON.stringify({ url: 'https://github.com/ada/x/pull/3', ...shown(git('rev-parse', branch)) });
    repository.forge('gh', `case "$2" in view) echo '${json}';; create) echo ${url};; esac`);
    expect(await open()).toEqual({ kind, url: kind === 'already' ? 'https://github.com/ada/x/pull/3' : url });
  });

  test('one that appears while it is opened is found', async () => {
    addRemote();
    const json = JSON.stringify({ url, state: 'OPEN', headRefOid: '', headRefName: branch });
    const made = join(repository.folder, 'made');
    repository.forge('gh', `case "$2" in view) [ -e ${made} ] && echo '${json}';; create) : > ${made}; exit 1;; esac`);
    expect(await open()).toEqual({ kind: 'already', url });
  });

  test('tells what the forge says when it fails', async () => {
    addRemote();
    repository.forge('gh', 'echo "not logged in" >&2; exit 4');
    const result = await open({ title: "it's" });
    expect(result).toMatchObject({ kind: 'failed', output: 'not logged in' });
    expect(result).toMatchObject({ fix: expect.stringMatching(/^gh pr create .*'--title=it'\\''s' --body-file=\//) });
    program();
    expect(await open()).toEqual({ kind: 'opened', url });
  });

  test('pushes and tells the command where the program is not installed', async () => {
    addRemote();
    program('glab');
    const result = await open();
    expect(result).toMatchObject({ kind: 'commands', why: expect.stringContaining('gh is not installed') });
    expect(result).toMatchObject({
      commands: [expect.stringMatching(/^gh pr create --head=feature\/1-x --base=main/)],
    });
    expect(pushed()).toContain(branch);
    const bodyFile = /--body-file=(\S+)/.exec(JSON.stringify(result))?.[1]?.replace(/"\].*/, '') ?? '';
    expect(execFileSync('cat', [bodyFile], { encoding: 'utf8' })).toBe(order.body);
  });

  test('a program of a forge ends when Pawl is interrupted', async () => {
    addRemote();
    repository.forge('gh', 'exec cat /dev/zero > /dev/null');
    const interrupted = AbortSignal.abort();
    expect(await repository.landing({ interrupted }).pullRequest(order)).toMatchObject({ kind: 'failed' });
  });

  test('[feature/finish/pull-request] fails where there is no remote to push to', async () => {
    program();
    expect(await open()).toMatchObject({ kind: 'failed', fix: 'git remote add origin <url>' });
    expect(repository.forgeCalls).toEqual([]);
  });

  test.each(['relative', 'repository', 'worktree', 'linked'])(
    'a program that an agent could write is not started: %s',
    async (where) => {
      addRemote();
      const places = { relative: 'bin', repository: 'repo/bin', worktree: 'repo-1-x/bin', linked: 'linked' };
      const folder = join(repository.folder, places[where as keyof typeof places]);
      const source = where === 'linked' ? join(repository.worktree, 'tools') : folder;
      mkdirSync(source, { recursive: true });
      writeFileSync(join(source, 'gh'), `#!/bin/sh\necho ${url}\n: > ${repository.folder}/started\n`, { mode: 0o755 });
      if (where === 'linked') {
        mkdirSync(folder);
        symlinkSync(join(source, 'gh'), join(folder, 'gh'));
      }
      const entry = where === 'relative' ? '../bin' : folder;
      vi.stubEnv('PATH', `${entry}:${join(repository.folder, 'tools')}`);
      expect(await open()).toMatchObject({ kind: 'commands' });
      expect(existsSync(join(repository.folder, 'started'))).toBe(false);
    },
  );

  test('nothing is forced: a remote that has other commits refuses, and they come first', async () => {
    addRemote();
    program();
    const theirs = git('commit-tree', '-m', 'theirs', 'main^{tree}');
    git('push', '--quiet', remote(), `${theirs}:refs/heads/${branch}`);
    const before = pushed();
    expect(await open()).toMatchObject({ kind: 'failed', fix: expect.stringContaining('pull --no-rebase origin') });
    expect([pushed(), repository.forgeCalls]).toEqual([before, []]);
  });

  test('pre-push refuses with what is to be pushed at hand', async () => {
    addRemote();
    program();
    repository.hook('pre-push', 'cat > ../pushed; echo "$1"; exit 1');
    expect(await open()).toMatchObject({ kind: 'failed', output: 'the hook pre-push refuses: origin' });
    const ref = `refs/heads/${branch}`;
    expect(repository.file('pushed')).toBe(`${ref} ${git('rev-parse', branch)} ${ref} ${'0'.repeat(40)}\n`);
    expect(pushed()).toBe('');
  });

  test('works from the record of the branch once its worktree is gone', async () => {
    addRemote();
    program();
    rmSync(repository.worktree, { recursive: true });
    expect(await open()).toEqual({ kind: 'opened', url });
  });
});

describe('a merge that was killed while files were moved', () => {
  /** The merge stops where it stood: the lock, the record, and some of the files. */
  const half = async (leave: () => void): Promise<void> => {
    const other = repository.landing({
      records: {
        read: () => undefined,
        keep: (name, text) => {
          const folder = join(repository.root, '.git/pawl/landing');
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, `${name}.record`), text);
          if (text.endsWith('moving')) throw new Error('killed');
        },
      },
    });
    await expect(other.merge({ branch, into: 'main' })).rejects.toThrow('killed');
    leave();
    const folder = join(repository.root, '.git/pawl/landing');
    repository.write('.git/index.lock', `locked by pawl for ${folder}\n`);
  };

  test.each<[string, () => void]>([
    ['no file', () => {}],
    ['a whole file', () => repository.write('a.txt', 'two\n')],
    ['a cut-off file', () => repository.write('a.txt', 't')],
    ['a missing file', () => rmSync(join(repository.root, 'a.txt'))],
    ['a new file', () => repository.write('new/file.txt', 'new\n')],
    ['a cut-off new file', () => repository.write('new/file.txt', '')],
    ['a deleted file', () => rmSync(join(repository.root, 'gone.txt'))],
    [
      'files and index',
      () => {
        const commit = repository.file('repo/.git/pawl/landing/merge.record').split(' ')[4] ?? '';
        git('read-tree', '-m', '-u', 'main', commit);
      },
    ],
  ])('is completed: %s', async (_, leave) => {
    repository.goOn();
    repository.write('untracked.txt', 'mine\n');
    await half(leave);
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect([git('status', '--porcelain'), ...files()]).toEqual(['?? untracked.txt', ...merged]);
    expect(git('log', '-1', '--format=%s')).toBe(`Merge branch '${branch}'`);
    expect(existsSync(join(repository.root, '.git/index.lock'))).toBe(false);
  });

  test('edits made since are kept', async () => {
    await half(() => {
      repository.write('a.txt', 'edited since\n');
      repository.write('new/file.txt', 'new\n');
    });
    expect(await merge()).toMatchObject({ kind: 'refused', why: expect.stringContaining('a.txt') });
    expect([repository.text('a.txt'), git('rev-parse', 'main')]).toEqual(['edited since\n', git('rev-parse', 'HEAD')]);
  });
});
