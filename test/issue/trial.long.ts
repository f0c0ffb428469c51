/** Defects that an independent trial found. */

import { describe, expect, test } from 'vitest';
import {
  advise,
  diagnosis,
  finding,
  fix,
  greetTest,
  IssueRepository,
  make,
  planned,
  review,
  reviewed,
  task,
  tasks,
  tests,
  update,
} from './played-issue.ts';

const testFile = 'test/greet.test.mjs';
const testText = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../src/greet.mjs';
test('${greetTest}', () => assert.equal(greet('Ann'), 'Hello Ann'));
`;
const byName = '`Hello ${name}`';
const files = { 'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }) };
const red = tests({}, { write: { [testFile]: testText } });

describe.concurrent('what an agent does behind the review', () => {
  test('[trial D1] a commit of its own on the branch ends the run as failed', async (context) => {
    const commit = ['git add src/greet.mjs', 'git commit --quiet --message evil'];
    const repository = IssueRepository.for(context, {
      turns: [...planned, tests({}, {}), { ...make('implement', byName), run: commit }, ...reviewed, update([1, 2])],
    });
    const ran = await repository.run();
    expect(ran.code, ran.stderr).toBe(1);
    expect(repository.artifact('summary.md')).toContain('somebody committed');
    expect(ran.steps).not.toContain('review_code:acceptable');
  });

  const handed = 'tests that were handed over do not pass';
  const kept = `make changes no test that was handed over: ${greetTest}`;
  const silent = 'process.exit(0);\nexport const greet = 1;\n';
  const emptied = testText.replace("assert.equal(greet('Ann'), 'Hello Ann')", '{}');
  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    ['removes the tests', { [testFile]: '' }, 'implement:out_of_bounds', kept],
    ['empties [trial 2 10] the tests', { [testFile]: emptied }, 'implement:out_of_bounds', kept],
    ['ends the runner before it tells', { 'src/greet.mjs': silent }, 'implement:complete', handed],
  ])('[trial D6] one that %s is not green', async (_, write, step, why) => {
    const repository = IssueRepository.for(
      { onTestFinished: (done) => void done },
      {
        files,
        config: 'retry_delay_secs = 0\n[issue]\nescalations = 0\nplan_rework = 0\n',
        turns: [
          ...planned.slice(0, 3),
          {
            role: 'planner',
            step: 'draft_tasks',
            call: [
              {
                tool: 'write_tasks',
                args: {
                  tasks: [
                    {
                      title: 'Greet by name',
                      description: 'greet takes a name.',
                      files: ['src/greet.mjs'],
                      new_files: [testFile],
                      criteria: ['The name is in the greeting.'],
                    },
                  ],
                },
              },
            ],
          },
          red,
          ...Array.from({ length: 3 }, () => ({ ...make('implement'), write })),
          ...reviewed,
        ],
      },
    );
    try {
      const ran = await repository.run();
      expect([ran.code, ran.steps.at(-1)], ran.stderr).toEqual([1, step]);
      expect(repository.artifact('summary.md')).toContain(why);
    } finally {
      repository.remove();
    }
  });
});

test('[trial D5] [trial D8] a finding converges only once it was dealt with, and only alone', async (context) => {
  const loss = finding('production', 'Data loss', { severity: 'BLOCK' });
  const repository = IssueRepository.for(context, {
    turns: [
      ...planned,
      tests({ verdict: 'NOT_TESTABLE', tests: [], reason: 'Only words change.' }),
      {
        role: 'check',
        step: 'sign_off',
        call: [{ tool: 'file_sign_off', args: { signed: true, rationale: 'Words.' } }],
      },
      make('implement', "'Hello ' + name"),
      review('review_code', [finding('test', 'Weak'), loss], {
        untested: [{ task: 'GAL-1 task 1', holds: true, why: 'Yes.' }],
      }),
      advise('review_code'),
      {
        role: 'check',
        step: 'diagnose',
        call: [{ tool: 'file_diagnosis', args: { verdict: 'production_logic', notes: 'n' } }],
      },
      fix(),
      make('fix_code', byName),
      review('review_code', [loss], { untested: [{ task: 'GAL-1 task 1', holds: true, why: 'Yes.' }] }),
      advise('review_code'),
      { ...fix({ title: 'Keep the data' }), expect_prompt: ['Data loss'] },
      make('fix_code', "name + '!'"),
      review('review_code', [], { untested: [{ task: 'GAL-1 task 1', holds: true, why: 'Yes.' }] }),
      advise('review_code'),
      update([1, 2]),
    ],
  });
  const ran = await repository.run();
  expect([ran.code, ran.steps.filter((step) => step.startsWith('review_code'))], ran.stderr).toEqual([
    0,
    ['review_code:test', 'review_code:production', 'review_code:acceptable'],
  ]);
});

test('[trial D9] [trial D12] a worktree needs only the issue itself committed; a cycle is named', async (context) => {
  const repository = IssueRepository.for(context, { turns: planned });
  repository.write('TODO/notes.md', 'something else\n');
  const ran = await repository.run(['--worktree']);
  expect(ran.stderr).not.toContain('Working tree must be clean');
  repository.write('TODO/GAL-1.md', repository.read('TODO/GAL-1.md').replace('depends-on: []', 'depends-on: [GAL-1]'));
  const other = IssueRepository.for(context, {
    issues: { 'GAL-2': { dependsOn: ['GAL-3'] }, 'GAL-3': { dependsOn: ['GAL-2'] } },
  });
  const all = await other.issue(['run', '--all']);
  expect([all.code, all.stderr]).toEqual([2, expect.stringContaining('GAL-2 → GAL-3 → GAL-2')]);
});

test('[trial D17] what a failed run filed, and its recovery put aside, keeps its id', async (context) => {
  const second = task({ title: 'Say goodbye by name', files: ['src/bye.mjs'], depends_on: [1] });
  const toFailure = [
    ...planned.slice(0, 3),
    tasks(task(), second),
    review('review_split'),
    tests({ verdict: 'BLOCKED', tests: [], reason: 'Too much at once.' }),
    diagnosis('split_needed', 'Two things.'),
  ];
  const repository = IssueRepository.for(context, { turns: [...toFailure, ...toFailure] });
  expect((await repository.run()).code).toBe(1);
  expect(repository.exists('TODO/GAL-2.md')).toBe(true);
  repository.git('stash', 'push', '--quiet', '--include-untracked');
  expect((await repository.run()).code).toBe(1);
  expect([repository.exists('TODO/GAL-2.md'), repository.exists('TODO/GAL-3.md')]).toEqual([false, true]);
});
