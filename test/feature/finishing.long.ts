/** `finish` on real repositories with real worktrees. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  documented,
  FeatureRepository,
  folder,
  implement,
  implemented,
  run,
  specText,
  verified,
} from './played-feature.ts';

const branch = `feature/${run}`;

/** Quick, in a worktree, implemented; committed there or not. */
let implementedQuick: FeatureRepository;
beforeAll(async () => {
  implementedQuick = FeatureRepository.with();
  const made = await implementedQuick.begin('--mode', 'quick', '--worktree');
  expect(made.code).toBe(0);
  await implementedQuick.phase('specify', documented(specText));
  expect((await implementedQuick.phase('implement', implemented, '--yes')).code).toBe(0);
});
afterAll(() => implementedQuick.remove());

const branches = (repository: FeatureRepository): string =>
  repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim();

/** Everything of git that a command which changes nothing leaves. */
const everything = (repository: FeatureRepository): readonly string[] => [
  repository.git('for-each-ref'),
  repository.git('status', '--porcelain'),
  repository.git('-C', repository.worktree, 'status', '--porcelain'),
  readFileSync(join(repository.worktree, 'limit.mjs'), 'utf8'),
];

const finish = (repository: FeatureRepository, ...answers: readonly Readonly<Record<string, string>>[]) =>
  repository.feature(['finish', run, ...answers.flatMap((each) => repository.answers(each))]);

test('[feature/finish/worktree] the worktree is beside the checkout, on a branch of its own, stored relative', () => {
  expect(implementedQuick.meta['worktree']).toBe(`../repo-${run}`);
  expect(implementedQuick.git('-C', implementedQuick.worktree, 'branch', '--show-current').trim()).toBe(branch);
});

test('[feature/finish/worktree] it is resolved at run time: a repository that moved goes on', async (context) => {
  // A copy is in another place, and git knows that.
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  expect((await finish(repository, { finish: 'merge' })).code).toBe(0);
  expect(existsSync(repository.worktree)).toBe(false);
  expect(existsSync(implementedQuick.worktree)).toBe(true);
});

test('[feature/finish/dirty] uncommitted changes stop it, and nothing is changed', async (context) => {
  const repository = implementedQuick.copyFor(context);
  const before = everything(repository);
  const ran = await finish(repository, { finish: 'merge' });
  expect([ran.code, ran.json['action']]).toEqual([4, 'not_ready']);
  expect(ran.stderr).toContain(`there are uncommitted changes: ${folder}/spec.md, limit.mjs`);
  expect(ran.json['next']).toBe(`git -C ${repository.worktree} status`);
  expect(everything(repository)).toEqual(before);
  expect(repository.meta['status']).toBe('active');
});

describe('[feature/finish/dirty] [feature/finish/changed] work that is not on the branch of the feature', () => {
  const kept = ({ worktree }: FeatureRepository): string => `git -C ${worktree} branch ${branch}-kept && `;
  test.each([
    ['another branch', ['switch', '--quiet', '--create', 'other'], 'other', () => ''],
    ['no branch', ['switch', '--quiet', '--detach'], 'no branch', kept],
  ])('%s is checked out: nothing is landed, removed or lost', async (_, change, told, keep) => {
    const repository = implementedQuick.copy();
    repository.git('-C', repository.worktree, ...change);
    repository.commit();
    const before = everything(repository);
    for (const answers of [{ finish: 'merge' }, { finish: 'pull_request' }, { finish: 'discard', discard: run }]) {
      const ran = await finish(repository, answers);
      expect([ran.code, ran.json['next']]).toEqual([
        4,
        `${keep(repository)}git -C ${repository.worktree} switch ${branch}`,
      ]);
      expect(ran.stderr).toContain(`has ${told} checked out, not ${branch}`);
    }
    expect([everything(repository), repository.meta['status']]).toEqual([before, 'active']);
    repository.remove();
  });
});

test('[feature/finish/merge] [feature/history/deleted] merge: on main, worktree and branch gone, history deleted, completed', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  const ran = await finish(repository, { finish: 'merge' });
  expect([ran.code, ran.json['action'], ran.json['state']]).toEqual([0, 'finished', 'done']);
  expect(repository.read('limit.mjs')).toBe('export const limit = 60;\n');
  expect(repository.read(`${folder}/spec.md`)).toBe(specText);
  expect(existsSync(repository.worktree)).toBe(false);
  expect(branches(repository)).toBe('main');
  expect(repository.exists(`${folder}/.review-history.md`)).toBe(false);
  expect(repository.meta).toMatchObject({
    status: 'completed',
    completed: expect.any(String) as unknown,
    worktree: null,
  });
  expect(ran.json['next']).toBeNull();
  const log = await repository.pawl(['log', run]);
  expect(log.stdout).toContain('review');
  const again = await finish(repository, { finish: 'merge' });
  expect([again.code, repository.meta['status']]).toEqual([4, 'completed']);
});

test('[feature/finish/merge] main that went on gets a merge commit', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  repository.write('other.txt', 'other\n');
  repository.git('add', 'other.txt');
  repository.git('commit', '--quiet', '--message=other');
  expect((await finish(repository, { finish: 'merge' })).code).toBe(0);
  expect(repository.git('log', '-1', '--format=%s').trim()).toBe(`Merge feature ${run}: Short slugs`);
  expect(repository.git('rev-list', '--parents', '-1', 'HEAD').trim().split(' ')).toHaveLength(3);
});

test('[feature/finish/conflict] a conflict stops with the way on, which leads to the end', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  repository.write('limit.mjs', 'export const limit = 40;\n');
  repository.git('add', 'limit.mjs');
  repository.git('commit', '--quiet', '--message=other');
  const before = everything(repository);
  const ran = await finish(repository, { finish: 'merge' });
  expect([ran.code, ran.json['action']]).toEqual([4, 'not_ready']);
  expect(ran.stderr).toContain(`${branch} does not merge into main: limit.mjs conflict; nothing was changed`);
  expect(ran.json['next']).toBe(`git -C ${repository.worktree} merge main`);
  expect(everything(repository)).toEqual(before);

  expect(() => repository.git('-C', repository.worktree, 'merge', 'main')).toThrow('merge main');
  const half = await finish(repository);
  expect([half.code, half.json['action']]).toEqual([4, 'not_ready']);
  writeFileSync(join(repository.worktree, 'limit.mjs'), 'export const limit = 50;\n');
  repository.commit('resolved');
  // The first answer was given before.
  const end = await repository.feature(['finish', run, ...repository.answers({ finish: ['merge', 'merge'] })]);
  expect([end.code, repository.read('limit.mjs')]).toEqual([0, 'export const limit = 50;\n']);
  expect(branches(repository)).toBe('main');
});

test('[feature/finish/merge] git refuses to merge over changes in main, and nothing is lost', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  repository.write('limit.mjs', 'mine, not committed\n');
  const ran = await finish(repository, { finish: 'merge' });
  expect(ran.code).toBe(4);
  expect(repository.read('limit.mjs')).toBe('mine, not committed\n');
  expect([repository.meta['status'], existsSync(repository.worktree)]).toEqual(['active', true]);
});

test('[feature/finish/keep] keep changes nothing', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  const [before, history] = [everything(repository), repository.history];
  const ran = await finish(repository, { finish: 'keep' });
  expect(ran.code).toBe(0);
  expect(everything(repository)).toEqual(before);
  expect(repository.history).toBe(history);
  expect(repository.meta).toMatchObject({ status: 'active', completed: null, worktree: `../repo-${run}` });
});

test('[feature/finish/open-tasks] open tasks are warned of, and the person decides', async (context) => {
  const repository = implementedQuick.copyFor(context);
  writeFileSync(join(repository.worktree, folder, 'tasks.md'), '# Tasks\n\n- [ ] a\n- [x] b\n- [ ] c\n');
  repository.commit();
  const ran = await finish(repository);
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('Warning: 2 open tasks in tasks.md.');
  const merged = await finish(repository, { finish: 'merge' });
  expect(merged.code).toBe(0);
});

describe('[feature/finish/discard] discard', () => {
  test.for([['yes'], ['001'], ['001-short-slug']])(
    'with the words %j keeps everything',
    async ([words = ''], context) => {
      const repository = implementedQuick.copyFor(context);
      repository.commit();
      const before = everything(repository);
      const ran = await finish(repository, { finish: 'discard', discard: words });
      expect([ran.code, ran.json['state']]).toEqual([0, 'idle']);
      expect(everything(repository)).toEqual(before);
      expect(repository.meta['status']).toBe('active');
    },
  );

  test('without a person it asks, and waits', async (context) => {
    const repository = implementedQuick.copyFor(context);
    repository.commit();
    const ran = await finish(repository, { finish: 'discard' });
    expect([ran.code, ran.json['decisions'][0].id]).toEqual([3, 'discard']);
    expect(existsSync(repository.worktree)).toBe(true);
  });

  test('with the name of the feature removes worktree and branch, and tells how to get the commits back', async (context) => {
    const repository = implementedQuick.copyFor(context);
    repository.commit();
    const tip = repository.git('rev-parse', branch).trim();
    const ran = await finish(repository, { finish: 'discard', discard: run });
    expect([ran.code, ran.json['action'], ran.json['state']]).toEqual([0, 'discarded', 'discarded']);
    expect([existsSync(repository.worktree), branches(repository)]).toEqual([false, 'main']);
    expect(repository.meta).toMatchObject({ status: 'abandoned', completed: expect.any(String) as unknown });
    expect(repository.exists(`${folder}/.review-history.md`)).toBe(false);
    expect(repository.exists('limit.mjs')).toBe(false);
    expect(ran.stderr).toContain(`git branch ${branch} ${tip}`);
    repository.git('branch', branch, tip);
    expect(repository.git('show', `${branch}:limit.mjs`)).toContain('60');
  });

  test('without a worktree the checkout stays as it is', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'hotfix');
    await repository.phase('implement', [implement({ 'limit.mjs': '60\n' })], '--no-review');
    repository.commit();
    const ran = await finish(repository, { finish: 'discard', discard: run });
    expect([ran.code, repository.meta['status'], repository.read('limit.mjs')]).toEqual([0, 'abandoned', '60\n']);
  });
});

describe('[feature/finish/pull-request] [feature/finish/kept-for-pr] pull request', () => {
  const address = 'https://github.com/ada/x.git';

  /** A repository with a remote, and a folder for programs that comes first in PATH. */
  function withRemote(repository: FeatureRepository): string {
    repository.commit();
    repository.git('init', '--quiet', '--bare', '../remote.git');
    repository.git('remote', 'add', 'origin', address);
    repository.git('config', `url.${repository.folder}/remote.git.insteadOf`, address);
    const bin = join(repository.folder, 'bin');
    mkdirSync(bin);
    return bin;
  }

  function forge(repository: FeatureRepository, bin: string, lines: string): void {
    const file = join(bin, 'gh');
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${repository.folder}/forge.log\n${lines}\n`);
    chmodSync(file, 0o755);
  }

  test('pushes, has the forge open it, and keeps worktree and branch', async (context) => {
    const repository = implementedQuick.copyFor(context);
    const bin = withRemote(repository);
    forge(
      repository,
      bin,
      'case "$2" in create) cat > /dev/null; echo https://github.com/ada/x/pull/7;; *) exit 1;; esac',
    );
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const answers = repository.answers({ finish: 'pull_request' });
    const ran = await repository.feature(['finish', run, ...answers], { env });
    expect([ran.code, ran.json['action'], repository.meta['status']]).toEqual([0, 'finished', 'completed']);
    expect(ran.stderr).toContain('https://github.com/ada/x/pull/7');
    expect(repository.git('-C', '../remote.git', 'rev-parse', branch)).toBe(repository.git('rev-parse', branch));
    expect(repository.read('../forge.log')).toContain(branch);
    expect(existsSync(repository.worktree)).toBe(true);
    expect(branches(repository).split('\n')).toContain(branch);
    expect(repository.meta['worktree']).toBe(`../repo-${run}`);
    expect(repository.exists(`${folder}/.review-history.md`)).toBe(false);
  });

  test('a forge that fails leaves the feature active, with what it said', async (context) => {
    const repository = implementedQuick.copyFor(context);
    const bin = withRemote(repository);
    forge(repository, bin, 'echo "no permission" >&2; exit 1');
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const answers = repository.answers({ finish: 'pull_request' });
    const ran = await repository.feature(['finish', run, ...answers], { env });
    expect([ran.code, repository.meta['status']]).toEqual([4, 'active']);
    expect(ran.stderr).toContain('no permission');
    expect(repository.exists(`${folder}/.review-history.md`)).toBe(true);
  });

  test('without a remote it stops, and the feature stays active', async (context) => {
    const repository = implementedQuick.copyFor(context);
    repository.commit();
    const ran = await finish(repository, { finish: 'pull_request' });
    expect([ran.code, ran.json['next'], repository.meta['status']]).toEqual([
      4,
      'git remote add origin <url>',
      'active',
    ]);
    expect(repository.exists(`${folder}/.review-history.md`)).toBe(true);
  });

  test('without a forge the commands are printed', async (context) => {
    const repository = implementedQuick.copyFor(context);
    const bin = withRemote(repository);
    // Whatever forge this computer has is not to be found.
    for (const name of ['git', 'sh', 'cat', 'env'])
      symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name));
    const answers = repository.answers({ finish: 'pull_request' });
    const ran = await repository.feature(['finish', run, ...answers], { env: { PATH: bin } });
    expect([ran.code, repository.meta['status']]).toEqual([0, 'completed']);
    expect(ran.stderr).toMatch(/gh is not installed; to open it:\n +gh pr create .*feature\/001-short-slugs/);
    expect(existsSync(repository.worktree)).toBe(true);
  });
});

describe('[feature/mode/full] full mode', () => {
  let full: FeatureRepository;
  beforeAll(async () => {
    full = FeatureRepository.with();
    await full.begin('--mode', 'full');
    await full.phase('specify', documented(specText), '--yes');
    await full.phase('implement', implemented, '--yes');
    full.commit();
  });
  afterAll(() => full.remove());

  test('[feature/verify/verified] [feature/transition/finish] finishes after an approved verify', async (context) => {
    const repository = full.copyFor(context);
    expect((await finish(repository, { finish: 'merge' })).json['action']).toBe('not_verified');
    await repository.phase('verify', verified);
    expect(repository.meta['phases'].verify).toMatchObject({ verified: true, iterations: 1 });
    repository.commit('verified');
    const ran = await finish(repository, { finish: 'merge' });
    expect([ran.code, repository.meta['status']]).toEqual([0, 'completed']);
  });

  test.for([
    ['code', 'limit.mjs'],
    ['the spec', `${folder}/spec.md`],
    ['the verification', `${folder}/verification.md`],
  ])('[feature/finish/changed] does not finish once %s changed since verify', async ([, path = ''], context) => {
    const repository = full.copyFor(context);
    await repository.phase('verify', verified);
    writeFileSync(join(repository.worktree, path), '# Other\n\nexport const limit = 61;\n');
    repository.commit('after verify');
    const ran = await finish(repository, { finish: 'merge' });
    expect([ran.code, ran.json['action']]).toEqual([4, 'not_ready']);
    expect(ran.stderr).toContain('code or documents changed since verify approved them');
    expect(ran.json['next']).toBe(`pawl feature verify ${run}`);
    // The approval is gone for good.
    const again = await finish(repository, { finish: 'merge' });
    expect(again.json['action']).toBe('not_verified');
  });

  test('[feature/commands/no-review] a verify that nobody reviewed is not approved', async (context) => {
    const repository = full.copyFor(context);
    await repository.phase('verify', verified.slice(0, 1), '--no-review');
    expect(repository.meta['phases'].verify).toMatchObject({ verified: false, reviewSkipped: true });
    repository.commit('verified');
    expect((await finish(repository, { finish: 'merge' })).json['action']).toBe('not_verified');
  });
});

test('[feature/loop/phases] nothing is dispatched for finish', async (context) => {
  const repository = implementedQuick.copyFor(context);
  repository.commit();
  const before = (await repository.feature(['status', run])).steps.length;
  expect((await finish(repository, { finish: 'merge' })).steps).toHaveLength(before);
});
