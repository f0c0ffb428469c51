/** Phases 8 and 9 through the command line: what a verdict means in files, prompts and commits. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  advise,
  code,
  diagnosis,
  finding,
  fix,
  IssueRepository,
  inOrder,
  make,
  plan,
  planned,
  review,
  reviewed,
  signOff,
  tasks,
  tests,
  update,
} from './played-issue.ts';

const untested = [{ task: 'GAL-1 task 1', holds: true, why: 'Still only words.' }];
const bug = { title: 'Farewells ignore names', body: 'src/bye.mjs says Bye to everybody.' };
const byName = '`Hello ${name}`';

/** A finding that names its edit. */
const cosmetic = (title: string, before: string, after: string) =>
  finding('cosmetic', title, { suggested_edit: { before, after } });

function hook({ root }: IssueRepository, name: string, script: string): void {
  writeFileSync(join(root, '.git/hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe.concurrent('the final review, and what follows it', () => {
  test('[issue/route/6-not-testable] [issue/manifest/entry] [issue/adr/18] [issue/route/8-cosmetic] [issue/cosmetic/checked] [issue/route/8-production] [issue/fix/numbers] [issue/adr/16] [issue/route/8-acceptable] [issue/route/9-commits] [issue/route/9-bug] [issue/route/9-advice] [issue/adr/15] [issue/route/9-done] [issue/commits/atomic] [issue/adr/1] without tests, with an edit that only claims to be cosmetic and one that is: done', async (context) => {
    const answered = (findings: readonly Readonly<Record<string, unknown>>[]) =>
      review('review_code', findings, { untested });
    const unanswered = review('review_code');
    const first = answered([cosmetic('A template reads better', "'Hello ' + name", byName)]);
    const repository = IssueRepository.for(context, {
      turns: [
        ...planned.filter(({ role }) => role !== 'simplify'),
        advise('review_plan', 'One file would do.'),
        tests({ verdict: 'NOT_TESTABLE', tests: [], reason: 'Only words change.' }),
        signOff(true, 'A test would repeat the words.'),
        make('implement', "'Hello ' + name", { deviations: ['No template.'], bugs: [bug] }),
        // Silence about the manifest is refused.
        { ...first, call: [unanswered['call'], first['call']].flat() },
        advise('review_code', 'Leave the template out.'),
        { ...fix({ title: 'Use a template' }), expect_prompt: ['A template reads better'] },
        make('fix_code', byName),
        answered([cosmetic('Nothing says what it is for', 'export const', '// With the name.\nexport const')]),
        advise('review_code'),
        answered([]),
        advise('review_code'),
        update([1, 2], { bugs: [{ ...bug, title: 'Farewells ignore names.' }] }),
      ],
    });
    repository.git('init', '--quiet', '--bare', '../remote.git');
    repository.git('remote', 'add', 'origin', '../remote.git');
    const ran = await repository.run();
    expect([ran.code, ran.steps], ran.stderr).toEqual([
      0,
      inOrder(`draft_plan:drafted review_plan:acceptable draft_tasks:one write_tests:not_testable
      sign_off:signed implement:complete review_code:cosmetic draft_fix:drafted fix_code:complete
      review_code:cosmetic review_code:acceptable update_issue:updated`),
    ]);
    expect(repository.read('src/greet.mjs')).toBe(`// With the name.\n${code(byName)}`);
    expect(repository.artifact('task-fix-1.md')).toContain('Use a template');
    expect(repository.exists('.workflow/run-GAL-1/task-fix-2.md')).toBe(false);
    const prompts = repository.prompts('review_code', ran);
    expect(prompts).toHaveLength(3);
    for (const prompt of prompts) {
      expect(prompt).toContain('GAL-1 task 1: Only words change. (signed off: A test would repeat the words.)');
      expect(prompt).toContain('No template.');
    }
    const summary = repository.artifact('summary.md');
    for (const part of ['Without tests', 'Only words change.', 'One file would do.', 'Leave the template out.'])
      expect(summary).toContain(part);

    expect(repository.git('ls-files', 'TODO').trim().split('\n')).toEqual(
      ['GAL-1', 'GAL-2', 'README'].map((id) => `TODO/${id}.md`),
    );
    const filed = repository.read('TODO/GAL-2.md');
    for (const part of ['title: Farewells ignore names\n', 'status: Todo', 'parent: GAL-1', 'bug', bug.body])
      expect(filed).toContain(part);
    const issue = repository.read('TODO/GAL-1.md');
    for (const part of [
      'status: Done',
      '- [x] A name',
      '- [x] Without',
      '- [ ] [GAL-2](GAL-2.md)',
      'People are greeted by name.',
    ])
      expect(issue).toContain(part);
    expect(repository.read('TODO/README.md')).toContain('- [x] [GAL-1]');

    expect(repository.log()).toEqual(['chore(todo): close GAL-1', 'feat: greet by name']);
    expect(repository.git('show', '--format=%an <%ae>', '--name-only', 'HEAD~1').trim().split('\n')).toEqual([
      'A Person <person@example.com>',
      '',
      'src/greet.mjs',
    ]);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('ls-remote', 'origin')).toBe('');
  });

  test('[issue/route/4-converged] [issue/route/6-escalate] [issue/route/8-test] [issue/route/8-production] [issue/fix/numbers] [issue/adr/19] [issue/route/8-converged] [issue/route/9-followup] [issue/route/9-tech-debt] [issue/route/9-in-progress] [issue/adr/11] findings that come back end the loops, and are filed', async (context) => {
    const undecided = finding('plan-level', 'Zero is not decided', { symbol: undefined, line: 10 });
    const again = { ...undecided, line: 12, title: '"Zero" is not decided!' };
    const doubt = finding('test', 'Null is not tested', { file: 'test/greet.test.mjs' });
    const open = finding('production', 'Null is greeted');
    const written = { write: { 'test/greet.test.mjs': '// Null too.\n' } };
    const weak = finding('test', 'It cannot fail', { file: 'test/greet.test.mjs', symbol: undefined });
    const repository = IssueRepository.for(context, {
      issues: {
        'GAL-9': { body: '\n## Sub-issues\n\n- [ ] [GAL-1](GAL-1.md) — Title of GAL-1\n' },
        'GAL-1': {
          parent: 'GAL-9',
          body: '\n## Acceptance criteria\n\n- [ ] A name is greeted.\n- [ ] Nobody is not.\n',
        },
      },
      turns: [
        plan(),
        review('review_plan', [undecided]),
        advise('review_plan'),
        { ...plan({ approach: 'Zero is a name.' }, 'revise_plan'), expect_prompt: ['Zero is not decided'] },
        review('review_plan', [again]),
        advise('review_plan'),
        tasks(),
        tests(
          { escalate_to_check: true, future_seams: ['A clock that tests can set'] },
          { write: { 'test/greet.test.mjs': '' } },
        ),
        review('review_tests', [weak]),
        { ...tests({}, written, 'fix_tests'), expect_prompt: ['It cannot fail'] },
        make('implement', byName),
        review('review_code', [finding('production', 'Comes second', { line: 400 }), doubt]),
        advise('review_code'),
        diagnosis('test_design', 'Test null.'),
        { ...tests({}, written, 'retest'), expect_prompt: ['Test null.'] },
        make('reverify'),
        review('review_code', [open]),
        advise('review_code'),
        fix(),
        make('fix_code', null, { verdict: 'Incomplete', summary: 'No time.', escalate: 'split_needed' }),
        diagnosis('production_logic', 'Throw a TypeError.'),
        {
          ...fix({ description: 'greet throws a TypeError.' }),
          expect_prompt: ['Throw a TypeError.', 'task-fix-1.md'],
        },
        make('fix_code', '`Hello ${name} `'),
        review('review_code', [open], { verdict: 'BLOCK' }),
        advise('review_code'),
        update([1]),
      ],
    });
    const ran = await repository.run();
    expect([ran.code, ran.steps], ran.stderr).toEqual([
      0,
      inOrder(`draft_plan:drafted review_plan:needs_work revise_plan:revised review_plan:converged
      draft_tasks:one write_tests:escalated review_tests:needs_work fix_tests:revised
      implement:complete review_code:test diagnose:test_design retest:revised reverify:complete
      review_code:production draft_fix:drafted fix_code:incomplete diagnose:production_logic
      draft_fix:drafted fix_code:complete review_code:converged update_issue:updated`),
    ]);
    expect(repository.artifact('task-fix-1.md')).toContain('greet throws a TypeError.');
    expect(repository.exists('.workflow/run-GAL-1/task-fix-2.md')).toBe(false);
    expect(repository.exists('.workflow/run-GAL-1/task-fix-3.md')).toBe(false);
    const summary = repository.artifact('summary.md');
    expect(summary).toContain('plan review: "Zero" is not decided!');
    expect(summary).toContain('BLOCK, production, final review: Null is greeted');
    expect(summary).toContain('- final_reviews: final review: test finding: Null is not tested\n');
    const [followup, debt] = ['TODO/GAL-10.md', 'TODO/GAL-11.md'].map((path) => repository.read(path));
    for (const part of ['title: Null is greeted', 'followup', 'parent: GAL-1\n']) expect(followup).toContain(part);
    for (const part of ['title: A clock that tests can set', 'tech-debt', 'parent: GAL-1\n'])
      expect(debt).toContain(part);
    expect(repository.exists('TODO/GAL-12.md')).toBe(false);
    const issue = repository.read('TODO/GAL-1.md');
    for (const part of ['status: In Progress', '- [x] A name', '- [ ] Nobody', '(GAL-10.md)', '(GAL-11.md)'])
      expect(issue).toContain(part);
    expect(repository.read('TODO/GAL-9.md')).toContain('- [ ] [GAL-1]');
    expect(repository.log()).toEqual(['chore(todo): update GAL-1', 'feat: greet by name']);
  });

  test('[issue/route/8-not-testable] [issue/manifest/entry] [issue/route/9-done] a justification that does not hold any more is routed as the finding it is, and its entry goes when there are tests', async (context) => {
    const holds = [{ task: 'GAL-1 task 1', holds: false, why: 'It has a branch now.' }];
    const found = finding('test', 'It can be tested');
    const questioned = review('review_code', [found], { untested: holds });
    const unfounded = review('review_code', [], { untested: holds });
    const repository = IssueRepository.for(context, {
      issues: {
        'GAL-9': { body: '\n## Sub-issues\n\n- [ ] [GAL-1](GAL-1.md) — Title of GAL-1\n' },
        'GAL-1': { parent: 'GAL-9', body: '\n## Acceptance criteria\n\n- [ ] A name is greeted.\n' },
      },
      turns: [
        ...planned,
        tests({ verdict: 'NOT_TESTABLE', tests: [], reason: 'Only words change.' }),
        signOff(true, 'True.'),
        make('implement', byName),
        { ...questioned, call: [unfounded['call'], questioned['call']].flat() },
        advise('review_code'),
        diagnosis('test_design', 'Write one.'),
        tests({}, { write: { 'test/greet.test.mjs': '// A test.\n' } }, 'retest'),
        make('reverify'),
        // An edit is for files of this run only, whatever it is called.
        review('review_code', [
          { ...cosmetic('Tick it', '- [ ] A name', '- [x] A name'), file: 'src/../TODO/GAL-1.md' },
        ]),
        advise('review_code'),
        fix({ title: 'Leave it' }),
        make('fix_code'),
        review('review_code'),
        advise('review_code'),
        { ...update([1]), call: [update([2])['call'], update([1])['call']].flat() },
      ],
    });
    const ran = await repository.run();
    expect([ran.code, ran.steps.slice(6)], ran.stderr).toEqual([
      0,
      inOrder(`review_code:test diagnose:test_design retest:revised reverify:complete review_code:cosmetic draft_fix:drafted fix_code:complete review_code:acceptable
      update_issue:updated`),
    ]);
    const [first, last] = repository.prompts('review_code', ran);
    expect(first).toContain('NOT_TESTABLE');
    expect(last).not.toContain('NOT_TESTABLE');
    expect(repository.artifact('summary.md')).not.toContain('Without tests');
    expect(repository.read('TODO/GAL-1.md')).toContain('status: Done');
    expect(repository.read('TODO/GAL-9.md')).toContain('- [x] [GAL-1]');
  });

  test('[issue/commits/hook] [issue/route/8-converged] [issue/failure/record] [issue/review/tree] a failing pre-commit hook ends the run with its words, once', async (context) => {
    const repository = IssueRepository.for(context, {
      config: 'retry_delay_secs = 0\n[issue]\nfinal_reviews = 1\n',
      turns: [
        ...planned,
        tests(),
        make('implement', byName),
        review('review_code', [finding('production', 'Null is greeted', { severity: 'BLOCK' })]),
        advise('review_code'),
      ],
    });
    hook(
      repository,
      'pre-commit',
      `echo x >> ${repository.folder}/hook-ran\necho "no commits on a Friday" >&2\nexit 1`,
    );
    const ran = await repository.run();
    expect([ran.code, ran.steps.at(-1)], ran.stderr).toEqual([1, 'review_code:production']);
    expect(ran.json['outcome']).toBe('failed');
    // Once for the commit, once for what is kept of the code.
    expect(repository.read('../hook-ran')).toBe('x\nx\n');
    const summary = repository.artifact('summary.md');
    for (const part of ['no commits on a Friday', 'feat: greet by name', 'final review: Null is greeted'])
      expect(summary).toContain(part);
    const issue = repository.read('TODO/GAL-1.md');
    for (const part of ['status: Todo', 'no commits on a Friday']) expect(issue).toContain(part);
    expect(repository.log()).toEqual([]);
    expect(repository.read('src/greet.mjs')).toBe(code(byName));
    expect(ran.stderr).toContain('the code is in the work tree');
  });

  test('[issue/commits/hook] [issue/failure/sub-issues] a hook that refuses the last commit: the code is committed, the issue is Todo, and what was filed is marked', async (context) => {
    const repository = IssueRepository.for(context, {
      turns: [...planned, tests(), make('implement', byName), ...reviewed, update([1, 2], { bugs: [bug] })],
    });
    hook(repository, 'commit-msg', 'grep -q "^chore" "$1" || exit 0\necho "chores need a ticket" >&2\nexit 1');
    const ran = await repository.run();
    expect([ran.code, ran.steps.at(-1)], ran.stderr).toEqual([1, 'update_issue:updated']);
    expect(repository.log()).toEqual(['feat: greet by name']);
    const issue = repository.read('TODO/GAL-1.md');
    for (const part of ['status: Todo', 'chores need a ticket']) expect(issue).toContain(part);
    expect(repository.read('TODO/README.md')).toContain('- [ ] [GAL-1]');
    for (const label of ['bug', 'filed-by-failed-run']) expect(repository.read('TODO/GAL-2.md')).toContain(label);
    expect(repository.artifact('summary.md')).toContain('GAL-2 (bug): Farewells ignore names');
  });
});
