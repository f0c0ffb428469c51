/** The reviewer loop: how often, on what, and what it leaves. */

import { expect, test } from 'vitest';
import {
  blocker,
  documented,
  FeatureRepository,
  folder,
  inOrder,
  issue,
  produce,
  review,
  run,
  specText,
  type Turn,
} from './played-feature.ts';

const rounds = (many: number): readonly Turn[] =>
  Array.from({ length: many }, (_, index) => [
    produce(`# Spec\n\nR1, version ${index + 1}.\n`),
    review([blocker]),
  ]).flat();

const again = (many: number): readonly string[] =>
  Array.from({ length: many }, () => ['produce:made', 'review:changes']).flat();

test.for([
  ['quick', 2, ['--no-worktree']],
  ['standard', 3, []],
  ['full', 5, []],
] as const)(
  '[feature/mode/%s] [feature/loop/limit] completes with notes after %i reviews that want changes',
  async ([mode, limit, args], context) => {
    const repository = FeatureRepository.for(context);
    await repository.begin('--mode', mode, ...args);
    const confirmed = mode === 'quick' ? [] : ['--yes'];
    const ran = await repository.phase('specify', rounds(limit + 1), ...confirmed);
    expect([ran.code, ran.json['action']]).toEqual([0, 'completed_with_concerns']);
    expect(ran.steps).toEqual(again(limit));
    expect(ran.stderr).toContain('Specify complete. Reviewer concerns:\n    - [blocker] A blocker. [E1]\n');
    expect(repository.meta['phases'].specify).toMatchObject({
      iterations: limit,
      reviewerNotes: ['[blocker] A blocker. [E1]'],
      verified: false,
      completed: expect.any(String) as unknown,
    });
    expect(repository.meta['currentPhase']).toBe('specify');
    expect(repository.history.match(/^### Iteration \d/gm)).toHaveLength(limit);
  },
);

test('[feature/loop/again] [feature/loop/approved] [feature/loop/summary] is sent back, approved, and completed', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const turns = [
    produce('# Spec\n\nR1: short.\n'),
    review([blocker, issue('warning', 'R1', 'How short?')], { summary: 'Not yet.' }),
    produce(specText),
    review([issue('note', 'R1', 'Good.')], { summary: 'Now it can be tested.' }),
  ];
  const ran = await repository.phase('specify', turns);
  expect(ran.steps).toEqual(inOrder('produce:made review:changes produce:made review:approved'));
  expect([ran.code, ran.json['action'], ran.json['phase']]).toEqual([0, 'completed', 'specify']);
  expect(ran.json['next']).toBe(`pawl feature create-tasks ${run}`);
  const { specify } = repository.meta['phases'];
  expect(specify).toMatchObject({ iterations: 2, reviewerNotes: [], summary: 'Now it can be tested.' });
  expect(specify).not.toHaveProperty('reviewSkipped');
  expect(repository.read(`${folder}/spec.md`)).toBe(specText);
  const [, revised = ''] = repository.prompts('produce', ran);
  expect(revised).toContain('- [blocker] A blocker. [E1]\n- [warning] How short? [R1]');
});

test('[feature/loop/message] the message counts the iterations', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const once = await repository.phase('specify', documented(specText));
  expect(once.stderr).toContain('✓ Specify complete (1 iteration)\n');
  const twice = await repository.phase('create-tasks', [
    produce('# Tasks\n\n- [ ] a\n'),
    review([blocker]),
    produce('# Tasks\n\n- [ ] b\n'),
    review(),
  ]);
  expect(twice.stderr).toContain('✓ Create-tasks complete (2 iterations)\n');
});

test('[feature/history/format] [feature/history/changes] [feature/loop/logged] the history tells every iteration, with changes from git', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const turns = [
    produce('# Spec\n\nR1: short.\n'),
    review([blocker], { summary: 'Not yet.' }),
    // What the executor says of its work is nowhere: it files a document.
    produce('# Spec\n\nR1: short.\nR2: unique.\n'),
    review([], { summary: 'Fine.' }),
  ];
  await repository.phase('specify', turns);
  expect(repository.history.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')).toBe(`## Phase: specify

### Iteration 1 - <time>

**Reviewer Feedback:**
Not yet.

**Issues:**
- [blocker] A blocker. [E1]

**Changes Made:**
- first version

---

### Iteration 2 - <time>

**Reviewer Feedback:**
Fine.

**Issues:**
- none

**Changes Made:**
- ${folder}/spec.md (+1 −0)

---
`);
});

test('[feature/loop/context] [feature/phases/expectations] the reviewer gets both artifacts and what the next phase needs', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  await repository.phase('specify', documented(specText));
  const ran = await repository.phase('create-tasks', documented('# Tasks\n\n- [ ] a\n'));
  const [ofSpec = '', ofTasks = ''] = repository.prompts('review', ran);
  expect(ofSpec).toContain('There is none: this is the first.');
  expect(ofSpec).toContain('- E3: scope boundaries are clear');
  expect(ofTasks).toContain(`Judge ${repository.root}/${folder}/tasks.md`);
  expect(ofTasks).toContain(`The previous artifact: ${repository.root}/${folder}/spec.md`);
  expect(ofTasks).toContain(
    '- E1: tasks are small: less than 15 minutes each\n- E2: each task has acceptance criteria',
  );
});

test('[feature/loop/corrected] [feature/loop/computed] a claim that the issues contradict is corrected both ways, on record', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const turns = [
    produce('# Spec\n\nR1\n'),
    review([blocker], { approved: true }),
    produce(specText),
    review([issue('warning', 'R1')], { approved: false }),
  ];
  const ran = await repository.phase('specify', turns);
  expect(ran.steps).toEqual(inOrder('produce:made review:changes produce:made review:approved'));
  expect(repository.history).toContain(
    '**Corrected:** the report claimed approved: true; there is a blocker, so it is false\n',
  );
  expect(repository.history).toContain(
    '**Corrected:** the report claimed approved: false; no blocker with a valid citation is left, so it is true\n',
  );
});

test('[feature/loop/scope] [feature/loop/citation] an issue outside of spec and expectations changes nothing, and is kept in the history', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const outside = [
    issue('blocker', undefined, 'Translate slugs.'),
    issue('blocker', 'R9', 'Support emoji.'),
    issue('blocker', 'E7', 'Be faster.'),
  ];
  const ran = await repository.phase('specify', [produce(specText), review(outside)]);
  expect(ran.steps).toEqual(['produce:made', 'review:approved']);
  expect(repository.meta['phases'].specify.reviewerNotes).toEqual([]);
  expect(repository.history).toContain(`**Issues:**
- [out of scope] [blocker] Translate slugs.
- [out of scope] [blocker] Support emoji. [R9]
- [out of scope] [blocker] Be faster. [E7]
`);
});

const unparseable: Turn = {
  role: 'reviewer',
  step: 'review',
  call: [{ tool: 'file_review', args: { approved: 'perhaps' } }],
  fault: 'crash',
};
const silent: Turn = { role: 'reviewer', step: 'review' };

test('[feature/loop/unparseable] a report that cannot be read is asked for twice more, then the phase stops', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const ran = await repository.phase('specify', [produce(specText), silent, unparseable, silent, review()]);
  expect(ran.code).toBe(1);
  expect(ran.steps.map((step) => step.split(':')[0])).toEqual(['produce', 'review', 'review', 'review']);
  expect(ran.json['state']).toBe('stopped');
  expect(repository.meta['phases'].specify).toMatchObject({ completed: null, started: expect.any(String) as unknown });
  expect(repository.meta['currentPhase']).toBeNull();
  expect(repository.exists(`${folder}/.review-history.md`)).toBe(false);

  const retried = await repository.told(['retry', run, ...repository.played]);
  expect([retried.code, retried.json['action']]).toEqual([0, 'completed']);
  expect(repository.meta['phases'].specify.iterations).toBe(1);
});

test('[feature/loop/unsound] unsound documents cost no reviewer, and are sent back with a blocker', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const ran = await repository.phase('specify', [produce('  \n'), produce(specText), review()]);
  expect(ran.steps).toEqual(inOrder('produce:made produce:made review:approved'));
  expect(repository.meta['phases'].specify.iterations).toBe(2);
  expect(repository.history).toContain('- [blocker] spec.md is empty (spec.md) [format]');
  const [, second = ''] = repository.prompts('produce', ran);
  expect(second).toContain('spec.md is empty');
});

test('[feature/loop/unsound] what stays unsound at the limit is not completed', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const ran = await repository.phase('specify', [produce('no heading'), produce('# Only a heading\n')]);
  expect([ran.code, ran.json['state']]).toEqual([1, 'stopped']);
  expect(ran.stderr).toContain('spec.md has headings and no text');
  expect(ran.steps).toEqual(['produce:made', 'produce:made']);
  expect(repository.meta['currentPhase']).toBeNull();
});

test('[feature/commands/no-review] --no-review completes without a reviewer, and says so in the record', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const ran = await repository.phase('specify', [produce(specText)], '--no-review');
  expect([ran.code, ran.steps]).toEqual([0, ['produce:made']]);
  expect(ran.stderr).toContain('Specify complete (review skipped)');
  expect(repository.meta['phases'].specify).toMatchObject({
    reviewSkipped: true,
    completed: expect.any(String) as unknown,
  });
  const unsound = await repository.phase(
    'create-tasks',
    [produce('# Tasks\n\nnone\n'), produce('# T\n')],
    '--no-review',
  );
  expect([unsound.code, repository.meta['currentPhase']]).toEqual([1, 'specify']);
});

test('[feature/loop/started] the phase is on record as started while the executor works', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const seen = {
    ...produce(specText),
    run: [`cp ${repository.root}/${folder}/.meta.json ${repository.folder}/seen.json`],
  };
  await repository.phase('specify', [seen, review()]);
  const { phases } = JSON.parse(repository.read('../seen.json'));
  expect(phases.specify).toMatchObject({ started: expect.any(String) as unknown, completed: null });
});

test('what a reviewer or an executor writes past its tool is put back', async (context) => {
  const repository = FeatureRepository.for(context);
  await repository.begin('--mode', 'quick', '--no-worktree');
  const own = { [`${folder}/.review-history.md`]: 'all approved\n', 'README.md': 'hacked\n' };
  const turns = [
    { ...produce(specText), write: { ...own } },
    { ...review(), write: { [`${folder}/spec.md`]: 'x' } },
  ];
  const ran = await repository.phase('specify', [...turns, ...documented(specText), ...documented(specText)]);
  expect(repository.read('README.md')).toBe('# Pages\n');
  expect(repository.read(`${folder}/spec.md`)).toBe(specText);
  expect(repository.exists(`${folder}/.review-history.md`) ? repository.history : '').not.toContain('all approved');
  expect(ran.steps.join(' ')).toMatch(/out_of_bounds|forbidden|failed/);
});
