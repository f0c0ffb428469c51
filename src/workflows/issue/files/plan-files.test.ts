import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { check } from '../../../schema/schema.ts';
import { readIssue, renderIssue } from './issue-file.ts';
import {
  readPlan,
  readTask,
  renderPlan,
  renderTask,
  repositoryPath,
  seedIssue,
  type Plan,
  type Task,
} from './plan-files.ts';

const plan: Plan = {
  issue: 'GAL-42',
  title: 'Export: as CSV',
  files: ['src/export.ts'],
  newFiles: ['src/csv.ts'],
  problem: 'No export.',
  approach: 'Write one.\n\n### Steps\n\n1. a',
  risks: '- quoting',
  testDesign: 'Golden files.',
};

const task: Task = {
  kind: 'task',
  number: 2,
  title: 'Quote fields',
  filesToModify: ['src/export.ts', 'src/[slug]/a b.ts'],
  newFiles: ['src/csv.ts'],
  newSymbols: [{ file: 'src/csv.ts', name: 'quote' }],
  dependsOn: [1, 3],
  description: 'Quote what needs it.',
  criteria: ['commas are quoted', 'quotes are doubled'],
  codeContext: 'See `write`.',
  integrationContracts: 'quote(text: string): string',
  testDesign: '',
};

test('renders a plan and reads it back', () => {
  const text = renderPlan(plan);
  expect(text).toMatch(
    /^---\nissue: GAL-42\n[^]*\n---\n\n# Plan for GAL-42: Export: as CSV\n\n## Problem\n\nNo export\.\n/,
  );
  expect(readPlan(text, 'plan.md')).toEqual(plan);
});

test('a part without text has no section', () => {
  const text = renderPlan({ ...plan, testDesign: ' ', risks: '' });
  expect(text).not.toMatch(/Test design|Risks/);
  expect(readPlan(text, 'plan.md')).toMatchObject({ testDesign: '', risks: '' });
});

test('renders a task and reads it back', () => {
  expect(renderTask(task)).toBe(`---
kind: task
number: 2
title: Quote fields
files_to_modify:
  - src/export.ts
  - src/[slug]/a b.ts
new_files:
  - src/csv.ts
new_symbols:
  - file: src/csv.ts
    name: quote
depends_on:
  - 1
  - 3
---

# Task 2: Quote fields

## Description

Quote what needs it.

## Acceptance criteria

- commas are quoted
- quotes are doubled

## Code context

See \`write\`.

## Integration contracts

quote(text: string): string
`);
  expect(readTask(renderTask(task), 'task-2.md')).toEqual(task);
});

test('a fix is a task with another heading', () => {
  const fix: Task = { ...task, kind: 'fix', number: 1, dependsOn: [] };
  expect(renderTask(fix)).toContain('\n# Fix 1: Quote fields\n');
  expect(readTask(renderTask(fix), 'task-fix-1.md')).toEqual(fix);
});

const words = fc
  .array(fc.constantFrom('text', '', '## Description', '# x', '```', '---', '- a', '## Acceptance criteria', 'yes: no'))
  .map((lines) => `a${lines.join('\n')}`);

test('P1: reading what was rendered gives the same values, whatever the text', () => {
  fc.assert(
    fc.property(words, words, words, fc.string({ minLength: 1 }), (description, codeContext, testDesign, title) => {
      const once = renderTask({ ...task, title: `t${title}`, description, codeContext, testDesign });
      const read = readTask(once, 'task-2.md');
      expect(renderTask(read)).toBe(once);
      expect(read.criteria).toEqual(task.criteria);
      expect([read.description, read.codeContext, read.testDesign].every((each) => each.startsWith('a'))).toBe(true);
      const planned = renderPlan({ ...plan, problem: description, approach: codeContext, testDesign });
      expect(renderPlan(readPlan(planned, 'plan.md'))).toBe(planned);
    }),
  );
});

const source = renderTask(task);

test.each([
  ['no front matter', '# Task 2\n', 1, 'there is no front matter', '"---"'],
  ['another kind', source.replace('kind: task', 'kind: chore'), 2, 'kind is "chore"', 'one of "task", "fix"'],
  ['no number', source.replace('number: 2', 'number: two'), 3, 'number is "two"', 'a whole number from 1 to 100'],
  [
    'another number than its file',
    source.replace('number: 2', 'number: 4'),
    3,
    'number is 4',
    'in the name of the file',
  ],
  ['another kind than its file', source.replace('kind: task', 'kind: fix'), 3, 'number is 2', 'name of the file'],
  ['a path outside', source.replace('- src/export.ts', '- ../x'), 5, '"../x"', 'the path of one file'],
  ['a path in TODO/', source.replace('- src/export.ts', '- TODO/GAL-1.md'), 5, '"TODO/GAL-1.md"', 'outside TODO/'],
  [
    'a symbol of no file',
    source.replace('file: src/csv.ts', 'file: src/x.ts'),
    10,
    '"src/x.ts"',
    'files_to_modify or new_files',
  ],
  ['a dependency on itself', source.replace('- 3', '- 2'), 13, 'task 2 depends on itself', 'other tasks'],
  [
    'no description',
    source.replace('## Description', '## Text'),
    null,
    'no section "Description"',
    '"## Description" with text',
  ],
  [
    'no criteria',
    source.replaceAll(/- (?:commas|quotes) .*\n/g, ''),
    24,
    'is empty',
    '"## Acceptance criteria" with text',
  ],
])('refuses a task with %s', (_, text, ...[line, problem, expected]) => {
  const error = attempt(() => readTask(text, 'task-2.md'));
  if (!(error instanceof DocumentError)) throw new Error('was read');
  expect({ file: error.file, line: error.line }).toEqual({ file: 'task-2.md', line });
  expect(error.problem).toContain(problem);
  expect(error.expected).toContain(expected);
});

test('refuses a task without files', () => {
  const text = renderTask({ ...task, filesToModify: [], newFiles: [], newSymbols: [] });
  expect(() => readTask(text, 'task-2.md')).toThrow('task-2.md:5: files_to_modify is []; expected at least one file');
});

test('refuses a plan without an approach', () => {
  expect(() => readPlan(renderPlan({ ...plan, approach: '' }), 'plan.md')).toThrow('there is no section "Approach"');
});

test.each([
  ['/etc/passwd'],
  ['../x'],
  ['a/../b'],
  ['./a'],
  ['a//b'],
  ['a/'],
  ['src/*.ts'],
  [String.raw`a\b`],
  ['.git/config'],
  ['a/.GIT/config'],
  ['.pawl/x'],
  ['todo/GAL-1.md'],
  ['.workflow/run-GAL-1/plan.md'],
  ['a\nb'],
])('%j is no path of a task', (path) => {
  expect(check(repositoryPath, path)).toHaveProperty('mistakes');
});

test('a task that is split off becomes an issue that stands alone', () => {
  const filed = new Map([[3, 'GAL-44']]);
  const issue = seedIssue(task, plan, { id: 'GAL-43', branch: 'export', filed });
  expect(issue).toMatchObject({ id: 'GAL-43', title: task.title, parent: 'GAL-42', labels: ['split-from-run'] });
  const text = renderIssue(issue);
  for (const part of [
    'Quote what needs it.',
    '## Acceptance criteria\n\n- [ ] commas are quoted\n- [ ] quotes are doubled',
    '- modify `src/export.ts`',
    '- create `src/csv.ts`',
    '- new symbol `quote` in `src/csv.ts`',
    '## Code context\n\nSee `write`.',
    '## Integration contracts\n\nquote(text: string): string',
    '## Plan of GAL-42\n\n### Problem\n\nNo export.\n\n### Approach\n\nWrite one.\n\n#### Steps',
    '### Risks\n\n- quoting',
    '## Test design\n\nGolden files.',
    'Discovered during run on `export` for parent issue `GAL-42`.',
  ])
    expect(text).toContain(part);
  expect(readIssue(text, 'TODO/GAL-43.md')).toMatchObject({ status: 'Todo', parent: 'GAL-42', dependsOn: ['GAL-44'] });
});

test('a dependency on task 1 is never one on the parent', () => {
  const filed = new Map([[1, 'GAL-42']]);
  const { dependsOn } = seedIssue({ ...task, dependsOn: [1] }, plan, { id: 'GAL-43', branch: 'b', filed });
  expect(dependsOn).toEqual([]);
});
