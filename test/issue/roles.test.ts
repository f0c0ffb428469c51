/** What each role may write: everything else is put back, the dispatch is repeated twice, then the run fails. */

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  advise,
  code,
  IssueRepository,
  make,
  plan,
  planned,
  review,
  reviewed,
  task,
  tasks,
  tests,
  update,
  type Turn,
} from './played-issue.ts';

const rust = `pub fn twice(n: u32) -> u32 {
    n + n // not a test: mod tests {
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(twice(2), 4);
    }
}
`;
const inside = rust.replace('twice(2), 4', 'twice(3), 6');
const outside = inside.replace('n + n', '2 * n');
const lock = '{"lockfileVersion": 3}\n';
/** The task, as `make` would like it. */
const wider = `---
kind: task
number: 1
title: Greet by name
files_to_modify: [src/greet.mjs, src/other.mjs, test/greet.test.mjs]
---

# Task 1: Greet by name

## Description

Whatever I like.

## Acceptance criteria

- It is done.
`;
const greeting = code('`Hello ${name}`');
const testText = 'export {};\n';

/** The turn, but it also writes what it may not. */
const overstepping = (turn: Turn, write: Readonly<Record<string, string | null>>, more: Turn = {}): Turn => ({
  ...turn,
  write,
  ...more,
});

test('[issue/roles/planner] [issue/roles/check] [issue/roles/simplify] [issue/roles/test] [issue/roles/test-rust] [issue/roles/make] [issue/roles/pm] [issue/roles/paths] [issue/adr/5] [issue/adr/8] [issue/adr/10] [issue/commands/run] [issue/files/run-folder] [issue/route/5.5-acceptable] what a role may not write is put back, and does not count', async (context) => {
  const own = task({ files: ['src/greet.mjs', 'package-lock.json'] });
  const written = tests({}, { write: { 'src/twice.rs': inside, 'test/greet.test.mjs': testText } });
  const repository = IssueRepository.for(context, {
    files: { 'src/twice.rs': rust, 'package-lock.json': lock, 'src/other.mjs': 'export {};\n' },
    turns: [
      overstepping(plan(), { 'src/greet.mjs': '// planner\n', '.workflow/run-GAL-1/plan.md': 'mine\n' }),
      plan(),
      overstepping(review('review_plan'), { 'TODO/GAL-1.md': 'mine\n' }),
      advise('review_plan', 'One.'),
      review('review_plan'),
      overstepping(advise('review_plan', 'Two.'), { 'src/notes.md': 'mine\n' }),
      review('review_plan'),
      advise('review_plan', 'Three.'),
      tasks(own, task({ title: 'Another', depends_on: [1] })),
      review('review_split'),
      overstepping(tests(), { 'test/greet.test.mjs': testText, 'src/greet.mjs': '// test\n' }),
      overstepping(tests(), { 'src/twice.rs': outside }),
      written,
      overstepping(make('implement'), { 'src/greet.mjs': greeting }, { run: ['mv src/greet.mjs src/renamed.mjs'] }),
      overstepping(make('implement'), {
        'src/greet.mjs': greeting,
        'package-lock.json': '{}\n',
        'src/other.mjs': '// make\n',
        'test/greet.test.mjs': '// make\n',
        '.workflow/run-GAL-1/task-1.md': wider,
      }),
      make('implement', '`Hello ${name}`'),
      ...reviewed,
      overstepping(update([1]), { 'TODO/GAL-1.md': 'mine\n', 'TODO/GAL-9.md': 'mine\n' }),
      update([1]),
    ],
  });
  const ran = await repository.run();
  expect(ran.steps).toEqual([
    'draft_plan:out_of_bounds',
    'draft_plan:drafted',
    'review_plan:out_of_bounds',
    'review_plan:out_of_bounds',
    'review_plan:acceptable',
    'draft_tasks:several',
    'review_split:acceptable',
    'write_tests:out_of_bounds',
    'write_tests:out_of_bounds',
    'write_tests:tests_ready',
    'implement:out_of_bounds',
    'implement:out_of_bounds',
    'implement:complete',
    'review_code:acceptable',
    'update_issue:out_of_bounds',
    'update_issue:updated',
  ]);
  expect(ran.code).toBe(0);
  const problems = (ran.json['dispatches'] as readonly { problem: string | null }[]).map(
    ({ problem }) => problem ?? '',
  );
  expect(problems.join('\n')).toMatch(
    /src\/twice\.rs[^]*line 1: code outside of #\[cfg\(test\)\] modules differs[^]*make deletes and renames no file[^]*make changes no lockfile/,
  );

  expect(ran.stderr).not.toContain('warning');
  expect(repository.git('status', '--porcelain')).toBe('');
  expect(repository.git('diff', '--name-only', 'main').split('\n').filter(Boolean)).toEqual([
    'TODO/GAL-1.md',
    'TODO/GAL-2.md',
    'src/greet.mjs',
    'src/twice.rs',
    'test/greet.test.mjs',
  ]);
  expect(repository.read('src/greet.mjs')).toBe(greeting);
  expect(repository.read('src/twice.rs')).toBe(inside);
  expect(repository.read('test/greet.test.mjs')).toBe(testText);
  expect(repository.read('package-lock.json')).toBe(lock);
  expect(repository.read('TODO/GAL-1.md')).toContain('- [x] A name is greeted.\n- [ ] Without a name it is Hello.\n');
  // Advice of a dispatch that did not count is not kept either.
  expect(repository.artifact('summary.md')).toContain('## Advice, not acted on\n\n- review_plan: Three.\n');

  const artifacts = readdirSync(join(repository.root, '.workflow/run-GAL-1')).filter((name) => name.endsWith('.md'));
  expect(artifacts.toSorted()).toEqual(['plan.md', 'summary.md', 'task-1.md', 'task-2.md']);
  expect(repository.git('check-ignore', '.workflow/run-GAL-1/plan.md')).not.toBe('');

  // Each prompt names the worktree, and only files that are there, by absolute path.
  const folder = join(repository.runFolder('issue', 'GAL-1'), 'dispatches');
  for (const number of readdirSync(folder)) {
    // In front of it may be why the attempt before did not count.
    const [, prompt = ''] = readFileSync(join(folder, number, 'prompt.md'), 'utf8').split(/^You are the role/m);
    expect(prompt).toContain(`Worktree: ${repository.root}\n`);
    const [, ...named] = prompt.match(new RegExp(`${repository.root}\\S*`, 'g')) ?? [];
    expect(named).toContain(`${repository.root}/TODO/GAL-1.md`);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    expect(prompt.replaceAll(repository.root, '').match(/(?<!\/)(?:\.workflow|TODO)\/\w/g)).toBeNull();
  }
});

test('[issue/roles/make] [issue/route/any-fault] a role that oversteps three times fails the run, on record', async (context) => {
  const bad = overstepping(make('implement', 'name'), { 'src/other.mjs': '// make\n', 'src/greet.mjs': code('name') });
  const repository = IssueRepository.for(context, {
    files: { 'src/other.mjs': 'export {};\n' },
    turns: [...planned, tests(), bad, bad, bad],
  });
  const ran = await repository.run();
  expect([ran.code, ran.steps.slice(-3)]).toEqual([
    1,
    ['implement:out_of_bounds', 'implement:out_of_bounds', 'implement:out_of_bounds'],
  ]);
  expect(repository.read('src/other.mjs')).toBe('export {};\n');
  const summary = repository.artifact('summary.md');
  expect(summary).toMatch(/## What failed\n\n- implement: out_of_bounds: .*src\/other\.mjs/);
  expect(repository.read('TODO/GAL-1.md')).toMatch(/status: Todo\n[^]*## Comments\n\n- .*out_of_bounds/);
  expect(ran.stderr).toContain('to begin again:\n');
});
