import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitFrontMatter } from './front-matter.ts';

test.each([
  ['usual', '---\na: 1\nb: 2\n---\n\n# T\n', 'a: 1\nb: 2\n', '\n# T\n', 5],
  ['empty front', '---\n---\nx', '', 'x', 3],
  ['no body', '---\na: 1\n---', 'a: 1\n', '', 4],
  ['BOM and CRLF', '\ufeff---\r\na: 1\r\n---\r\nx\r\n', 'a: 1\r\n', 'x\r\n', 4],
  ['blanks behind the marks', '---  \na: 1\n--- \nx', 'a: 1\n', 'x', 4],
  ['none', '# T\n---\na\n---\n', null, '# T\n---\na\n---\n', 1],
  ['not at the very start', '\n---\na: 1\n---\n', null, '\n---\na: 1\n---\n', 1],
  ['never closed', '---\na: 1\n', null, '---\na: 1\n', 1],
  ['four dashes', '----\na: 1\n---\n', null, '----\na: 1\n---\n', 1],
  ['empty', '', null, '', 1],
  ['BOM alone', '\ufeff# T', null, '# T', 1],
])('%s', (_, text, ...[front, body, bodyLine]) => {
  expect(splitFrontMatter(text)).toEqual({ front, frontLine: front === null ? 1 : 2, body, bodyLine });
});

test('front and body are pieces of the text, and lines point at them', () => {
  const text = fc
    .array(fc.constantFrom('---', 'a: 1', '', '# x', '--- y'), { maxLength: 8 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, (source) => {
      const { front, frontLine, body, bodyLine } = splitFrontMatter(source);
      const lines = source.split('\n');
      expect(lines.slice(bodyLine - 1).join('\n')).toBe(body);
      if (front !== null)
        expect(
          lines
            .slice(frontLine - 1, bodyLine - 2)
            .map((line) => `${line}\n`)
            .join(''),
        ).toBe(front);
    }),
  );
});
