/** Phases 2 to 5.6: the issue, its plan, the split, and what is filed. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  advise,
  diagnosis,
  finding,
  IssueRepository,
  plan,
  review,
  task,
  tasks,
  tests,
  type Turn,
} from './played-issue.ts';

/** The shortest way to a summary. */
const failing: readonly Turn[] = [
  tests({ verdict: 'BLOCKED', tests: [], reason: 'There is no seam.' }),
  diagnosis('split_needed', 'It is two tasks.'),
];
const failed = ['write_tests:blocked', 'diagnose:split_needed'];
const open = (title: string, more = {}) =>
  finding('plan-level', title, { file: '.workflow/run-GAL-1/plan.md', ...more });
const revisedPlan = (approach: string, more = {}): Turn => plan({ approach, ...more }, 'revise_plan');

/** Stands for the dispatch that found no turn and stopped the run. */
const missed = (role: string, step: string): Turn => ({ role, step });

const stateOf = (repository: IssueRepository): unknown => parse(repository.artifact('state.yaml'));

test('[issue/route/2-todo] [issue/route/4-needs-work] [issue/verdicts/check] [issue/adr/6] a plan is edited in place and reviewed three times, then the run goes on with what is open', async (context) => {
  const turns = [
    plan({ approach: 'First approach.' }),
    review('review_plan', [open('Zero is not decided')]),
    advise('review_plan', 'Leave it out.'),
    revisedPlan('Second approach.'),
    review('review_plan', [open('Names are missing', { severity: 'BLOCK' })], { verdict: 'BLOCK' }),
    advise('review_plan'),
    revisedPlan('Third approach.'),
    review('review_plan', [open('Limits are missing')]),
    advise('review_plan'),
    tasks(),
  ];
  const repository = IssueRepository.for(context, {
    issues: {
      'GAL-1': { parent: 'GAL-2' },
      'GAL-2': { status: 'In Progress', body: '\n## Sub-issues\n\n- [x] [GAL-1](GAL-1.md) — First\n' },
    },
    turns,
  });
  const ran = await repository.run();
  expect(ran.code).not.toBe(0);
  // In Progress while it is run; the list of the parent says what is true.
  expect(repository.read('TODO/GAL-1.md')).toContain('status: In Progress\n');
  expect(repository.read('TODO/GAL-2.md')).toContain('- [ ] [GAL-1](GAL-1.md) — First\n');
  expect(repository.artifact('plan.md')).toContain('Third approach.');
  expect(ran.steps).toEqual([
    'draft_plan:drafted',
    'review_plan:needs_work',
    'revise_plan:revised',
    'review_plan:needs_work',
    'revise_plan:revised',
    'review_plan:needs_work',
    'draft_tasks:one',
    'write_tests:unavailable',
  ]);
  const [second = '', third = ''] = repository.prompts('revise_plan', ran);
  expect(second).toContain('Zero is not decided');
  expect(third).toContain('Names are missing');
  expect(third).not.toContain('Zero is not decided');
  const [drafting = ''] = repository.prompts('draft_plan', ran);
  const folder = `${repository.root}/.workflow/run-GAL-1`;
  expect(drafting).toContain(`Worktree: ${repository.root}\nthe issue: ${repository.root}/TODO/GAL-1.md\n`);
  expect(drafting).not.toContain('plan.md');
  for (const prompt of repository.prompts('review_plan', ran)) {
    expect(prompt).toContain(`the plan: ${folder}/plan.md\n`);
    expect(prompt).not.toMatch(/\w+ approach\./);
  }

  repository.script([...turns, missed('test', 'write_tests'), ...failing]);
  const ended = await repository.run(['--resume']);
  expect([ended.code, ended.steps.slice(-2)]).toEqual([1, failed]);
  expect(repository.artifact('summary.md')).toMatch(
    /## Open findings\n\n- NEEDS WORK, plan-level, plan review: Limits are missing, .*\n  Limits are missing\.\n\n/,
  );
  expect(repository.artifact('summary.md')).not.toContain('Names are missing');
});

test('[issue/sanity/done] [issue/route/4-converged] [issue/verdicts/findings] [issue/roles/simplify] [issue/route/4-acceptable] the same finding twice ends the reviews of a plan; advice decides nothing', async (context) => {
  const zero = { line: 12, symbol: null };
  const repository = IssueRepository.for(context, {
    // As after a run that came to no end.
    issues: { 'GAL-1': { status: 'In Progress' } },
    turns: [
      plan(),
      review('review_plan', [open('Zero is not decided', zero)]),
      advise('review_plan', 'BLOCK: this is needless.'),
      revisedPlan('Another approach.'),
      review('review_plan', [open('  zero is NOT decided!', { ...zero, line: 15 })]),
      { role: 'simplify', step: 'review_plan', fault: 'exit:3' },
      tasks(),
      ...failing,
    ],
  });
  const ran = await repository.run();
  expect(ran.steps).toEqual([
    'draft_plan:drafted',
    'review_plan:needs_work',
    'revise_plan:revised',
    'review_plan:converged',
    'draft_tasks:one',
    ...failed,
  ]);
  const summary = repository.artifact('summary.md');
  expect(summary).toMatch(/## Open findings\n\n- NEEDS WORK, plan-level, plan review: zero is NOT decided!/);
  expect(summary).toContain('## Advice, not acted on\n\n- review_plan: BLOCK: this is needless.\n');
});

const split = (more = {}): readonly Turn[] => [
  task({ title: 'Read a limit', ...more }),
  task({
    title: 'Show a limit',
    description: 'Limits are shown.\n\n## Acceptance criteria\n\n- [x] nothing of this is a section',
    files: ['src/greet.mjs'],
    new_files: ['src/show.mjs'],
    new_symbols: [{ file: 'src/show.mjs', name: 'showLimit' }],
    criteria: ['showLimit(10) is "10"', 'showLimit(0) is "none"'],
    code_context: 'greet is in src/greet.mjs.',
    integration_contracts: 'showLimit(limit: number): string',
    test_design: 'Zero, and another number.',
    depends_on: [1],
  }),
  task({ title: 'Print limits', depends_on: [1, 2] }),
];

test('[issue/route/5-drafted] [issue/route/5.5-needs-work] [issue/seed/body] [issue/adr/9] [issue/files/sub-issues] a split is edited in place and reviewed twice, then its other tasks are filed complete', async (context) => {
  const overlap = finding('plan-level', 'Tasks overlap');
  const turns = [
    plan({ test_design: 'Of the whole plan.', risks: ['callers'] }),
    review('review_plan'),
    advise('review_plan'),
    tasks(...split()),
    review('review_split', [finding('plan-level', 'Too large')]),
    { ...tasks(...split({ title: 'Read one limit' })), step: 'revise_tasks' },
    review('review_split', [overlap]),
  ];
  const repository = IssueRepository.for(context, { turns, issues: { 'GAL-4': {} } });
  const ran = await repository.run();
  expect(ran.steps).toEqual([
    'draft_plan:drafted',
    'review_plan:acceptable',
    'draft_tasks:several',
    'review_split:needs_work',
    'revise_tasks:several',
    'review_split:needs_work',
    'write_tests:unavailable',
  ]);
  const [reviewing = ''] = repository.prompts('review_split', ran);
  for (const question of ['Coverage', 'No overlap', 'Single purpose', 'contracts', 'Testable', 'Self-containment'])
    expect(reviewing).toContain(question);
  for (const number of [1, 2, 3])
    expect(reviewing).toContain(`${repository.root}/.workflow/run-GAL-1/task-${number}.md\n`);
  expect(repository.prompts('revise_tasks', ran)[0]).toContain('Too large');
  expect(repository.artifact('task-1.md')).toContain('title: Read one limit\n');
  const first = repository.read('TODO/GAL-5.md');
  expect(parse(first.split('---\n')[1] ?? '')).toEqual({
    id: 'GAL-5',
    title: 'Show a limit',
    status: 'Todo',
    parent: 'GAL-1',
    labels: ['split-from-run'],
    // The dependency on task 1 is none on the parent: both would wait for ever.
    'depends-on': [],
  });
  for (const part of [
    '- [ ] showLimit(10) is "10"\n- [ ] showLimit(0) is "none"\n',
    '- create `src/show.mjs`\n- new symbol `showLimit` in `src/show.mjs`\n',
    '## Code context\n\ngreet is in src/greet.mjs.\n',
    '## Integration contracts\n\nshowLimit(limit: number): string\n',
    '## Plan of GAL-1\n\n### Problem\n\nPeople are greeted without a name.\n\n### Approach\n\nThe greeting takes a name.\n',
    '## Test design\n\nZero, and another number.\n',
    'Discovered during run on `work` for parent issue `GAL-1`.',
  ])
    expect(first).toContain(part);
  expect((await repository.issue(['view', 'GAL-5'])).json['criteria']).toHaveLength(2);
  const second = repository.read('TODO/GAL-6.md');
  expect(second).toContain('depends-on: [GAL-5]\n');
  expect(second).toContain('## Test design\n\nOf the whole plan.\n');
  expect(repository.read('TODO/GAL-1.md')).toContain(
    '## Sub-issues\n\n- [ ] [GAL-5](GAL-5.md) — Show a limit\n  - [ ] [GAL-6](GAL-6.md) — Print limits\n',
  );
  expect(repository.read('TODO/README.md')).not.toContain('GAL-5');

  repository.script([...turns, missed('test', 'write_tests'), ...failing]);
  expect((await repository.run(['--resume'])).steps.slice(-2)).toEqual(failed);
  expect(repository.artifact('summary.md')).toContain('- NEEDS WORK, plan-level, split review: Tasks overlap');
});

test('[issue/route/5.5-block] [issue/adr/17] a split that is blocked edits the plan once; the second time the run fails and says what spent it', async (context) => {
  const block = (title: string): Turn =>
    review('review_split', [finding('plan-level', title, { severity: 'BLOCK' })], { verdict: 'BLOCK' });
  const reviewed = [review('review_plan'), advise('review_plan')];
  const turns = [
    plan(),
    ...reviewed,
    tasks(...split()),
    block('One plan, two purposes'),
    revisedPlan('Only names.'),
    ...reviewed,
    tasks(...split()),
  ];
  const repository = IssueRepository.for(context, { turns });
  const ran = await repository.run();
  expect(ran.steps).toEqual([
    'draft_plan:drafted',
    'review_plan:acceptable',
    'draft_tasks:several',
    'review_split:block',
    'revise_plan:revised',
    'review_plan:acceptable',
    'draft_tasks:several',
    'review_split:unavailable',
  ]);
  expect(repository.prompts('revise_plan', ran)[0]).toContain('One plan, two purposes');
  expect(repository.artifact('plan.md')).toContain('Only names.');
  expect(stateOf(repository)).toMatchObject({ plan_rework_remaining: 0 });
  expect(repository.exists('TODO/GAL-2.md')).toBe(false);

  repository.script([...turns, missed('check', 'review_split'), block('Still two purposes')]);
  const ended = await repository.run(['--resume']);
  expect([ended.code, ended.steps.at(-1)]).toEqual([1, 'review_split:block']);
  const summary = repository.artifact('summary.md');
  expect(summary).toContain('## What failed\n\n- split review: BLOCK: Still two purposes\n');
  expect(summary).toContain('- plan_rework_remaining: split review: BLOCK: One plan, two purposes\n');
  expect(repository.exists('TODO/GAL-2.md')).toBe(false);
});

test('[issue/route/3-drafted] [issue/files/hygiene] [issue/roles/planner] the tool refuses documents that must not be handed over, and files the corrected ones', async (context) => {
  const both = (bad: Turn, good: Turn): Turn => ({ ...good, call: [bad, good].flatMap(({ call }) => call) });
  const badTask = task({ description: 'Run `bash -c "npm test"` and see .workflow/run-GAL-1/task-7.md.' });
  const repository = IssueRepository.for(context, {
    turns: [
      both(plan({ approach: 'Take a map. Actually, scratch that: take a list.' }), plan({ approach: 'Take a list.' })),
      review('review_plan'),
      advise('review_plan'),
      both(tasks(badTask), tasks(task())),
    ],
  });
  const ran = await repository.run();
  expect(ran.steps.slice(0, 3)).toEqual(['draft_plan:drafted', 'review_plan:acceptable', 'draft_tasks:one']);
  expect(repository.artifact('plan.md')).toContain('\nTake a list.\n');
  expect(repository.artifact('plan.md')).not.toContain('Actually');
  expect(repository.artifact('task-1.md')).not.toContain('bash');
  // N = 1: nobody reviews a split.
  expect(ran.steps[3]).toBe('write_tests:unavailable');
});

test('[issue/files/hygiene] [issue/files/verified] documents that somebody edits between two steps are inspected before the next dispatch', async (context) => {
  const turns: Turn[] = [plan()];
  const repository = IssueRepository.for(context, { turns });
  expect((await repository.run()).steps).toEqual(['draft_plan:drafted', 'review_plan:unavailable']);
  const path = '.workflow/run-GAL-1/plan.md';
  repository.write(path, `${repository.read(path)}\nSee .workflow/run-GAL-1/task-4.md.\n`);
  turns.push(missed('check', 'review_plan'), missed('simplify', 'review_plan'));
  turns.push(revisedPlan('Take a list.'), review('review_plan'), advise('review_plan'), tasks(...split()));
  repository.script(turns);
  const edited = await repository.run(['--resume']);
  expect(edited.steps.slice(2)).toEqual([
    'revise_plan:revised',
    'review_plan:acceptable',
    'draft_tasks:several',
    'review_split:unavailable',
  ]);
  expect(repository.prompts('revise_plan', edited)[0]).toContain('task-4.md does not exist');

  repository.write('.workflow/run-GAL-1/task-2.md', 'gone\n');
  turns.push(missed('check', 'review_split'), { ...tasks(), step: 'revise_tasks' });
  repository.script(turns);
  const again = await repository.run(['--resume']);
  expect(again.steps.slice(-2)).toEqual(['revise_tasks:one', 'write_tests:unavailable']);
  expect(repository.prompts('revise_tasks', again)[0]).toMatch(/task-2\.md:1.*there is no front matter/);
  // Tasks that there are no more have no file.
  expect(repository.exists('.workflow/run-GAL-1/task-2.md')).toBe(false);
});

test('[issue/route/2-malformed] an issue that a new worktree does not have stops the run with an error', async (context) => {
  const repository = IssueRepository.for(context, { files: { '.gitignore': 'TODO/\n' }, turns: [plan()] });
  // Phase 1 finds it here, but git has no copy of it to check out.
  const ran = await repository.run(['--worktree']);
  expect([ran.code, ran.steps]).toEqual([1, []]);
  expect(ran.stderr).toContain('there is no TODO/GAL-1.md');
});
