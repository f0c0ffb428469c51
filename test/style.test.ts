/** What the style guide asks of names and files, as far as the linter does not see it. */

import { basename, extname } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, isTest, sourcesUnder } from './source-tree.ts';

const linesMax = 320;
const forbiddenNames = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'core', 'misc', 'types'];
const folders = ['src', 'test', 'bench', 'scripts'];

const files = folders.flatMap(filesUnder).filter((path) => !path.startsWith('test/fixtures/'));
const sources = folders.flatMap(sourcesUnder).filter(({ path }) => !path.startsWith('test/fixtures/'));

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(sources.length).toBeGreaterThan(20);
});

test('folders and files name a part of the product', () => {
  const nameless = files.filter((path) => path.split('/').some((part) => forbiddenNames.includes(stem(part))));
  expect(nameless).toEqual([]);
});

test('names are in kebab-case', () => {
  const parts = files.flatMap((path) => path.split('/').slice(0, -1).concat(stem(path)));
  expect([...new Set(parts)].filter((part) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part))).toEqual([]);
});

test('no file is longer than a reader can hold, tests aside', () => {
  const long = sources.filter(({ path, text }) => !isTest(path) && text.split('\n').length > linesMax);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('no comment puts work off', () => {
  const words = /\b(?:TODO|FIXME|XXX|HACK)\b/;
  const putOff = sources.filter(({ comments }) => comments.some((comment) => words.test(comment)));
  expect(putOff.map(({ path }) => path)).toEqual([]);
});

test('the compiler is never silenced; a test may say that something does not compile', () => {
  const silenced = sources.filter(
    ({ path, comments }) =>
      comments.some((comment) => /@ts-(?:ignore|nocheck)/.test(comment)) ||
      (!isTest(path) && comments.some((comment) => comment.includes('@ts-expect-error'))),
  );
  expect(silenced.map(({ path }) => path)).toEqual([]);
});

test('nothing is asserted to be any', () => {
  // Split, so that this file does not find itself.
  const assertion = new RegExp(String.raw`\bas` + String.raw`\s+any\b`);
  expect(sources.filter(({ text }) => assertion.test(text)).map(({ path }) => path)).toEqual([]);
});

function stem(path: string): string {
  return basename(path, extname(path));
}
