/** What the style guide asks of names and files, as far as the linter does not see it. */

import { basename, extname } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, isTest, sourcesUnder } from './source-tree.ts';

const linesMax = 300;
/** A smaller file with one importer belongs in it, unless it is loaded only when needed. */
const ownFileLinesMin = 20;
const forbiddenNames = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'core', 'misc', 'types'];
const folders = ['src', 'test', 'bench', 'scripts'];

const files = folders.flatMap(filesUnder).filter((path) => !path.startsWith('test/fixtures/'));
const sources = folders.flatMap(sourcesUnder).filter(({ path }) => !path.startsWith('test/fixtures/'));

const product = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));

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

test('no file has more than 300 lines, tests aside', () => {
  const long = sources.filter(({ path, text }) => !isTest(path) && linesOf(text) > linesMax);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('no file of a few lines has a single importer', () => {
  const small = product.filter(({ text }) => linesOf(text) < ownFileLinesMin).map(({ path }) => path);
  const importers = (file: string) => product.flatMap(({ imports }) => imports.filter(({ target }) => target === file));
  expect(small.filter((path) => importers(path).length === 1 && importers(path).every(({ lazy }) => !lazy))).toEqual(
    [],
  );
});

test('no two source files have the same name, unless they implement the same port', () => {
  const homes = new Map<string, Set<string>>();
  for (const { path } of product) homes.set(basename(path), (homes.get(basename(path)) ?? new Set()).add(portOf(path)));
  expect([...homes].filter(([name, ports]) => name !== 'index.ts' && ports.size > 1).map(([name]) => name)).toEqual([]);
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

test('a fix is one command to paste, or one imperative sentence that may end with a command', () => {
  const fixes = product.flatMap(({ path, text }) =>
    [...text.matchAll(/\bfix\b[^'"`\n]{0,60}(['"`])((?:(?!\1).)+)\1/g)].map(([, , fix = '']) => ({ path, fix })),
  );
  expect(fixes.length).toBeGreaterThan(60);
  const mixed = ({ fix }: { fix: string }) =>
    /[:;] (?:pawl|git) /.test(fix) || (/^(?:pawl|git) /.test(fix) && /[;,(]| (?:shows|lists|asks) /.test(fix));
  expect(fixes.filter(mixed)).toEqual([]);
});

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

/** Workflows are folders that implement one port, and so are agents. */
function portOf(path: string): string {
  const port = /^src\/(?:workflows|agents)\/(?=[^/]+\/)/.exec(path)?.[0];
  return port === undefined ? path : port + path.split('/').slice(3).join('/');
}

function stem(path: string): string {
  return basename(path, extname(path));
}
