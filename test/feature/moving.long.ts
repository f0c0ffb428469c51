/** From phase to phase: forward, past some, backward, blocked, and into one that was left. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  documented,
  FeatureRepository,
  folder,
  implemented,
  inOrder,
  produce,
  review,
  run,
  specText,
  tasksText,
  verified,
  type Turn,
} from './played-feature.ts';

/** Standard, in a worktree: created; and with spec and design. */
let created: FeatureRepository;
let designed: FeatureRepository;
beforeAll(async () => {
  created = FeatureRepository.with();
  await created.begin();
  designed = FeatureRepository.with();
  await designed.begin();
  await designed.phase('brainstorm', documented());
  await designed.phase('specify', documented(specText));
  await designed.phase('design', documented());
});
afterAll(() => [created, designed].forEach((each) => each.remove()));

const inWorktree = (name: string): string => `../repo-${run}/${folder}/${name}`;

describe('phases that are skipped', () => {
  test('[feature/transition/confirmed] [feature/transition/skipped] without a person it stops, and names them', async (context) => {
    const repository = created.copyFor(context);
    const before = repository.meta;
    const ran = await repository.phase('design', documented());
    expect([ran.code, ran.json['action'], ran.steps]).toEqual([3, 'asked', []]);
    expect(ran.stderr).toContain('design skips brainstorm, specify');
    expect(ran.json['decisions']).toMatchObject([{ id: 'move' }]);
    expect(repository.meta['phases']).toEqual(before['phases']);
  });

  test('[feature/transition/confirmed] --yes goes on, with the warning on record', async (context) => {
    const repository = created.copyFor(context);
    const ran = await repository.phase('design', documented(), '--yes');
    expect([ran.code, ran.steps]).toEqual([0, ['produce:made', 'review:approved']]);
    expect(ran.stderr).toContain('warning: design skips brainstorm, specify');
    expect(repository.meta).toMatchObject({ currentPhase: 'design' });
    expect(repository.meta['phases']).not.toHaveProperty('specify');
  });

  test('[feature/transition/confirmed] a person says yes or no', async (context) => {
    const repository = created.copyFor(context);
    const no = await repository.phase('design', [], ...repository.answers({ move: 'stop' }));
    expect([no.code, no.json['state'], no.steps]).toEqual([4, 'idle', []]);
    expect(repository.meta['phases']).toEqual({});
    const yes = await repository.phase('design', documented(), ...repository.answers({ move: ['stop', 'proceed'] }));
    expect([yes.code, repository.meta['currentPhase']]).toEqual([0, 'design']);
  });

  test('[feature/transition/skipped] phases that the mode leaves out are not', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'quick', '--no-worktree');
    expect((await repository.phase('specify', documented(specText))).code).toBe(0);
    expect((await repository.phase('create-tasks', documented(tasksText))).code).toBe(0);
  });

  test('[feature/transition/skipped] finish names them with its question', async (context) => {
    const repository = designed.copyFor(context);
    repository.commit();
    const ran = await repository.feature(['finish', run]);
    expect([ran.code, ran.json['decisions'][0].id]).toEqual([3, 'finish']);
    expect(ran.stderr).toContain('Warning: it skips create-plan, create-tasks, implement, verify.');
  });
});

describe('blocked', () => {
  test.for([
    ['[feature/transition/implement] implement without spec.md', 'standard', 'implement', 'specify', 'spec.md'],
    [
      '[feature/transition/create-tasks] create-tasks without plan.md',
      'full',
      'create-tasks',
      'create-plan',
      'plan.md',
    ],
    ['[feature/transition/implement] quick needs spec.md too', 'quick', 'implement', 'specify', 'spec.md'],
  ])('%s: exit 4, whatever is confirmed', async ([, mode = '', target = '', first = '', document = ''], context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', mode, ...(mode === 'quick' ? ['--no-worktree'] : []));
    const ran = await repository.phase(target, [], '--yes');
    expect([ran.code, ran.json['action'], ran.steps]).toEqual([4, 'blocked', []]);
    expect(ran.stderr).toContain(`${target} needs ${document}: run ${first} first`);
    expect(ran.json['next']).toBe(`pawl feature ${first} ${run}`);
    expect(repository.meta['phases']).toEqual({});
  });

  test('[feature/transition/finish] finish in full mode without an approved verify', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'full');
    const ran = await repository.feature(['finish', run]);
    expect([ran.code, ran.json['action']]).toEqual([4, 'not_verified']);
    expect(ran.json['next']).toBe(`pawl feature verify ${run}`);
  });
});

describe('going back', () => {
  test('[feature/transition/backward] [feature/transition/confirmed] lists what may be stale, and stops without a person', async (context) => {
    const repository = designed.copyFor(context);
    const ran = await repository.phase('brainstorm', []);
    expect([ran.code, ran.json['action'], ran.steps.length]).toEqual([3, 'asked', 6]);
    expect(ran.stderr).toContain('going back from design to brainstorm: spec.md, design.md may be stale');
    expect(JSON.stringify(repository.meta['phases'])).not.toContain('stale');
  });

  test('[feature/back/stale] [feature/meta/current] later phases are stale and keep their artifacts', async (context) => {
    const repository = designed.copyFor(context);
    const ran = await repository.phase('brainstorm', documented('# Again\n\nText.\n'), '--yes');
    expect(ran.code).toBe(0);
    const { phases, currentPhase } = repository.meta;
    expect(currentPhase).toBe('brainstorm');
    expect([phases.brainstorm.stale, phases.specify.stale, phases.design.stale]).toEqual([undefined, true, true]);
    expect(repository.read(inWorktree('spec.md'))).toBe(specText);
    const status = await repository.pawl(['feature', 'status', run]);
    expect(status.stdout).toMatch(/! specify +1 iteration, stale\n +! design +1 iteration, stale\n/);
    expect(ran.json['next']).toBe(`pawl feature specify ${run}`);
    await repository.phase('specify', documented(specText));
    expect(repository.meta['phases'].specify).not.toHaveProperty('stale');
    expect(repository.meta['phases'].design).toMatchObject({ stale: true });
  });

  test('[feature/back/void] an approved verify does not survive', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'full');
    await repository.phase('specify', documented(specText), '--yes');
    await repository.phase('implement', implemented, '--yes');
    await repository.phase('verify', verified);
    expect(repository.meta['phases'].verify).toMatchObject({ verified: true });
    await repository.phase('design', documented(), '--yes');
    expect(repository.meta['phases'].verify).toMatchObject({ verified: false, stale: true });
    const finish = await repository.feature(['finish', run]);
    expect([finish.code, finish.json['action']]).toEqual([4, 'not_verified']);
  });
});

test('[feature/loop/previous-missing] [feature/back/previous] without the artifact of the phase before, nothing begins', async (context) => {
  const repository = designed.copyFor(context);
  rmSync(join(repository.root, inWorktree('design.md')));
  const ran = await repository.phase('create-plan', documented());
  expect([ran.code, ran.steps.length]).toEqual([4, 6]);
  expect(ran.stderr).toContain(`${folder}/design.md is missing: create-plan builds on it`);
  expect(repository.meta['phases']).not.toHaveProperty('create-plan');
  const [command = '', ...args] = String(ran.json['next']).split(' ');
  expect(command).toBe('pawl');
  expect((await repository.pawl(args)).code).toBe(0);
  const again = await repository.feature(['create-plan', run, ...repository.played]);
  expect([again.code, repository.meta['currentPhase']]).toEqual([0, 'create-plan']);
});

test('[feature/back/previous] what was skipped is not missed: the nearest earlier artifact is used', async (context) => {
  const repository = designed.copyFor(context);
  const ran = await repository.phase('create-tasks', [], '--yes');
  expect([ran.code, ran.json['action']]).toEqual([4, 'blocked']);
  repository.write(inWorktree('plan.md'), '# Plan\n\nOf a person.\n');
  const own = await repository.phase('create-tasks', documented(tasksText), '--yes');
  expect(own.code).toBe(0);
  expect(repository.prompts('review', own).at(-1)).toContain(`/${folder}/plan.md`);
});

const silent: Turn = { role: 'reviewer', step: 'review', fault: 'no_report' };

describe('[feature/loop/partial] a phase that was left', () => {
  let left: FeatureRepository;
  beforeAll(async () => {
    left = FeatureRepository.with();
    await left.begin('--mode', 'quick', '--no-worktree');
    const ran = await left.phase('specify', [produce(specText), silent, silent, silent]);
    expect(ran.code).toBe(1);
  });
  afterAll(() => left.remove());

  test('asks how to go on; without a person it stops', async (context) => {
    const repository = left.copyFor(context);
    const ran = await repository.phase('specify', []);
    expect([ran.code, ran.steps.length]).toEqual([3, 4]);
    expect(ran.json['decisions']).toMatchObject([{ id: 'partial' }]);
    expect(ran.stderr).toMatch(/partial continue .*\n.*partial fresh .*\n.*partial review /);
  });

  test('continue: the executor revises what is there', async (context) => {
    const repository = left.copyFor(context);
    const ran = await repository.phase('specify', documented(specText), ...repository.answers({ partial: 'continue' }));
    expect(ran.steps.slice(4)).toEqual(inOrder('produce:made review:approved'));
    expect(repository.meta['phases'].specify).toMatchObject({ iterations: 1 });
  });

  test('fresh: what is there is put aside', async (context) => {
    const repository = left.copyFor(context);
    const text = '# Other\n\nR1.\n';
    const seen = { ...produce(text), run: [`test ! -e ${repository.root}/${folder}/spec.md`] };
    const ran = await repository.phase('specify', [seen, review()], ...repository.answers({ partial: 'fresh' }));
    expect(ran.steps.slice(4)).toEqual(inOrder('produce:made review:approved'));
    expect(repository.read(`${folder}/.set-aside/specify-1.md`)).toBe(specText);
    expect(repository.read(`${folder}/spec.md`)).toBe(text);
  });

  test('review: what is there is reviewed first', async (context) => {
    const repository = left.copyFor(context);
    const ran = await repository.phase('specify', [review()], ...repository.answers({ partial: 'review' }));
    expect(ran.steps.slice(4)).toEqual(['review:approved']);
    expect([ran.code, repository.meta['phases'].specify.iterations]).toEqual([0, 1]);
  });

  test('pawl resume goes on without asking', async (context) => {
    const repository = left.copyFor(context);
    repository.script([review()]);
    const ran = await repository.told(['resume', run, ...repository.played]);
    expect([ran.code, ran.json['action'], ran.steps.slice(4)]).toEqual([0, 'completed', ['review:approved']]);
    expect(repository.meta['phases'].specify.iterations).toBe(1);
  });

  test('[feature/loop/crash] a phase that a rate limit stopped is continued by its own command, without asking', async (context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', 'quick', '--no-worktree');
    const limited: Turn = { role: 'reviewer', step: 'review', fault: 'rate_limited:0' };
    expect((await repository.phase('specify', [produce(specText), limited])).code).toBe(75);
    const ran = await repository.phase('specify', [review()]);
    expect([ran.code, ran.steps.slice(2)]).toEqual([0, ['review:approved']]);
  });

  test('a phase that is completed is made again without asking', async (context) => {
    const repository = left.copyFor(context);
    await repository.phase('specify', [review()], ...repository.answers({ partial: 'review' }));
    const again = await repository.phase('specify', documented('# Spec\n\nR1 again.\n'));
    expect(again.code).toBe(0);
    expect(repository.read(`${folder}/spec.md`)).toBe('# Spec\n\nR1 again.\n');
  });
});
