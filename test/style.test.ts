/** What the style guide asks of names and files, as far as the linter does not see it. */

import { basename, extname } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, isTest, sourcesUnder } from './source-tree.ts';

const linesMax = 300;
/** A smaller file with one importer belongs in it, unless it is loaded only when needed. */
const ownFileLinesMin = 20;
const forbiddenNames = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'core', 'misc', 'types'];
const folders = ['src', 'test', 'bench', 'scripts'];
/** What `defineWorkflow` and `surface.ts` ask of a workflow, by file: each is in the workflow's own folder. */
const workflowParts = [
  'brief',
  'checks',
  'conclude',
  'config',
  'dispatching',
  'documents',
  'intents',
  'run-data',
  'state-file',
  'summary',
  'surface',
  'tool-arguments',
  'tools',
  'transition-table',
  'working-states',
];

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
  const long = sources.filter(
    ({ path, text }) => !/\.(?:test|crash|long|fixture)\.ts$/.test(path) && linesOf(text) > linesMax,
  );
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
  // The folder of issues is none of them.
  const words = /\b(?:TODO(?!\/)|FIXME|XXX|HACK)\b/;
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

test('audit 12.6: with CI=true no test of the sandbox is skipped', () => {
  const boxed = sources.filter(({ text }) => /\b(?:levelHere|probeSandbox|startBoxNetwork)\(/.test(text));
  const skipping = boxed.filter(({ path, text }) => isTest(path) && text.includes('skipIf('));
  expect(skipping.length).toBeGreaterThan(4);
  const condition = /isMissing = .* && process\.env\['CI'\] !== 'true';/;
  const loose = skipping.filter(({ text }) => !condition.test(text) || /skipIf\((?!isMissing\))/.test(text));
  expect(loose.map(({ path }) => path)).toEqual([]);
});

/** Programs of ours that read what they are started with, and files of the system or of the package. */
const plainReaders = [
  'src/agents/acp/acp-bridge.ts',
  'src/agents/command/command-runner.ts',
  'src/agents/own-program.ts',
  'src/agents/scripted/scripted-agent.ts',
  'src/cli/code-cache.ts',
  'src/cli/start.ts',
  'src/sandbox/linux-sandbox.ts',
  'src/workspace/processes.ts',
];

test('audit 12.2: files are read without waiting and up to a limit (disk/regular-file.ts)', () => {
  const readers = product.filter(({ path, text }) => !path.startsWith('src/testing/') && /\breadFileSync\b/.test(text));
  expect(readers.map(({ path }) => path)).toEqual(plainReaders);
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

/** Workflows are folders that implement one port, in files of these names; those of agents have other names each. */
function portOf(path: string): string {
  const [, name = ''] = /^src\/workflows\/(?:[^/]+\/)?([^/]+)\.ts$/.exec(path) ?? [];
  return workflowParts.includes(name) ? `workflows/${name}` : path;
}

function stem(path: string): string {
  return basename(path, extname(path));
}
