/** Rework and failure through the command line: what stays on record, and that its commands work when they are pasted. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  advise,
  code,
  diagnosis,
  finding,
  IssueRepository,
  inOrder,
  make,
  plan,
  planned,
  program,
  review,
  signOff,
  task,
  tasks,
  tests,
  type Result,
} from './played-issue.ts';

/** Pastes the commands that a failed run tells into a shell, in the work tree of the run; a run begins, and is stopped. */
function recover(repository: IssueRepository, { json }: Result, workTree = repository.root): string {
  const message = String(json['diagnostics'][0].message);
  const commands = message.split('\n').filter((line) => line.startsWith('  '));
  const bin = join(repository.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const scripted = `--agent scripted --script ${join(repository.folder, 'script.yaml')} --budget dispatches=1`;
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@" ${scripted}\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: repository.home, PAWL_TRUST: '1', PAWL_SANDBOX: 'off' };
  const input = `set -e\n${commands.join('\n')} || test $? = 5\npwd\n`;
  return execFileSync('sh', [], { cwd: workTree, env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

const incomplete = (more = {}) =>
  make('implement', null, { verdict: 'Incomplete', summary: 'It does not end.', ...more });
const round = [review('review_plan'), advise('review_plan')];
const rest = (title: string, more = {}) =>
  task({ title, description: `All about: ${title}.`, files: ['src/bye.mjs'], criteria: ['It says Bye.'], ...more });

describe.concurrent('a run that comes to nothing', () => {
  test('[issue/route/8-plan-level] [issue/verdicts/order] [issue/rework/code] [issue/rework/filed] [issue/route/run-rework] [issue/failure/record] [issue/failure/sub-issues] [issue/failure/recovery] [issue/failure/not-resumable] [issue/adr/14] two plans that the review does not take', async (context) => {
    const rejected = (title: string) =>
      review('review_code', [finding('production', 'Later'), finding('plan-level', title)]);
    const repository = IssueRepository.for(context, {
      files: { 'src/bye.mjs': code("'Bye'") },
      turns: [
        plan(),
        ...round,
        tasks(task(), rest('Say goodbye', { depends_on: [1] })),
        review('review_split'),
        tests({}, { write: { 'test/greet.test.mjs': '// one\n' } }),
        make('implement', "'first'"),
        rejected('It is the wrong file'),
        advise('review_code'),
        { ...plan({ approach: 'Another file.' }), expect_prompt: ['It is the wrong file'] },
        ...round,
        tasks(task(), rest('Say farewell', { depends_on: [1] }), rest('Say so long', { depends_on: [2] })),
        review('review_split'),
        tests({}, { write: { 'test/greet.test.mjs': '// two\n' } }),
        make('implement', "'second'"),
        rejected('It is the wrong problem'),
        advise('review_code'),
      ],
    });
    const ran = await repository.run();
    expect([ran.code, ran.json['outcome'], ran.steps.slice(-4)], ran.stderr).toEqual([
      1,
      'failed',
      inOrder(`review_split:acceptable write_tests:tests_ready implement:complete review_code:plan_level`),
    ]);
    // Of the first plan nothing is left but its issue, which the second one took over.
    const [, again] = repository.prompts('draft_plan', ran);
    expect(again).toContain('came to nothing');
    expect(repository.exists('TODO/GAL-4.md')).toBe(false);
    const [second, third] = ['TODO/GAL-2.md', 'TODO/GAL-3.md'].map((path) => repository.read(path));
    for (const part of ['title: Say farewell', 'split-from-run', 'filed-by-failed-run', 'depends-on: []'])
      expect(second).toContain(part);
    for (const part of ['title: Say so long', 'filed-by-failed-run', 'depends-on: [GAL-2]'])
      expect(third).toContain(part);
    const issue = repository.read('TODO/GAL-1.md');
    expect(issue).toMatch(/status: Todo\n/);
    expect(issue).toMatch(
      /^- \d{4}-\d\d-\d\d — The run on `work` failed \(final review: plan-level finding\).*wrong problem/m,
    );
    expect(issue.match(/\(GAL-2\.md\)/g)).toHaveLength(1);
    const summary = repository.artifact('summary.md');
    expect(summary).toContain('## What failed\n\n- final review: plan-level finding: It is the wrong problem\n');
    expect(summary).toContain('- plan_rework_remaining: final review: plan-level finding: It is the wrong file\n');
    expect(repository.log()).toEqual(['wip: GAL-1 Title of GAL-1']);
    expect(repository.git('show', '--format=', '--name-only', 'HEAD').trim().split('\n')).toEqual([
      'src/greet.mjs',
      'test/greet.test.mjs',
    ]);
    expect(repository.git('show', 'HEAD:test/greet.test.mjs')).toBe('// two\n');
    expect(summary).toContain(repository.git('rev-parse', 'HEAD').trim());

    const resumed = await repository.run(['--resume']);
    expect([resumed.code, resumed.json['diagnostics'][0].code]).toEqual([4, 'RunOver']);
    const dirty = await repository.run();
    expect([dirty.code, dirty.json['diagnostics'][0].code]).toEqual([2, 'DirtyTree']);

    // The base branch may be in use elsewhere.
    repository.git('worktree', 'add', '--quiet', '../elsewhere', 'main');
    repository.script([plan()]);
    recover(repository, ran);
    expect(repository.git('rev-parse', 'work')).toBe(repository.git('rev-parse', 'main'));
    expect(repository.read('src/greet.mjs')).toBe(code("'Hello'"));
    expect(repository.exists('TODO/GAL-2.md')).toBe(false);
    expect(repository.read('TODO/GAL-1.md')).toContain('status: In Progress');
    const kept = `${repository.runFolder('issue', 'GAL-1')}.1`;
    const record = readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:jsonl|md)$/.test(name),
    );
    const bodies = record.map((name) => readFileSync(join(kept, name), 'utf8')).join('');
    for (const part of ['All about: Say farewell.', 'All about: Say so long.']) expect(bodies).toContain(part);
  });

  test('[issue/route/7-incomplete] [issue/route/7-red] [issue/route/7-spent] [issue/adr/12] [issue/adr/19] [issue/split-needed/comment] [issue/rework/code] [issue/failure/recovery] an implementation that does not come to an end, in a worktree of its own', async (context) => {
    const check = ["require('fs').readFileSync('src/greet.mjs','utf8').includes('wrong')&&process.exit(1)"];
    const repository = IssueRepository.for(context, {
      config: `retry_delay_secs = 0\n[checks]\ntest = ["node", "-e", "${check.join('')}"]\n`,
      turns: [
        ...planned,
        tests({}, { write: { 'test/greet.test.mjs': '// one\n' } }),
        // A hint decides nothing.
        incomplete({ escalate: 'split_needed' }),
        {
          ...diagnosis('production_logic', 'Mind the null.'),
          expect_prompt: ['It does not end.', 'make suspects: split_needed'],
        },
        { ...make('implement', "'wrong'"), expect_prompt: ['Mind the null.'] },
        { ...diagnosis('test_design', 'They demand too much.'), expect_prompt: ['own checks fail'] },
        { ...tests({}, { run: ['grep -q Hello src/greet.mjs'] }), expect_prompt: ['They demand too much.'] },
        incomplete(),
        { ...plan(), expect_prompt: ['It does not end.'] },
        ...round,
        tasks(),
        tests({}, { run: ['test ! -e test/greet.test.mjs'] }),
        incomplete(),
        diagnosis('split_needed', 'It is two things: names and titles.'),
      ],
    });
    const workTree = join(repository.folder, 'a worktree');
    repository.git('switch', '--quiet', 'main');
    repository.git('worktree', 'add', '--quiet', workTree, 'work');
    const ran = await repository.run([], { cwd: workTree });
    expect([ran.code, ran.steps], ran.stderr).toEqual([
      1,
      inOrder(`draft_plan:drafted review_plan:acceptable draft_tasks:one write_tests:tests_ready
      implement:incomplete diagnose:production_logic implement:complete diagnose:test_design
      write_tests:tests_ready implement:incomplete draft_plan:drafted review_plan:acceptable
      draft_tasks:one write_tests:tests_ready implement:incomplete diagnose:split_needed`),
    ]);
    const issue = readFileSync(join(workTree, 'TODO/GAL-1.md'), 'utf8');
    expect(issue).toContain('failed (split_needed): It is two things: names and titles.');
    const summary = readFileSync(join(workTree, '.workflow/run-GAL-1/summary.md'), 'utf8');
    for (const spent of [
      'escalations: implement: Incomplete: It does not end. (make suspects: split_needed)',
      "escalations: the project's own checks fail: ",
      'plan_rework_remaining: implement: Incomplete: It does not end.',
    ])
      expect(summary).toContain(`\n- ${spent}`);
    // Neither plan left any code.
    expect(repository.log()).toEqual([]);

    repository.script([plan()]);
    expect(recover(repository, ran, workTree)).toContain(`${workTree}\n`);
    expect(repository.git('stash', 'show', '--patch', 'stash@{0}')).toContain('+- ');
    expect(readFileSync(join(workTree, 'TODO/GAL-1.md'), 'utf8')).toContain('status: In Progress');
  });

  test('[issue/route/6-missing-seam] [issue/route/6-blocked] [issue/route/6-not-testable] tests that cannot be written', async (context) => {
    const seamless = tests({ verdict: 'NOT_TESTABLE', tests: [], missing_seam: 'greet takes a clock' });
    const untestable = tests({ verdict: 'NOT_TESTABLE', tests: [], reason: 'Nobody can see it.' });
    const repository = IssueRepository.for(context, {
      turns: [
        ...planned,
        seamless,
        { ...make('add_seam', "'with a clock'"), expect_prompt: ['greet takes a clock'] },
        tests({ verdict: 'BLOCKED', tests: [], reason: 'The clock has no hands.' }),
        { ...diagnosis('production_logic', 'Give it hands.'), expect_prompt: ['The clock has no hands.'] },
        { ...make('add_seam', "'with hands'"), expect_prompt: ['Give it hands.'] },
        untestable,
        { ...signOff(false, 'Its output can be seen.'), expect_prompt: ['Nobody can see it.'] },
        { ...untestable, expect_prompt: ['Its output can be seen.'] },
        signOff(false, 'It still can.'),
      ],
    });
    const ran = await repository.run();
    expect([ran.code, ran.steps.slice(3)], ran.stderr).toEqual([
      1,
      inOrder(`write_tests:missing_seam add_seam:complete write_tests:blocked diagnose:production_logic
      add_seam:complete write_tests:not_testable sign_off:refused write_tests:not_testable
      sign_off:refused`),
    ]);
    expect(repository.artifact('summary.md')).toContain('NOT_TESTABLE, not signed off: It still can.');
    expect(repository.git('show', 'HEAD:src/greet.mjs')).toBe(code("'with hands'"));
  });

  test('[issue/route/any-fault] [issue/failure/record] two retries of whatever fails, then the failure handler', async (context) => {
    const repository = IssueRepository.for(context, {
      turns: [
        { ...plan(), fault: 'crash' },
        { ...plan(), fault: 'no_report' },
        ...planned,
        tests(),
        { ...make('implement', "'out'"), write: { 'src/greet.mjs': code("'out'"), 'src/other.mjs': '' } },
        { ...make('implement'), fault: 'no_report' },
        { ...make('implement'), fault: 'exit:3' },
      ],
    });
    const ran = await repository.run();
    expect([ran.code, ran.steps], ran.stderr).toEqual([
      1,
      inOrder(`draft_plan:failed draft_plan:unparseable draft_plan:drafted review_plan:acceptable
      draft_tasks:one write_tests:tests_ready implement:out_of_bounds implement:unparseable
      implement:failed`),
    ]);
    expect(repository.exists('src/other.mjs')).toBe(false);
    const summary = repository.artifact('summary.md');
    expect(summary).toMatch(/## What failed\n\n- implement: failed: .*status 3/);
    for (const each of ['out_of_bounds', 'unparseable']) expect(summary).toContain(`implement (make): ${each}`);
    expect(repository.read('TODO/GAL-1.md')).toContain('failed (implement: failed)');
  });
});
