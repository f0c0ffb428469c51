/** Phases 6 and 7 with a real test runner: stubs, tests that must reach them, and the entry check. */

import { expect, test } from 'vitest';
import {
  diagnosis,
  IssueRepository,
  inOrder,
  make,
  plan,
  planned,
  reviewed,
  task,
  tasks,
  tests,
  update,
} from './played-issue.ts';

const stub = "export function shout(name) {\n  throw new Error('NotImplemented');\n}\n";
const body = 'export function shout(name) {\n  return name.toUpperCase();\n}\n';
const testFile = 'src/shout.test.mjs';

/** Tests of `shout`, by name and assertion. */
const suite = (cases: Readonly<Record<string, string>>) => ({
  write: {
    [testFile]: [
      "import assert from 'node:assert/strict';",
      "import { test } from 'node:test';",
      "import { shout } from './shout.mjs';",
      ...Object.entries(cases).map(([name, assertion]) => `test('${name}', () => ${assertion});`),
      '',
    ].join('\n'),
  },
});
const handed = (name: string, code: string) => ({ tests: [{ name, file: testFile, code }] });
const calls = { 'it shouts': "assert.equal(shout('a'), 'A')" };

test('[issue/route/6-stubs] [issue/route/6-ready] [issue/route/6-no-stub] [issue/route/7-entry] [issue/route/7-green] [issue/stubs/commits] [issue/adr/7] stubs are checked, a test that reaches none is rejected, and codes other than handed over are diagnosed', async (context) => {
  const structural = { ...calls, 'it exists': "assert.equal(typeof shout, 'function')" };
  const written = (content: string, step: string) => ({ ...make(step), write: { 'src/shout.mjs': content } });
  const repository = IssueRepository.for(context, {
    config: 'retry_delay_secs = 0\n[issue]\nescalations = 3\n',
    files: { 'package.json': '{"type": "module", "scripts": {"test": "node --test"}}\n' },
    issues: { 'GAL-1': { labels: ['bug'], body: '\n## Acceptance criteria\n\n- [ ] It shouts.\n' } },
    turns: [
      plan({ kinds: ['bug_fix'], new_files: ['src/shout.mjs'], test_design: 'One name.' }),
      ...planned.slice(1, 3),
      tasks(task({ files: [], new_files: ['src/shout.mjs'], new_symbols: [{ file: 'src/shout.mjs', name: 'shout' }] })),
      written(body, 'write_stubs'),
      { ...written(stub, 'write_stubs'), expect_prompt: ['shout', 'To be dealt with'] },
      tests(handed('it shouts', 'MISSING_BEHAVIOR'), suite(structural)),
      { ...tests(handed('it shouts', 'ASSERTION_MISMATCH'), suite(calls)), expect_prompt: ['it exists'] },
      {
        ...diagnosis('test_design', 'Hand over what is seen.'),
        expect_prompt: ['MISSING_BEHAVIOR, not with ASSERTION_MISMATCH'],
      },
      tests(handed('it shouts', 'MISSING_BEHAVIOR'), suite(calls)),
      { ...written(body, 'implement'), expect_prompt: ['it shouts (src/shout.test.mjs): fails with MISSING_BEHAVIOR'] },
      ...reviewed,
      update([1]),
    ],
  });
  const ran = await repository.run();
  expect([ran.code, ran.steps.slice(3)], ran.stderr).toEqual([
    0,
    inOrder(`write_stubs:complete write_stubs:complete write_tests:tests_ready write_tests:tests_ready
      diagnose:test_design write_tests:tests_ready implement:complete review_code:acceptable
      update_issue:updated`),
  ]);
  expect(repository.log()).toEqual([
    'chore(todo): close GAL-1',
    'fix: implement shout',
    'feat: scaffold shout with stubs',
  ]);
  expect(repository.git('show', 'HEAD~2:src/shout.mjs')).toBe(stub);
  expect(repository.git('show', '--format=', '--name-only', 'HEAD~2')).toBe('src/shout.mjs\n');
  expect(repository.git('show', 'HEAD~1:src/shout.mjs')).toBe(body);
});
