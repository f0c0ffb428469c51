/** Where a feature's files are, who else writes them, and how features are named. */

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  documented,
  FeatureRepository,
  folder,
  implement,
  implemented,
  produce,
  review,
  run,
  specText,
  tasksText,
} from './played-feature.ts';

/** Quick, in a worktree, with a spec. */
let specified: FeatureRepository;
beforeAll(async () => {
  specified = FeatureRepository.with();
  await specified.begin('--mode', 'quick', '--worktree');
  await specified.phase('specify', documented(specText));
});
afterAll(() => specified.remove());

test('[feature/commands/create] [feature/meta/fields] a feature begins with its record and a worktree', async (context) => {
  const repository = FeatureRepository.for(context);
  const ran = await repository.begin();
  expect([ran.code, ran.json['run'], ran.json['action']]).toEqual([0, run, 'created']);
  expect(repository.meta).toMatchObject({
    id: '001',
    name: 'Short slugs',
    mode: 'standard',
    status: 'active',
    completed: null,
    worktree: `../repo-${run}`,
    currentPhase: null,
    phases: {},
  });
  expect(Date.parse(repository.meta['created'])).toBeGreaterThan(Date.parse('2026-01-01'));
});

test('[feature/mode/quick] quick asks for the worktree: without a person and without a flag it stops', async (context) => {
  const repository = FeatureRepository.for(context);
  const ran = await repository.begin('--mode', 'quick');
  expect(ran.code).not.toBe(0);
  expect(ran.stderr + ran.stdout).toContain('--no-worktree');
  expect(repository.exists('docs')).toBe(false);
});

test.for([
  ['the worktree', `../repo-${run}`],
  ['a folder of the worktree', `../repo-${run}/docs/features`],
  ['a folder of the checkout', 'sub/folder'],
])('[feature/meta/main] called in %s, the state is that of the main checkout', async ([, where = ''], context) => {
  const repository = specified.copyFor(context);
  const cwd = join(repository.root, where);
  mkdirSync(cwd, { recursive: true });
  repository.script(documented(tasksText));
  const ran = await repository.feature(['create-tasks', run, ...repository.played], { cwd });
  expect([ran.code, repository.meta['currentPhase']]).toEqual([0, 'create-tasks']);
  expect(repository.exists(`../repo-${run}/${folder}/tasks.md`)).toBe(true);
  for (const name of ['.meta.json', '.review-history.md'])
    expect(repository.exists(`../repo-${run}/${folder}/${name}`)).toBe(false);
  expect(repository.exists(`${folder}/tasks.md`)).toBe(false);
});

test('[feature/meta/unknown] [feature/meta/merge] keys of people stay, also those written between two commands', async (context) => {
  const repository = specified.copyFor(context);
  const meta = { ...repository.meta, owner: 'ada', phases: { ...repository.meta['phases'], retro: { when: 'later' } } };
  repository.write(`${folder}/.meta.json`, JSON.stringify(meta));
  expect((await repository.phase('create-tasks', documented(tasksText))).code).toBe(0);
  expect(repository.meta).toMatchObject({
    owner: 'ada',
    currentPhase: 'create-tasks',
    phases: { retro: { when: 'later' } },
  });
});

describe('[feature/meta/foreign] edits by hand', () => {
  test('a phase that a person sets counts as completed, and is reported', async (context) => {
    const repository = specified.copyFor(context);
    repository.write(`${folder}/.meta.json`, JSON.stringify({ ...repository.meta, currentPhase: 'create-tasks' }));
    const ran = await repository.phase('implement', implemented);
    expect(ran.stderr).toContain(`adopted phase create-tasks from ${folder}/.meta.json, edited by hand`);
    expect([ran.code, repository.meta['currentPhase']]).toEqual([0, 'implement']);
  });

  test('a status that a person sets is refused, with the command that does it', async (context) => {
    const repository = specified.copyFor(context);
    repository.write(`${folder}/.meta.json`, JSON.stringify({ ...repository.meta, status: 'completed' }));
    const ran = await repository.phase('create-tasks', documented(tasksText));
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(`pawl feature finish ${run}`);
    expect(ran.steps).toEqual([]);
  });

  test('a file that is no JSON is refused with its line, and stays as it is', async (context) => {
    const repository = specified.copyFor(context);
    repository.write(`${folder}/.meta.json`, '{\n  "id": 1,,\n}\n');
    const ran = await repository.phase('create-tasks', documented(tasksText));
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('.meta.json:2');
    expect(repository.read(`${folder}/.meta.json`)).toBe('{\n  "id": 1,,\n}\n');
    const listed = await repository.feature(['list']);
    expect(listed.code).toBe(0);
  });

  test('a file that is gone is written again', async (context) => {
    const repository = specified.copyFor(context);
    const before = repository.meta;
    repository.git('clean', '--quiet', '-fdx', 'docs');
    const ran = await repository.phase('create-tasks', documented(tasksText));
    expect(ran.code).toBe(0);
    expect(repository.meta['phases'].specify).toEqual(before['phases'].specify);
  });
});

describe('[feature/meta/foreign] a feature of the original plugin', () => {
  const foreign = {
    id: 7,
    name: 'Old feature',
    mode: 'Standard',
    status: 'active',
    created: '2025-05-05T10:00:00Z',
    lastSession: 'x',
    currentPhase: 'design',
    phases: {
      specify: { started: true, completed: '2025-05-05', reviewerNotes: 'fine' },
      design: { started: '2025-05-06', completed: '2025-05-06', verified: true, iterations: 'many' },
    },
  };
  const old = 'docs/features/007-old-feature';
  const files = {
    [`${old}/.meta.json`]: JSON.stringify(foreign),
    [`${old}/spec.md`]: specText,
    [`${old}/design.md`]: '# Design\n\nText.\n',
    [`${old}/.review-history.md`]: '## Phase: specify\n\nof the plugin\n',
  };

  test('is listed and shown, with what was repaired', async (context) => {
    const repository = FeatureRepository.for(context, {
      files: { ...files, [`${old}/.meta.json`]: JSON.stringify({ ...foreign, mode: 'turbo' }) },
    });
    const listed = await repository.feature(['list']);
    expect(listed.json['features']).toMatchObject([{ id: '007-old-feature', name: 'Old feature', phase: 'design' }]);
    const status = await repository.pawl(['feature', 'status', '7']);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain('mode is "turbo"; standard is used');
  });

  test('goes on with --accept-state only, and loses nothing', async (context) => {
    const repository = FeatureRepository.for(context, { files });
    repository.script([produce('# Plan\n\nSteps.\n'), review()]);
    const args = ['create-plan', '007', ...repository.played];
    const refused = await repository.feature(args);
    expect([refused.code, refused.steps]).toEqual([3, []]);
    expect(JSON.parse(repository.read(`${old}/.meta.json`))).toEqual(foreign);
    const ran = await repository.feature([...args, '--accept-state']);
    expect([ran.code, ran.json['phase']]).toEqual([0, 'create-plan']);
    const after = JSON.parse(repository.read(`${old}/.meta.json`));
    expect(after).toMatchObject({
      id: '007',
      name: 'Old feature',
      created: '2025-05-05T10:00:00Z',
      lastSession: 'x',
      currentPhase: 'create-plan',
      phases: { specify: { started: 'unknown', reviewerNotes: ['fine'] }, design: { verified: false } },
    });
    expect(repository.read(`${old}/.review-history.md`)).toMatch(
      /^## Phase: specify\n\nof the plugin\n\n## Phase: create-plan\n/,
    );
  });

  test('new features get a number behind it', async (context) => {
    const repository = FeatureRepository.for(context, { files });
    const ran = await repository.feature(['create', 'New one', '--mode', 'hotfix']);
    expect(ran.json['run']).toBe('008-new-one');
  });
});

test('[feature/files/folder] features that are created at once get different numbers', async (context) => {
  const repository = FeatureRepository.for(context);
  const made = await Promise.all(
    ['Tea', 'Coffee', 'Water', 'Milk'].map((name) =>
      repository.feature(['create', name, '--mode', 'hotfix', '--share-tree']),
    ),
  );
  const runs = made.map(({ json }) => String(json['run']));
  expect(
    made.map(({ code }) => code),
    made.map(({ stderr }) => stderr).join('\n'),
  ).toEqual([0, 0, 0, 0]);
  expect(runs.map((name) => name.slice(0, 3)).toSorted()).toEqual(['001', '002', '003', '004']);
});

describe('[feature/commands/bad-input] a feature whose files have no place is not created', () => {
  test.each([
    ['a link that leads out', (root: string) => symlinkSync('..', join(root, 'docs'))],
    ['a file', (root: string) => writeFileSync(join(root, 'docs'), '')],
  ])('%s in the place of its folder', async (_, bar) => {
    const repository = FeatureRepository.with();
    bar(repository.root);
    const ran = await repository.feature(['create', 'Tea']);
    expect([ran.code, ran.json['diagnostics'][0]]).toEqual([
      2,
      expect.objectContaining({ code: 'NoPlaceForState', target: 'docs' }),
    ]);
    expect(existsSync(`${repository.root}-001-tea`)).toBe(false);
    expect((await repository.feature(['list'])).json['features'] ?? []).toEqual([]);
    repository.remove();
  });
});

test('[feature/commands/bad-input] a checkout that is taken names a flag that the command has', async (context) => {
  const files = { 'docs/features/000-old/.meta.json': '{}' };
  const repository = FeatureRepository.for(context, { files });
  expect((await repository.begin('--mode', 'hotfix')).code).toBe(0);
  expect((await repository.phase('implement', [implement({ 'tea.txt': 'tea' })], '--no-review')).code).toBe(0);
  const ran = await repository.feature(['brainstorm', '000', '--accept-state']);
  expect([ran.code, ran.json['diagnostics'][0].fix]).toEqual([4, 'run the same command with --share-tree']);
});

test('[feature/meta/merge] a file that a crash emptied is written anew', async (context) => {
  const repository = specified.copyFor(context);
  const before = repository.meta;
  repository.write(`${folder}/.meta.json`, '');
  expect((await repository.told(['restore', run])).code).toBe(0);
  expect(repository.meta).toEqual(before);
});

test('[feature/files/folder] numbers count on from those of other branches', async (context) => {
  const repository = FeatureRepository.for(context);
  repository.git('switch', '--quiet', '--create', 'other');
  repository.write('docs/features/041-there/.meta.json', '{}');
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=there');
  repository.git('switch', '--quiet', 'main');
  expect((await repository.feature(['create', 'Here', '--mode', 'hotfix'])).json['run']).toBe('042-here');
});

describe('[feature/files/names] [feature/commands/status] [feature/commands/phases] a feature is named', () => {
  test.each([[run], ['001'], ['1'], ['short-slugs'], ['slug']])('by %s', async (word) => {
    const ran = await specified.feature(['status', word]);
    expect([ran.code, ran.json['run']]).toEqual([0, run]);
  });

  test('by nothing, where there is only one; by no word that two have', async (context) => {
    const repository = specified.copyFor(context);
    expect((await repository.feature(['status'])).json['run']).toBe(run);
    await repository.feature(['create', 'Long slugs', '--mode', 'hotfix']);
    const both = await repository.feature(['status', 'slugs']);
    expect(both.code).toBe(2);
    expect(both.stderr + both.stdout).toMatch(/001-short-slugs[^]*002-long-slugs/);
    expect((await repository.feature(['status', '2'])).json['run']).toBe('002-long-slugs');
    const phase = await repository.feature(['specify']);
    expect([phase.code, phase.steps]).toEqual([2, []]);
  });

  test('status tells phases and next command', async () => {
    const { json } = await specified.feature(['status', run]);
    expect(json).toMatchObject({ name: 'Short slugs', mode: 'quick', status: 'active', currentPhase: 'specify' });
    expect(json['nextCommand']).toBe(`pawl feature create-tasks ${run}`);
    const { stdout } = await specified.pawl(['feature', 'status', run]);
    expect(stdout).toMatch(/Phases\n +✓ specify +1 iteration\n +· create-tasks *\n +· implement *\n/);
  });
});

test('[feature/commands/list] list has id, phase, mode and name', async () => {
  const { json } = await specified.feature(['list']);
  expect(json['features']).toMatchObject([
    { id: run, phase: 'specify', mode: 'quick', name: 'Short slugs', status: 'active' },
  ]);
  const { stdout } = await specified.pawl(['feature', 'list']);
  expect(stdout).toMatch(/FEATURE +PHASE +MODE +NAME[^]*001-short-slugs +specify +quick +Short slugs/);
});

describe('[feature/commands/bad-input] bad input is one clear error, and nothing is written', () => {
  test.for<readonly [args: readonly string[], code: number, told: string]>([
    [['create'], 2, 'description'],
    [['create', ''], 2, 'the description is empty'],
    [['create', ' \n'], 2, 'the description is empty'],
    [['create', '…!'], 2, 'cannot derive a name from this description'],
    [['create', 'x'.repeat(2_001)], 2, 'more than 2000 characters'],
    [['create', 'Tea', '--mode', 'fast'], 2, 'there is no mode "fast"'],
    [['create', 'Tea', '--mode', 'standrad'], 2, 'did you mean standard?'],
    [['create', 'Tea', '--mode', 'quick', '--worktree', '--no-worktree'], 2, 'exclude each other'],
    [['create', 'Tea', '--mode', 'hotfix', '--worktree'], 2, 'hotfix works in the checkout'],
    [['create', 'Tea', '--mode', 'full', '--no-worktree'], 2, 'full works in a worktree of its own'],
    [['create', 'Tea', '--fast'], 2, '--fast'],
    [['specify', '../../etc'], 2, '../../etc'],
    [['specify', '999'], 2, 'there is no feature "999"'],
    [['specify', 'shrot'], 2, 'there is no feature "shrot"'],
    [['status', '9'], 2, 'there is no feature "9"'],
    [['finish', run, '--yes'], 2, '--yes'],
    [['finish', run, '--no-review'], 2, '--no-review'],
    [['implement', run], 3, 'skips create-tasks'],
    [['create-plan', 'a', 'b'], 2, ''],
    [['publish', run], 2, 'publish'],
  ])('%j', async ([args, code, told], context) => {
    const repository = specified.copyFor(context);
    const before = [
      repository.git('status', '--porcelain'),
      repository.git('for-each-ref'),
      JSON.stringify(repository.meta),
    ];
    const ran = await repository.feature(args);
    expect(ran.code).toBe(code);
    expect(ran.stderr + ran.stdout).toContain(told);
    const after = [
      repository.git('status', '--porcelain'),
      repository.git('for-each-ref'),
      JSON.stringify({ ...repository.meta, updated: JSON.parse(before[2] ?? '').updated }),
    ];
    expect(after).toEqual(before);
  });

  test('outside of a repository', async (context) => {
    const repository = FeatureRepository.for(context);
    const cwd = join(repository.folder, 'outside');
    mkdirSync(cwd);
    expect((await repository.feature(['create', 'Tea'], { cwd })).code).toBe(2);
  });

  test('a worktree folder that is taken', async (context) => {
    const repository = FeatureRepository.for(context);
    mkdirSync(repository.worktree);
    writeFileSync(join(repository.worktree, 'mine'), 'mine');
    const ran = await repository.begin();
    expect(ran.code).not.toBe(0);
    expect(ran.stderr + ran.stdout).toContain(`repo-${run}`);
    expect(repository.read(`../repo-${run}/mine`)).toBe('mine');
    expect(repository.exists('docs')).toBe(false);
  });
});
