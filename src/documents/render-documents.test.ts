import { expect, test } from 'vitest';
import { readHeadings } from './markdown.ts';
import { sectionText } from './render-documents.ts';

test.each([
  ['a carriage return in front of the line end', 'a\n## Comments\r\r\nb'],
  ['a carriage return as line end', 'a\r## Comments\rb'],
  ['a byte order mark', 'a\n\uFEFF## Comments\nb'],
])('pushes a heading down that is written with %s', (_, text) => {
  expect(readHeadings(`${sectionText(text, 3)}\n`)).toEqual([expect.objectContaining({ level: 3, text: 'Comments' })]);
});
