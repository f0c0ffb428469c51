import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFences, readHeadings } from './markdown.ts';

test('levels, texts and lines', () => {
  expect(
    readHeadings('# A\n\n## 1. Data Layer ##\r\ntext\n   ### R1: x #y\n#no\n    # code\n####### seven\n##\n'),
  ).toEqual([
    { level: 1, text: 'A', line: 1 },
    { level: 2, text: '1. Data Layer', line: 3 },
    { level: 3, text: 'R1: x #y', line: 5 },
    { level: 2, text: '', line: 9 },
  ]);
});

test.each([
  ['backticks', '```sh\n# not\n```\n# yes'],
  ['tildes with backticks inside', '~~~\n```\n# not\n~~~\n# yes'],
  ['a longer fence', '````\n```\n# not\n````\n# yes'],
  ['a fence closed by a longer one', '```\n# not\n`````\n# yes'],
  ['no closing with info string', '```\n# not\n```js\n# not\n```\n# yes'],
  ['inline code is no fence', '```a``` b\n# yes'],
  ['windows line ends', '```\r\n# not\r\n```\r\n# yes\r\n'],
])('code is no heading: %s', (_, text) => {
  expect(readHeadings(text).map((heading) => heading.text)).toEqual(['yes']);
});

test('an unclosed fence runs to the end', () => {
  expect(readHeadings('# yes\n```\n# not\n')).toHaveLength(1);
});

test('a byte order mark does not hide the first heading', () => {
  expect(readHeadings('\ufeff# A\n')).toEqual([{ level: 1, text: 'A', line: 1 }]);
});

test('a usual heading reads as one that takes a closer look: with a blank behind it', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^ {0,4}#{0,7}[ #ab\t\u2028]{0,12}$/), (line) => {
      expect(readHeadings(`${line} `)).toEqual(readHeadings(line));
    }),
  );
});

test('fences with their language and both ends', () => {
  const text = '```TS x\n# no\n```\n~~~\n```\n~~~~\n``` not `a fence\n    ```\n   ```{r}\nopen';
  expect(readFences(text.split('\n'))).toEqual([
    { language: 'ts', start: 0, end: 2 },
    { language: '', start: 3, end: 5 },
    { language: '', start: 8, end: 10 },
  ]);
  expect(readFences(text.split('\n'), 7)).toEqual([{ language: '', start: 8, end: 10 }]);
});
