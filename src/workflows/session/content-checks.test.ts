import { describe, expect, test } from 'vitest';
import {
  architectureFlaws,
  criteriaFlaws,
  emptyFlaws,
  flawText,
  hasPlaceholder,
  reportFlaws,
  requirementIds,
  specFlaws,
} from './content-checks.ts';

const architectureProblems = (...given: Parameters<typeof architectureFlaws>) =>
  architectureFlaws(...given).map(flawText);
const reportProblems = (text: string) => reportFlaws(text).map(flawText);
const specProblems = (...given: Parameters<typeof specFlaws>) => specFlaws(...given).map(flawText);

const spec = `# CSV export

## 1. Goals
Write CSV.

### Acceptance criteria ###
- AC-001: a file is written (UTF-8)
- AC-002: it opens
- see REQ-12

## Definition of Done
- [ ] all green

## Notes
Not a requirement: ABC-999
`;

describe('a spec', () => {
  test('with its sections has no problems, at any level and in any case', () => {
    expect(specProblems(spec, false)).toEqual([]);
    expect(specProblems(spec.toUpperCase().replaceAll('\n', '\r\n'), false)).toEqual([]);
  });

  test('needs no definition of done when lean', () => {
    const lean = '# Goal\nx\n# Acceptance criteria\ny\n';
    expect(specProblems(lean, true)).toEqual([]);
    expect(specProblems(lean, false)).toEqual([
      'There is no section "Definition of Done"; add a heading "## Definition of Done" with when the work counts as done.',
    ]);
  });

  test.each([
    ['', 'There is no section "Goals"'],
    ['## Non-goals\nx\n', 'There is no section "Goals"'],
    ['```\n## Goals\nx\n```\n', 'There is no section "Goals"'],
    ['## Goals\n\n<!-- say what -->\n- \n## Other\nx', 'The section "Goals" is empty; write what shall be reached.'],
    ['## Goals\n### Sub\n## Other\nx', 'The section "Goals" is empty'],
  ])('%j', (text, problem) => {
    expect(specProblems(text, true)[0]).toContain(problem);
  });

  test('has goals also under a heading that has non-goals', () => {
    expect(specProblems('## Goals and non-goals\nx\n## Acceptance criteria\ny', true)).toEqual([]);
    expect(specProblems('## Goals\n```\nx\n```\n## Acceptance criteria\ny', true)).toEqual([]);
  });

  test('names its requirements where it states them', () => {
    expect(requirementIds(spec)).toEqual(['AC-001', 'AC-002', 'REQ-12']);
  });
});

describe('an architecture', () => {
  const whole = '# Overview\nOne module.\n## Components\nexporter: AC-001, AC-002, REQ-12\n## Risks\nNone known.\n';

  test('with its sections and all requirements has no problems', () => {
    expect(architectureProblems(whole, spec)).toEqual([]);
  });

  test('says which part fulfils each requirement', () => {
    expect(architectureProblems(whole.replace('AC-001', 'AC-0011').replace('REQ-12', ''), spec)).toEqual([
      'The architecture does not mention AC-001, REQ-12 of the spec; say which part fulfils each of them.',
    ]);
  });

  test('records its risks', () => {
    expect(architectureProblems(whole.replace('## Risks\nNone known.', ''), spec)).toEqual([
      'There is no section "Risks"; add a heading "## Risks" with what may go wrong, or that nothing is known.',
    ]);
  });
});

test('a report has four sections', () => {
  const report = '# Report\n## What was done\nx\n## How to run\ny\n## How to test\nz\n## Known issues\nNone\n';
  expect(reportProblems(report)).toEqual([]);
  expect(reportProblems('# Report\n## Summary\nx\n## How to run and test\ny\n## Known limitations\n-\n')).toEqual([
    'The section "Known limitations" is empty; write what is left open, or "None".',
  ]);
  expect(reportProblems('')).toHaveLength(4);
});

test.each([
  '.agents-work/<session>/spec.md',
  '.agents-work/YYYY-MM-DD_slug/x',
  'TBD',
  'src/${name}.ts',
  'src/.../a.ts',
  '$HOME/x',
  '[session]/spec.md',
  'adr/ADR-NNN.md',
])('%j has a placeholder', (path) => {
  expect(hasPlaceholder(path)).toBe(true);
});

test.each([
  '.agents-work/2026-05-01_csv-export/spec.md',
  'src/todos/list.ts',
  'src/todo-list.ts',
  'app/[slug]/page.tsx',
  'a/b.test.ts',
  'src/todoList.ts',
  'app/[...slug]/page.tsx',
  'app/routes/$postId.tsx',
  'pages/{id}.ts',
  'docs/TODO.md',
  'src/XXX.ts',
])('[DEF-11] %j has none', (path) => {
  expect(hasPlaceholder(path)).toBe(false);
});

test('[DEF-15] [session/design/requirement-ids] requirement ids count wherever the spec has them', () => {
  const text = [
    '# Export',
    '## Goals\n- REQ-001: rows are written in UTF-8\n- **PERF-2** fast (see RFC-4180)',
    '## Non-goals\n- REQ-009: no import',
    '## Notes\nFR-7 is new.',
  ].join('\n\n');
  expect(requirementIds(text)).toEqual(['REQ-001', 'PERF-2', 'FR-7']);
  const whole = '# Overview\nx\n## Modules\ny\n## Risks\nz\n';
  expect(architectureProblems(whole, text).join()).toContain('does not mention REQ-001, PERF-2, FR-7');
});

test.each(['TODO', 'TBD\n', '# Research\n\nTODO\n', '<!-- later -->', ''])(
  '[rule 8] a document that says only %j does not pass',
  (text) => {
    expect(emptyFlaws(text)).toHaveLength(1);
  },
);

test('[rule 8] one that says something does', () => {
  expect(emptyFlaws('# Length\n\nSixty characters; a TODO list is out of scope.\n')).toEqual([]);
});

test('[DEF-25] a verify entry without cmd: or manual: is refused', () => {
  const [flaw] = criteriaFlaws([{ id: 'AC-001', description: 'x', verify: ['npm test'] }]);
  expect(flaw?.message).toContain('neither "cmd: …" nor "manual: …"');
});
