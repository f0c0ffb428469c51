/** Defects that a second independent trial found. */

import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { IssueRepository, make, plan, planned, reviewed, task, tasks, tests, update } from './played-issue.ts';

const byName = '`Hello ${name}`';
const testTurn = tests({}, { write: { 'test/greet.test.mjs': '// one\n' } });
const whole = [...planned, testTurn, make('implement', byName), ...reviewed, update([1, 2])];

describe.concurrent('a run that commits goes on only on its own branch', () => {
  test('[trial 2 1] a resumed run is refused on every other branch', async (context) => {
    const repository = IssueRepository.for(context, { turns: whole });
    expect((await repository.run(['--budget', 'dispatches=5'])).code).toBe(5);
    repository.git('stash', 'push', '--quiet', '--include-untracked');
    const before = repository.git('rev-parse', 'main', 'work');
    const elsewhere: [string[], string[]][] = [
      [
        ['--quiet', 'main'],
        ['issue', 'run', 'GAL-1', '--resume'],
      ],
      [
        ['--quiet', '--detach'],
        ['retry', 'GAL-1'],
      ],
      [
        ['--quiet', '--create', 'other'],
        ['resume', 'GAL-1'],
      ],
    ];
    for (const [away, words] of elsewhere) {
      repository.git('switch', ...away);
      const ran = await repository.pawl([...words, '--json']);
      expect(ran.code, ran.stderr).toBe(4);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        diagnostics: [{ code: 'RunOnOtherBranch', fix: 'git switch work' }],
      });
    }
    expect(repository.git('rev-parse', 'main', 'work')).toBe(before);
    expect((await repository.pawl(['issue', 'status', 'GAL-1'])).stdout).toContain('git switch work');
    repository.git('switch', '--quiet', 'work');
    repository.git('stash', 'pop', '--quiet');
    const ended = await repository.run(['--resume', '--budget', 'dispatches=50']);
    expect([ended.code, repository.log()[1]], ended.stderr).toEqual([0, 'feat: greet by name']);
  });
});

test('[trial 3 1] commits only issues that the run wrote', async (context) => {
  const repository = IssueRepository.for(context, { turns: whole, issues: { 'GAL-9': {} } });
  expect((await repository.run(['--budget', 'dispatches=5'])).code).toBe(5);
  const edited = repository.read('TODO/GAL-9.md').replace('status: Todo', 'status: Todo\nlabels: [mine]');
  repository.write('TODO/GAL-9.md', edited);
  repository.write('TODO/notes.md', 'half a thought\n');
  const ended = await repository.run(['--resume', '--budget', 'dispatches=50']);
  expect([ended.code, repository.log()[0]], ended.stderr).toEqual([0, 'chore(todo): close GAL-1']);
  expect(repository.git('show', '--format=', '--name-only', 'HEAD').trim().split('\n')).toEqual([
    'TODO/GAL-1.md',
    'TODO/README.md',
  ]);
  expect(repository.git('status', '--porcelain').trim().split('\n')).toEqual(['M TODO/GAL-9.md', '?? TODO/notes.md']);
});

test('[trial 2 4] --all lists the problems of TODO/, and is refused without it', async (context) => {
  const repository = IssueRepository.for(context, { files: { 'TODO/GAL-2.md': 'junk\n' } });
  repository.write('TODO/GAL-1.md', repository.read('TODO/GAL-1.md').replace('status: Todo', 'status: Done'));
  repository.git('commit', '--quiet', '--all', '--message=done');
  const all = await repository.issue(['run', '--all']);
  expect([all.code, all.json['problems']], all.stderr).toEqual([
    0,
    [expect.stringContaining('TODO/GAL-2.md:1: there is no front matter')],
  ]);
  repository.git('rm', '-r', '--quiet', 'TODO');
  const none = await repository.issue(['run', '--all']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there is no folder TODO/')]);
});

test('[trial 2 3] a worktree that was removed comes back with the issue as the run left it, and the run goes on', async (context) => {
  const repository = IssueRepository.for(context, { turns: whole });
  expect((await repository.run(['--worktree', '--budget', 'dispatches=5'])).code).toBe(5);
  const place = `${repository.root}-issue-GAL-1`;
  rmSync(place, { recursive: true });
  const gone = await repository.run(['--resume']);
  expect([gone.code, gone.json['diagnostics'][0].fix]).toEqual([4, 'pawl restore GAL-1']);
  const restored = await repository.pawl(['restore', 'GAL-1', '--json']);
  expect(JSON.parse(restored.stdout), restored.stderr).toMatchObject({ left: [] });
  expect(repository.read(`../${basename(place)}/TODO/GAL-1.md`)).toContain('status: In Progress');
  const ended = await repository.run(['--resume', '--budget', 'dispatches=50']);
  expect([ended.code, repository.log('main..issue/GAL-1').length], ended.stderr + ended.stdout).toEqual([0, 2]);
});

test('[trial 2 8] a repository that make makes in the work tree is out of bounds, and a copy is kept', async (context) => {
  const nesting = { ...make('implement', byName), run: ['git init --quiet src/sub', 'touch src/sub/x'] };
  const repository = IssueRepository.for(context, {
    turns: [...planned, testTurn, nesting, make('implement', byName), ...reviewed, update([1, 2])],
  });
  const ran = await repository.run();
  expect([ran.code, repository.git('status', '--porcelain')], ran.stderr).toEqual([0, '']);
  expect(ran.steps).toContain('implement:out_of_bounds');
  expect(ran.stderr).toContain('may not make a repository of its own in src/sub');
  expect(repository.exists('src/sub/.git')).toBe(false);
  expect(ran.stderr).toMatch(/\.git is moved to .*\/dispatches\/\d+\/nested/);
});

describe.concurrent('small ones', () => {
  test('[trial 2 9] --all with a script that does not exist is refused at once', async (context) => {
    const repository = IssueRepository.for(context);
    const ran = await repository.pawl(['issue', 'run', '--all', '--agent', 'scripted', '--script', 'nofile.yaml']);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('there is no script nofile.yaml')]);
    expect(repository.git('branch', '--list', 'issue/all')).toBe('');
  });

  test('[trial 2 9] control characters and links are refused, and undo of a run that is over says so', async (context) => {
    const repository = IssueRepository.for(context, { turns: whole });
    for (const args of [['a\u001B[31mred'], ['a', '--category', 'b\u0007']]) {
      const created = await repository.issue(['new', ...args]);
      expect([created.code, created.stderr]).toEqual([2, expect.stringContaining('control characters')]);
    }
    expect((await repository.run()).code).toBe(0);
    const undone = await repository.pawl(['undo', 'GAL-1']);
    expect([undone.code, undone.stderr]).toEqual([4, expect.stringContaining('GAL-1 is over (done)')]);

    repository.git('mv', 'TODO/README.md', 'index.md');
    symlinkSync('../index.md', join(repository.root, 'TODO/README.md'));
    const linked = await repository.issue(['new', 'another']);
    expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining('TODO/README.md is a symbolic link')]);
  });

  test('[trial 2 9] a folder TODO that is a link is named', async (context) => {
    const repository = IssueRepository.for(context);
    renameSync(join(repository.root, 'TODO'), join(repository.folder, 'elsewhere'));
    symlinkSync('../elsewhere', join(repository.root, 'TODO'));
    for (const args of [
      ['run', 'GAL-1'],
      ['run', '--all'],
      ['new', 'x'],
    ]) {
      const ran = await repository.issue(args);
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('TODO is a symbolic link')]);
    }
  });

  test('[trial 2 10] without an identity no run begins', async (context) => {
    const repository = IssueRepository.for(context, { turns: whole });
    repository.git('config', '--unset', 'user.name');
    repository.git('config', 'user.useConfigOnly', 'true');
    const ran = await repository.run();
    expect([ran.code, ran.json['diagnostics']?.[0]?.fix]).toEqual([4, expect.stringContaining('git config user.name')]);
    expect([ran.steps, repository.git('status', '--porcelain')]).toEqual([[], '']);
  });
});

test('[trial 2 9] a test that is handed over by its short name counts once', async (context) => {
  const [source, testFile] = ['src/add.mjs', 'test/add.test.mjs'];
  const stub = "export function add(a, b) {\n  throw new Error('NotImplemented');\n}\n";
  const nested = `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { add } from '../src/add.mjs';
describe('sums', () => { it('adds', () => assert.equal(add(1, 2), 3)); });
`;
  const repository = IssueRepository.for(context, {
    files: { 'package.json': '{"type": "module", "scripts": {"test": "node --test"}}\n' },
    turns: [
      plan({ files: [], new_files: [source, testFile] }),
      ...planned.slice(1, 3),
      tasks(task({ files: [], new_files: [source], new_symbols: [{ file: source, name: 'add' }] })),
      { ...make('write_stubs'), write: { [source]: stub } },
      tests({ tests: [{ name: 'adds', file: testFile, code: 'MISSING_BEHAVIOR' }] }, { write: { [testFile]: nested } }),
    ],
  });
  const ran = await repository.run(['--budget', 'dispatches=7']);
  expect(ran.stderr).toMatch(/prove red: red\s+one new test fails as it should: adds$/m);
});

test('[trial 2 10] commits of the person survive a recovery; hooks and ignored files that changed something are told', async (context) => {
  const ignoring = { ...make('implement', byName), run: ['touch made.log'] };
  const repository = IssueRepository.for(context, {
    files: { '.gitignore': '*.log\n' },
    turns: [...planned, testTurn, ignoring, ...reviewed, update([1, 2])],
  });
  repository.git('commit', '--quiet', '--allow-empty', '--message=mine');
  const mine = repository.git('rev-parse', 'HEAD').trim();
  const hook = join(repository.root, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\necho "// formatted" >> src/greet.mjs\ngit add src/greet.mjs\n', { mode: 0o755 });
  const ran = await repository.run();
  expect(ran.stderr).toContain('hooks changed files that the run had finished: src/greet.mjs');
  expect(repository.artifact('summary.md')).toContain('git-ignored files that changed: made.log');
  // The hook changes it with the commit of the issue too, which is refused.
  expect(repository.artifact('summary.md')).toContain(`git switch --force-create work ${mine}`);
});
