import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CommitRepository, nobody } from './committing.fixture.ts';

let repository: CommitRepository;
beforeEach(() => {
  for (const [name, value] of Object.entries(nobody)) vi.stubEnv(name, value);
  repository = new CommitRepository();
  repository.start({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  repository.write('a.txt', 'two\n');
});
afterEach(() => {
  vi.unstubAllEnvs();
  repository.remove();
});

const git = (...args: string[]): string => repository.git(...args);
const commit = () => repository.commit('fix: a', ['a.txt']);
const written = (name: string): string => readFileSync(join(repository.folder, name), 'utf8').trimEnd();

describe('the hooks decide', () => {
  test.each(['pre-commit', 'prepare-commit-msg', 'commit-msg'])('%s refuses: nothing is committed', async (name) => {
    repository.hook(name, 'echo "not like this"; exit 3');
    expect(await commit()).toEqual({ kind: 'refused', hook: name, output: 'not like this' });
    expect([git('log', '--format=%s'), git('status', '--porcelain')]).toEqual(['start', ' M a.txt']);
    // Once it is satisfied the same commit is made.
    repository.hook(name, 'exit 0');
    expect(await commit()).toMatchObject({ kind: 'committed' });
  });

  test('each gets what git gives it: arguments, index, HEAD, the folder it is started in', async () => {
    const report = (name: string): string =>
      `{ pwd; git diff --cached --name-only; git diff --name-only; git log -1 --format=%s; git branch --show-current; ` +
      `git config user.name; [ -z "$1" ] || { cat "$1"; echo "$2"; }; } > ../${name}`;
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'])
      repository.hook(name, report(name));
    repository.write('b.txt', 'not part of it\n');
    await commit();
    const seen = `${repository.root}\na.txt\nb.txt\nstart\nmain\nAda`;
    expect(written('pre-commit')).toBe(seen);
    expect(written('prepare-commit-msg')).toBe(`${seen}\nfix: a\nmessage`);
    expect(written('commit-msg')).toBe(`${seen}\nfix: a`);
    expect(written('post-commit')).toBe(`${repository.root}\nb.txt\nfix: a\nmain\nAda`);
  });

  test('post-commit is too late to matter', async () => {
    repository.hook('post-commit', 'exit 1');
    expect(await commit()).toMatchObject({ kind: 'committed' });
  });

  test('a hook that is not executable does not run', async () => {
    repository.hook('pre-commit', 'exit 1');
    chmodSync(join(repository.root, '.git/hooks/pre-commit'), 0o644);
    expect(await commit()).toMatchObject({ kind: 'committed' });
  });

  test.each(['.husky', 'absolute'])('core.hooksPath is where they are: %s', async (where) => {
    const folder = where === 'absolute' ? '../hooks' : where;
    repository.hook('pre-commit', 'exit 1', folder);
    git('config', 'core.hooksPath', where === 'absolute' ? join(repository.folder, 'hooks') : where);
    expect(await commit()).toMatchObject({ kind: 'refused', hook: 'pre-commit' });
  });
});

describe('the hooks change the commit', () => {
  test('what pre-commit formats and stages is committed', async () => {
    repository.hook('pre-commit', 'tr a-z A-Z < a.txt > x && mv x a.txt && git add a.txt');
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect([git('show', 'HEAD:a.txt'), git('status', '--porcelain')]).toEqual(['TWO', '']);
    expect(git('fsck', '--no-dangling')).toBe('');
  });

  test('as lint-staged does: with a stash of its own, which does not reach the repository', async () => {
    repository.write('b.txt', 'unstaged\n');
    repository.hook(
      'pre-commit',
      'git stash store -m backup $(git stash create) && git stash drop -q && git add a.txt',
    );
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect([git('stash', 'list'), git('status', '--porcelain')]).toEqual(['', ' M b.txt']);
  });

  test('files that are not part of the commit are not smuggled in', async () => {
    // Of another length: git may take one of the same, written in the same instant, for unchanged.
    repository.write('b.txt', 'two and more\n');
    repository.hook('pre-commit', 'git add b.txt');
    const refused = { kind: 'refused', hook: 'pre-commit', output: expect.stringContaining('b.txt') };
    expect(await commit()).toEqual(refused);
    repository.hook('pre-commit', 'git reset -q HEAD a.txt');
    expect(await commit()).toMatchObject({ kind: 'refused', output: 'it left nothing to commit' });
  });

  test('the message is the one they leave', async () => {
    repository.hook('prepare-commit-msg', 'printf "GAL-1: %s\\n\\n\\n" "$(cat "$1")" > "$1"');
    await commit();
    expect(git('log', '-1', '--format=%B')).toBe('GAL-1: fix: a');
  });

  test('no message at all, or a link in its place, is refused', async () => {
    repository.hook('commit-msg', ': > "$1"');
    expect(await commit()).toMatchObject({ kind: 'refused', hook: 'commit-msg' });
    writeFileSync(join(repository.folder, 'secret'), 'secret');
    repository.hook('commit-msg', `rm "$1"; ln -s ${join(repository.folder, 'secret')} "$1"`);
    expect(await commit()).toMatchObject({ kind: 'refused', hook: 'commit-msg' });
    expect(git('log', '--format=%s')).toBe('start');
  });

  test("nothing that they do with git reaches the user's repository", async () => {
    const before = git('for-each-ref');
    const marker = join(repository.folder, 'ran');
    repository.hook(
      'pre-commit',
      `git branch evil; git config alias.x '!touch ${marker}'; git config core.fsmonitor 'touch ${marker}'; ` +
        `git config filter.x.clean 'touch ${marker}'; echo '* filter=x' > "$GIT_DIR/info/attributes"`,
    );
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect(git('for-each-ref').split('\n').length).toBe(before.split('\n').length);
    expect([git('branch', '--list', 'evil'), existsSync(marker)]).toEqual(['', false]);
    expect(git('config', '--list', '--local')).not.toContain('touch');
  });

  test('an index that is a link, or gone, is refused', async () => {
    for (const end of ['', `ln -s ${join(repository.root, '.git/index')} "$GIT_INDEX_FILE"`]) {
      repository.hook('pre-commit', `rm "$GIT_INDEX_FILE"; ${end}`);
      expect(await commit()).toMatchObject({ kind: 'refused', output: 'it removed the index' });
    }
  });
});

describe('C3: a commit is made once', () => {
  test('repeated, it is already there, also where a hook changed the files or the message', async () => {
    repository.hook('pre-commit', 'echo x >> ../ran; tr a-z A-Z < a.txt > x && mv x a.txt && git add a.txt');
    repository.hook('commit-msg', 'echo GAL-1 >> "$1"');
    const { altered, ...made } = { altered: [], ...(await commit()) };
    expect(altered).toEqual(['a.txt']);
    expect(await commit()).toEqual({ ...made, kind: 'already' });
    repository.write('c.txt', 'later\n');
    git('add', 'c.txt');
    git('commit', '--quiet', '--no-verify', '--message=later');
    expect(await commit()).toEqual({ ...made, kind: 'already' });
    expect([git('log', '--format=%s').split('\n'), written('ran')]).toEqual([['later', 'fix: a GAL-1', 'start'], 'x']);
  });

  test('other content with the same words is another commit', async () => {
    await commit();
    repository.write('a.txt', 'three\n');
    expect(await commit()).toMatchObject({ kind: 'committed' });
    // What was committed once and changed since is committed again.
    repository.write('a.txt', 'two\n');
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect(git('log', '--format=%s').split('\n').length).toBe(4);
  });

  test('a HEAD that has moved meanwhile is not lost', async () => {
    repository.hook(
      'pre-commit',
      `env -u GIT_DIR -u GIT_INDEX_FILE -u GIT_WORK_TREE git -C ${repository.root} commit --quiet --no-verify --allow-empty --message=other`,
    );
    await expect(commit()).rejects.toThrow(/update-ref/);
    repository.hook('pre-commit', 'exit 0');
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect(git('log', '--format=%s').split('\n')).toEqual(['fix: a', 'other', 'start']);
  });

  test("the user's index is brought up to date after a kill, without what they staged since", async () => {
    repository.write('b.txt', 'two\n');
    await repository.commit('fix: both', ['a.txt', 'b.txt']);
    git('read-tree', 'HEAD~1');
    repository.write('b.txt', 'three\n');
    git('add', 'b.txt');
    repository.write('b.txt', 'two\n');
    expect(await repository.commit('fix: both', ['a.txt', 'b.txt'])).toMatchObject({ kind: 'already' });
    expect(git('status', '--porcelain')).toBe('MM b.txt');
  });

  test('nothing is left of earlier attempts', async () => {
    const scratch = join(repository.folder, 'scratch');
    mkdirSync(scratch);
    writeFileSync(join(scratch, 'index'), 'torn');
    symlinkSync('/nowhere', join(scratch, 'hooks'));
    repository.hook('pre-commit', 'exit 0');
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect(readdirSync(scratch).toSorted()).toEqual(['hooks', 'index']);
  });
});
