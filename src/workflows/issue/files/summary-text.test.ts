import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHeadings } from '../../../documents/markdown.ts';
import { renderSummary, type SummaryValues } from './summary-text.ts';

const empty: SummaryValues = {
  issue: 'GAL-42',
  title: 'Export\nas CSV',
  branch: 'export',
  outcome: 'done',
  steps: [],
  failure: null,
  spent: [],
  blockers: [],
  deviations: [],
  advice: [],
  manifest: [],
  followUps: [],
  commits: [],
  recovery: [],
};

const finding = {
  class: 'production',
  severity: 'BLOCK',
  file: 'src/csv.ts',
  symbol: 'quote',
  line: 10,
  title: 'Commas are not quoted',
  detail: 'See RFC 4180.',
} as const;

const full: SummaryValues = {
  ...empty,
  outcome: 'failed',
  steps: ['plan drafted', 'tests written'],
  failure: { signal: 'diagnose: split_needed', why: 'two concerns\n\n# in one' },
  spent: [{ budget: 'plan_rework', signal: 'review_split: BLOCK', why: '' }],
  blockers: [{ phase: 'final review', finding }],
  deviations: ['no header'],
  advice: [{ step: 'review_plan', text: 'drop the class' }],
  manifest: [{ task: 'task-1', justification: 'only types', rationale: 'agreed' }],
  followUps: [{ id: 'GAL-43', label: 'bug', title: 'Broken tabs' }],
  commits: [{ id: 'abc123', message: 'feat: export\n\nbody' }],
  recovery: ['git worktree remove x', 'pawl issue run GAL-42 main'],
};

test('tells what was done, what failed, what is open, and how to begin again', () => {
  expect(renderSummary(full)).toBe(`# GAL-42: Export as CSV

The run on \`export\` failed.

## What failed

- diagnose: split_needed: two concerns
### in one

## What was done

- plan drafted
- tests written

## Commits

- \`abc123\` feat: export body

## Budgets spent

- plan_rework: review_split: BLOCK

## Open findings

- BLOCK, production, final review: Commas are not quoted, src/csv.ts:10 (quote)
  See RFC 4180.

## Deviations from the plan

- no header

## Without tests

- task-1: only types
  Signed off: agreed

## Issues filed

- GAL-43 (bug): Broken tabs

## Advice, not acted on

- review_plan: drop the class

## Begin again

\`\`\`sh
git worktree remove x
pawl issue run GAL-42 main
\`\`\`
`);
});

test('leaves out parts without content', () => {
  expect(renderSummary(empty)).toBe('# GAL-42: Export as CSV\n\nThe run on `export` is done.\n');
});

test('names a finding about a whole file by the file alone', () => {
  const { symbol: _symbol, line: _line, ...whole } = finding;
  const text = renderSummary({ ...empty, blockers: [{ phase: 'plan review', finding: whole }] });
  expect(text).toContain('- BLOCK, production, plan review: Commas are not quoted, src/csv.ts\n  See RFC 4180.\n');
});

test('no text from outside passes for a section', () => {
  const lines = fc.array(fc.constantFrom('a', '', '## Commits', '  # x', '```', '~~~sh', '\r## y', '- b'));
  const prose = lines.map((each) => each.join('\n'));
  const sections = readHeadings(renderSummary(full)).filter(({ level }) => level <= 2);
  fc.assert(
    fc.property(prose, prose, prose, (why, text, detail) => {
      const summary = renderSummary({
        ...full,
        failure: { signal: 's', why },
        steps: [text],
        blockers: [{ phase: 'p', finding: { ...finding, detail } }],
        advice: [{ step: 'x', text }],
      });
      const found = readHeadings(summary).filter(({ level }) => level <= 2);
      expect(found.map((heading) => heading.text)).toEqual(sections.map((heading) => heading.text));
    }),
  );
});
