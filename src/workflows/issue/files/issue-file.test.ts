import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import {
  addComment,
  addLabel,
  readIssue,
  renderIssue,
  setStatus,
  setSubIssues,
  statuses,
  tickCriteria,
  type NewIssue,
} from './issue-file.ts';

const path = 'TODO/GAL-42.md';
const sample = `---
id: GAL-42
title: "Export: as CSV"   # shown in lists
status: Todo # by pm
parent: GAL-1
labels: [export, "needs docs"]
depends-on:
  - GAL-40
  - GAL-41
owner: somebody
---

# GAL-42: Export as CSV

Text with \`- [ ] no criterion\`.

- [ ] no criterion either

## Sub-issues

- [x] [GAL-43](GAL-43.md) — first
  - [ ] [GAL-44](GAL-44.md) - second
- [ ] not a link

## Acceptance criteria

- [ ] exports a header
  with all columns
- [x] quotes commas
\`\`\`
- [ ] code
\`\`\`
* [X] ends lines
- no checkbox

## Integration test hints

- [ ] hint

## Comments

- 2026-01-02 — begun
`;

const windows = sample.replaceAll('\n', '\r\n');

test('reads fields, criteria and sub-issues', () => {
  expect(readIssue(sample, path)).toEqual({
    path,
    id: 'GAL-42',
    title: 'Export: as CSV',
    status: 'Todo',
    parent: 'GAL-1',
    labels: ['export', 'needs docs'],
    dependsOn: ['GAL-40', 'GAL-41'],
    criteria: [
      { text: 'exports a header with all columns', done: false, line: 27 },
      { text: 'quotes commas', done: true, line: 29 },
      { text: 'ends lines', done: true, line: 33 },
    ],
    subIssues: [
      { id: 'GAL-43', text: 'first', done: true, line: 21 },
      { id: 'GAL-44', text: 'second', done: false, line: 22 },
    ],
  });
});

test('reads CRLF and a byte order mark alike', () => {
  expect(readIssue(`\uFEFF${windows}`, path)).toEqual(readIssue(sample, path));
});

test('missing lists are empty and a missing parent is none', () => {
  const least = '---\nid: GAL-42\ntitle: 7\nstatus: In Progress\nparent:\n---\n';
  expect(readIssue(least, path)).toMatchObject({
    title: '7',
    status: 'In Progress',
    parent: null,
    labels: [],
    dependsOn: [],
    criteria: [],
    subIssues: [],
  });
});

test('headings in front matter and in code begin no section', () => {
  const text =
    '---\n## Acceptance criteria\nid: GAL-42\ntitle: t\nstatus: Todo\n---\n```\n## Acceptance criteria\n- [ ] a\n```\n';
  expect(readIssue(text, path).criteria).toEqual([]);
});

const withField = (from: string, to: string) => sample.replace(from, to);

test.each([
  ['no front matter', '# GAL-42\n', 1, 'there is no front matter', 'a line "---"'],
  ['an open front matter', '---\nid: GAL-42\n', 1, 'the front matter is not closed', 'and a line "---"'],
  ['an empty file', '', 1, 'there is no front matter', 'a line "---"'],
  ['broken YAML', withField('labels: [export', 'labels: [[export'), 7, '', 'valid YAML'],
  ['a key twice', withField('owner: somebody', 'status: Done'), 10, 'unique', 'valid YAML'],
  ['a list', '---\n- a\n---\n', 2, 'found ["a"]', 'a map of keys and values'],
  ['another id', withField('id: GAL-42', 'id: GAL-43'), 2, 'id is "GAL-43"', 'GAL-42, as the file is named'],
  ['no id', withField('id: GAL-42\n', ''), 2, 'id is missing', 'an id such as GAL-42'],
  ['no title', withField('title: "Export: as CSV"', 'title: ""'), 3, 'title is ""', 'a title'],
  [
    'an unknown status',
    withField('status: Todo', 'status: Toto'),
    4,
    'status is "Toto"',
    'one of "Todo", "In Progress"',
  ],
  ['a status in another case', withField('status: Todo', 'status: done'), 4, 'status is "done"', 'did you mean Done?'],
  ['a parent that is no id', withField('parent: GAL-1', 'parent: ../x'), 5, 'parent is "../x"', 'an id such as'],
  ['its own parent', withField('parent: GAL-1', 'parent: GAL-42'), 5, 'its own parent', 'another issue'],
  [
    'labels as a map',
    withField('labels: [export, "needs docs"]', 'labels: {a: b}'),
    6,
    'labels is',
    'a list of labels',
  ],
  ['a dependency that is no id', withField('- GAL-40', '- the other'), 7, '"the other"', 'an id such as'],
  ['a dependency on itself', withField('- GAL-40', '- GAL-42'), 7, 'GAL-42 depends on itself', 'other issues'],
])('refuses %s with file, line and expectation', (_, text, ...[line, problem, expected]) => {
  const error = attempt(() => readIssue(text, path));
  if (!(error instanceof DocumentError)) throw new Error('was read');
  expect({ file: error.file, line: error.line }).toEqual({ file: path, line });
  expect(error.problem).toContain(problem);
  expect(error.expected).toContain(expected);
});

test('reports every mistake of the front matter at once', () => {
  const error = attempt(() =>
    readIssue(withField('status: Todo', 'status: Toto').replace('id: GAL-42', 'id: x'), path),
  );
  expect(error).toMatchObject({ line: 2, more: [expect.stringContaining(`${path}:4: status is "Toto"`)] });
});

test.each([
  ['plain', 'status: Todo # by pm', 'status: Done # by pm'],
  ['quoted', 'status: "Todo"', 'status: Done'],
  ['single quotes and comment', "status:   'Todo'   # c", 'status: Done   # c'],
  ['on the next line', 'status:\n  Todo', 'status: Done'],
])('sets a status written %s and nothing else', (_, from, to) => {
  for (const eol of ['\n', '\r\n']) {
    const old = sample.replace('status: Todo # by pm', from).replaceAll('\n', eol);
    const wanted = sample.replace('status: Todo # by pm', to).replaceAll('\n', eol);
    expect(setStatus(old, 'Done')).toBe(wanted);
    expect(setStatus(wanted, 'Done')).toBe(wanted);
  }
});

test('refuses to set the status of a file without front matter', () => {
  expect(() => setStatus('# x\n', 'Done', path)).toThrow(`${path}:1: there is no front matter`);
});

test('adds a label once', () => {
  const once = addLabel(sample, 'failed-run', path);
  expect(readIssue(once, path).labels).toEqual(['export', 'needs docs', 'failed-run']);
  expect(addLabel(once, 'failed-run', path)).toBe(once);
  const block = 'labels:\n  - export\n  - needs docs\n  - failed-run\n';
  expect(once).toBe(sample.replace('labels: [export, "needs docs"]\n', block));
});

test('[trial 2 5] counts the criteria of every section of that name', () => {
  const text = `---\nid: GAL-42\ntitle: t\nstatus: Todo\n---\n## Acceptance criteria\n- [ ] a\n## Notes\n- [ ] no\n## Acceptance criteria\n- [ ] b\n`;
  expect(readIssue(text, path).criteria.map((each) => each.text)).toEqual(['a', 'b']);
  expect(tickCriteria(text, [1])).toBe(text.replace('[ ] b', '[x] b'));
});

test('ticks the criteria with these indexes', () => {
  expect(tickCriteria(windows, [0, 1, 2])).toBe(windows.replace('- [ ] exports', '- [x] exports'));
  expect(tickCriteria(sample, [])).toBe(sample);
  expect(() => tickCriteria(sample, [3])).toThrow('there is no criterion 3');
});

test('adds a comment as one list item at the end of the section', () => {
  expect(addComment(windows, '2026-02-03', 'failed:\r\n\nsee log\n')).toBe(
    `${windows}- 2026-02-03 — failed:\r\n\r\n  see log\r\n`,
  );
});

test.each([
  ['a file without the section', 'a\n', 'a\n\n## Comments\n\n- 2026-02-03 — x\n'],
  ['a last line without an end', 'a', 'a\n\n## Comments\n\n- 2026-02-03 — x\n'],
  ['an empty section', '## Comments\n', '## Comments\n\n- 2026-02-03 — x\n'],
  ['prose', '## Comments\n\ntext\n', '## Comments\n\ntext\n\n- 2026-02-03 — x\n'],
  ['a section that follows', '## Comments\n- a\n## B\n', '## Comments\n- a\n- 2026-02-03 — x\n\n## B\n'],
  ['blank lines behind', '## comments\n- a\n\n\n# B\n', '## comments\n- a\n- 2026-02-03 — x\n\n\n# B\n'],
])('adds a comment to %s', (_, text, wanted) => {
  expect(addComment(text, '2026-02-03', 'x')).toBe(wanted);
});

test('a comment without words is none', () => {
  expect(addComment(sample, '2026-02-03', ' \n')).toBe(sample);
});

test('sub-issues are listed in dependency order, dependents below the last they wait for', () => {
  const rows = [
    { id: 'GAL-46', done: false, text: 'needs both', dependsOn: ['GAL-44', 'GAL-45'] },
    { id: 'GAL-44', done: true, text: 'first', dependsOn: ['GAL-1'] },
    { id: 'GAL-45', done: false, text: 'second', dependsOn: ['GAL-44'] },
    { id: 'GAL-47', done: false, text: 'alone', dependsOn: [] },
  ];
  const list = [
    '- [x] [GAL-44](GAL-44.md) — first',
    '  - [ ] [GAL-45](GAL-45.md) — second',
    '    - [ ] [GAL-46](GAL-46.md) — needs both',
    '- [ ] [GAL-47](GAL-47.md) — alone',
  ];
  const old = '- [x] [GAL-43](GAL-43.md) — first\n  - [ ] [GAL-44](GAL-44.md) - second';
  expect(setSubIssues(sample, rows)).toBe(sample.replace(old, list.join('\n')));
  expect(setSubIssues(windows, rows)).toBe(sample.replace(old, list.join('\n')).replaceAll('\n', '\r\n'));
  const without = sample.replace(/## Sub-issues[^]*?(?=## Acc)/, '');
  expect(setSubIssues(without, rows)).toBe(
    without.replace('## Acceptance', `## Sub-issues\n\n${list.join('\n')}\n\n## Acceptance`),
  );
  expect(setSubIssues(setSubIssues(sample, rows), rows)).toBe(setSubIssues(sample, rows));
});

test('sub-issues that wait for each other are listed all the same', () => {
  const rows = ['A-1', 'A-2'].map((id, at) => ({ id, done: false, text: 't', dependsOn: [at === 0 ? 'A-2' : 'A-1'] }));
  expect(readIssue(setSubIssues(sample, rows), path).subIssues.map(({ id }) => id)).toEqual(['A-1', 'A-2']);
});

test('without rows nothing is added, and the old ones go', () => {
  const none = setSubIssues(sample, []);
  expect(readIssue(none, path).subIssues).toEqual([]);
  expect(none).toContain('- [ ] not a link');
  expect(setSubIssues('text\n', [])).toBe('text\n');
});

const fields: NewIssue = {
  id: 'GAL-42',
  title: 'Export: as CSV',
  parent: 'GAL-1',
  labels: ['split-from-run', 'a b'],
  dependsOn: ['GAL-41'],
  text: 'Why.\n\n## Acceptance criteria\n\n- [x] smuggled',
  criteria: ['one', 'two\n## Comments'],
  sections: [{ heading: 'Code context', text: '```\nopen' }],
};

test('renders a new issue', () => {
  expect(renderIssue(fields)).toBe(`---
id: GAL-42
title: "Export: as CSV"
status: Todo
parent: GAL-1
labels: [split-from-run, "a b"]
depends-on: [GAL-41]
---

# GAL-42: Export: as CSV

Why.

### Acceptance criteria

- [x] smuggled

## Acceptance criteria

- [ ] one
- [ ] two ## Comments

## Code context

\`\`\`
open
\`\`\`
`);
});

test('rendering an issue again keeps its status and comments', () => {
  const filed = setStatus(addComment(renderIssue(fields), '2026-02-03', 'mine'), 'In Progress');
  const again = renderIssue({ ...fields, title: 'New' }, filed);
  expect(readIssue(again, path)).toMatchObject({ title: 'New', status: 'In Progress' });
  expect(again).toMatch(/\n## Comments\n\n- 2026-02-03 — mine\n$/);
  expect(renderIssue(fields, renderIssue(fields))).toBe(renderIssue(fields));
});

const line = fc.constantFrom(
  'text',
  '',
  '## Acceptance criteria',
  '  ## Comments',
  '\uFEFF## Sub-issues',
  '# GAL-1: x',
  '- [ ] a',
  '  - [x] b',
  '- [ ] [GAL-7](GAL-7.md) — c',
  '```',
  '  ```sh',
  '~~~',
  '---',
  '  more',
  '\r',
);
const prose = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
const document = fc
  .record({
    body: prose,
    eol: fc.constantFrom('\n', '\r\n'),
    end: fc.constantFrom('', '\n', '\ntail', '\n## Comments\n- x', '\n## More'),
  })
  .map(({ body, eol, end }) => {
    const closed = renderIssue({ ...fields, text: body });
    return (closed + end).replaceAll('\n', eol);
  });

test('F2: whatever a text holds, it is no criterion, sub-issue or section', () => {
  fc.assert(
    fc.property(prose, prose, prose, (text, words, section) => {
      const issue = renderIssue({ ...fields, text, sections: [{ heading: 'Plan', text: section }] });
      const commented = addComment(addComment(issue, '2026-02-03', words), '2026-02-04', text);
      const { criteria, subIssues } = readIssue(commented, path);
      expect(criteria.map((each) => each.text)).toEqual(['one', 'two ## Comments']);
      expect(subIssues).toEqual([]);
      const comments = commented.match(/^## Comments$/gm) ?? [];
      expect(comments).toHaveLength((words + text).trim() === '' ? 0 : 1);
    }),
  );
});

test('F2: whatever a comment holds, what follows it is read as before', () => {
  const early = sample.replace('## Sub-issues', '## Comments\n\n- 2026-01-01 — a\n\n## Sub-issues');
  const before = readIssue(early, path);
  const texts = (issue: typeof before) => [...issue.criteria, ...issue.subIssues].map((each) => each.text);
  fc.assert(
    fc.property(prose, (words) => {
      expect(texts(readIssue(addComment(early, '2026-02-03', words), path))).toEqual(texts(before));
    }),
  );
});

test('[issue/files/format] F1: edits keep every other byte', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(...statuses), prose, (source, status, words) => {
      const flipped = setStatus(source, status);
      expect(flipped.replace(`status: ${status}`, 'status: Todo')).toBe(source);
      expect(tickCriteria(source, [1])).toBe(source.replace('- [ ] two', '- [x] two'));
      const commented = addComment(source, '2026-02-03', words);
      expect(words.trim() === '' || isInsertion(source, commented)).toBe(true);
      const listed = setSubIssues(source, [{ id: 'GAL-50', done: false, text: 'x', dependsOn: [] }]);
      expect(isInsertion(source, listed)).toBe(true);
      expect(setSubIssues(listed, [])).toBe(listed.replace(/- \[ \] \[GAL-50\].*\r?\n/, ''));
      const eol = source.includes('\r\n') ? /[^\r]\n/ : /\r\n/;
      expect(eol.test(flipped + commented.replaceAll('\r\r', '\r') + listed)).toBe(false);
    }),
  );
});

/** Whether the second text is the first with one piece inserted. */
function isInsertion(before: string, after: string): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  return after.endsWith(before.slice(start)) && after.length > before.length;
}
