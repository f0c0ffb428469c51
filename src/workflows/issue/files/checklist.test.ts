import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addToIndex, newIndex } from './backlog.ts';
import { isIssueId } from './ids.ts';
import { replaceLines, rowsIn, setRow } from '../../../documents/checklist.ts';

const index = `# Issues

- [ ] [GAL-9](GAL-9.md) — above

## Export

Text.

- [ ] [GAL-1](GAL-1.md) — CSV
- [x] [GAL-2](./GAL-2.md) - TSV
\`\`\`
- [ ] [GAL-3](GAL-3.md) — code
\`\`\`

## Import

- [ ] [notes](notes.md) — no issue
* [ ] [GAL-4](GAL-4.md)
`;

test('reads the rows of a whole text, and of one category', () => {
  expect(rowsIn(index, isIssueId).map(({ id, done, text, line }) => [id, done, text, line])).toEqual([
    ['GAL-9', false, 'above', 3],
    ['GAL-1', false, 'CSV', 9],
    ['GAL-2', true, 'TSV', 10],
    ['GAL-4', false, '', 18],
  ]);
  expect(rowsIn(index, isIssueId, 'export').map(({ id }) => id)).toEqual(['GAL-1', 'GAL-2']);
  expect(rowsIn(index, isIssueId, 'None')).toEqual([]);
});

test('sets the row of one issue and nothing else', () => {
  for (const eol of ['\n', '\r\n']) {
    const text = index.replaceAll('\n', eol);
    expect(setRow(text, 'GAL-1', true)).toBe(text.replace('- [ ] [GAL-1]', '- [x] [GAL-1]'));
    expect(setRow(text, 'GAL-2', false)).toBe(text.replace('- [x] [GAL-2]', '- [ ] [GAL-2]'));
    for (const id of ['GAL-2', 'GAL-3', 'GAL-77']) expect(setRow(text, id, true)).toBe(text);
  }
});

const issue = { id: 'GAL-10', done: false, text: 'New  one' };
const row = '- [ ] [GAL-10](GAL-10.md) — New one\n';

test('adds an issue to a category, in any case', () => {
  expect(addToIndex(index, 'import', issue)).toBe(index + row);
  expect(addToIndex(index, 'Export', issue)).toBe(index.replace('```\n\n## Import', `\`\`\`\n\n${row}\n## Import`));
});

test('makes a missing category at the end', () => {
  expect(addToIndex(index, 'Docs\n# x', issue)).toBe(`${index}\n## Docs # x\n\n${row}`);
  expect(addToIndex(newIndex, null, issue)).toBe(`# Issues\n\n## Other\n\n${row}`);
  expect(addToIndex('', null, issue)).toBe(`## Other\n\n${row}`);
});

test('does not list an issue twice', () => {
  expect(addToIndex(index, 'Import', { ...issue, id: 'GAL-1' })).toBe(index);
});

test('an added issue can be read and set, and everything else stays', () => {
  const line = fc.constantFrom('', 'text', '## Export', '# A', '- [ ] [GAL-1](GAL-1.md) — a', '  - b', '---');
  const text = fc.tuple(fc.array(line), fc.constantFrom('\n', '\r\n')).map(([lines, eol]) => lines.join(eol));
  fc.assert(
    fc.property(text, fc.constantFrom('Export', null, 'New'), (source, category) => {
      const added = addToIndex(source, category, issue);
      expect(rowsIn(added, isIssueId, category ?? 'Other').filter(({ id }) => id === 'GAL-10')).toHaveLength(1);
      expect(
        rowsIn(added, isIssueId)
          .filter(({ id }) => id !== 'GAL-10')
          .map((each) => each.id),
      ).toEqual(rowsIn(source, isIssueId).map((each) => each.id));
      const done = setRow(added, 'GAL-10', true);
      expect(done).toBe(added.replace('- [ ] [GAL-10]', '- [x] [GAL-10]'));
      expect(setRow(done, 'GAL-10', false)).toBe(added);
    }),
  );
});

test.each([
  ['in the middle', 'a\nb', 1, 0, 'a\nx\nb'],
  ['at the end', 'a\nb', 2, 0, 'a\nb\nx\n'],
  ['behind a line end', 'a\n', 1, 0, 'a\nx\n'],
  ['in place of the last', 'a\r\nb', 1, 1, 'a\r\nx\r\n'],
  ['in place of two', 'a\nb\nc\n', 0, 2, 'x\nc\n'],
  ['into nothing', '', 0, 0, 'x\n'],
])('L1: puts a line %s', (_, text, ...[index, count, wanted]) => {
  expect(replaceLines(text, index, count, ['x'])).toBe(wanted);
});
