/** The layer table of ARCHITECTURE.md: who may import whom, and which outside packages. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundledPackages, entries } from '../scripts/build-options.mjs';
import { bundled } from '../src/workflows/bundled.ts';
import { isTest, parseSource, root, sourcesUnder, type Import, type Source } from './source-tree.ts';

interface Layer {
  /** Folders or files of `src` it may import besides its own; `type engine` allows types only, `lazy syntax` also `import()`. */
  readonly ours: readonly string[];
  /** Outside packages; `node:` stands for all of Node. */
  readonly outside: readonly string[];
}

/** The runtime knows workflows by their port only, never a particular one. */
const port = ['workflows/workflow.ts', 'workflows/staged-files.ts'];
/** Those who call workflows know them by their surfaces, too. */
const surfaces = [...port, 'workflows/surface.ts'];
/** An edge also knows which ones there are, and what all of a project's own have in common. */
const called = [...surfaces, 'workflows/bundled.ts', 'workflows/defined/surface.ts'];
const belowTheEdges = [
  'engine',
  'schema',
  'documents',
  'syntax',
  'workflows',
  'verifier',
  'diagrams',
  'simulation',
  'disk',
  'store',
  'workspace',
  'sandbox',
  'agents',
  'runtime',
  'runs',
  'project',
  'init',
  'testing',
];

/** zod is in the bundle for the sake of the SDKs alone. */
const ownPackages = bundledPackages.filter((name) => name !== 'zod');

const layers: Readonly<Record<string, Layer>> = {
  engine: { ours: [], outside: [] },
  schema: { ours: [], outside: [] },
  documents: { ours: ['schema'], outside: ['yaml', 'smol-toml'] },
  syntax: { ours: [], outside: ['node:', 'web-tree-sitter', '@vscode/tree-sitter-wasm'] },
  workflows: { ours: ['engine', 'schema', 'documents', 'lazy syntax'], outside: [] },
  verifier: { ours: ['engine'], outside: [] },
  diagrams: { ours: ['engine', 'verifier'], outside: [] },
  simulation: { ours: ['engine', 'verifier'], outside: [] },
  disk: { ours: [], outside: ['node:'] },
  store: { ours: ['type engine', 'disk', 'schema'], outside: ['node:'] },
  workspace: { ours: ['disk'], outside: ['node:'] },
  sandbox: { ours: ['disk', 'workspace'], outside: ['node:'] },
  agents: { ours: ['type engine', 'schema', 'workspace', 'documents'], outside: ['node:'] },
  runtime: {
    ours: ['engine', ...port, 'schema', 'documents', 'disk', 'store', 'agents', 'workspace', 'sandbox'],
    outside: ['node:'],
  },
  runs: {
    ours: ['engine', 'schema', 'documents', 'verifier', 'disk', 'store', 'workspace', 'agents', 'runtime', ...surfaces],
    outside: ['node:'],
  },
  project: { ours: ['schema', 'documents', 'workflows', 'workspace'], outside: ['node:', '@swc/wasm-typescript'] },
  init: { ours: ['schema', 'documents', 'workspace', 'workflows/toolchains.ts', ...surfaces], outside: [] },
  mcp: {
    ours: ['engine', ...port, 'schema', 'workflows/tool-definition.ts', 'type store', 'runtime', 'runs'],
    outside: ['node:', '@modelcontextprotocol/server'],
  },
  testing: { ours: belowTheEdges, outside: ['node:'] },
  cli: {
    ours: [...belowTheEdges.filter((layer) => layer !== 'workflows'), ...called, 'mcp'],
    outside: ['node:', ...ownPackages],
  },
  'index.ts': { ours: belowTheEdges, outside: [] },
};

/** Files that may import a package their layer may not. */
const exceptions: readonly { readonly files: RegExp; readonly outside: readonly string[] }[] = [
  { files: /^src\/workflows\/(?:session\/)?digest\.ts$/, outside: ['node:crypto'] },
  { files: /^src\/diagrams\/svg\.ts$/, outside: ['@viz-js/viz'] },
  { files: /^src\/agents\/acp\/conversation\.ts$/, outside: ['@agentclientprotocol/sdk'] },
];

/** Layers whose folders are adapters beside each other: none imports another, and the port imports none. */
const layersOfSiblings = ['agents', 'workflows'];
/** The one file that knows all bundled workflows. */
const registration = 'src/workflows/bundled.ts';

const sources = sourcesUnder('src');
/** Tests may import anything. */
const held = sources.filter((source) => !isTest(source.path));

test('every source file belongs to a layer, and every layer that exists has files', () => {
  const found = new Set(sources.map((source) => layerOf(source.path)));
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...found].filter((layer) => !(layer in layers))).toEqual([]);
  expect(folders.map((folder) => folder.name).filter((layer) => !found.has(layer))).toEqual([]);
  expect([...found]).toEqual(expect.arrayContaining(['engine', 'workflows', 'runtime', 'cli']));
});

test.each(held.map((source) => [source.path, source] as const))('%s imports only what its layer may', (_, source) => {
  expect(violations(source)).toEqual([]);
});

test('every source file is reached from an entry', () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const source = byPath.get(path);
    if (!source || reached.has(path)) return;
    reached.add(path);
    for (const each of source.imports) visit(each.target);
  };
  for (const entry of Object.values(entries)) visit(entry);
  const orphans = sources.filter((source) => !isTest(source.path) && !reached.has(source.path));
  expect(orphans.map((source) => source.path)).toEqual([]);
});

test('every import of our own names a file that exists', () => {
  const broken = sources.flatMap((source) =>
    source.imports
      .filter((each) => each.own && !existsSync(join(root, each.target)))
      .map((each) => [source.path, each.target]),
  );
  expect(broken).toEqual([]);
});

describe('what a workflow calls its own is known in its folder only', () => {
  /** The word by which commands, journals and the configuration name it, and those of its files. */
  const wordsOf: Readonly<Record<string, RegExp>> = {
    change: /'change'(?!>| \|)|\bchange: \{ \w+: [{']|\bagentd\b|STATE\.yaml|major_issues/,
    session: /'session'(?!>| \|)|\bsession: \{ \w+: [{']|\.agents-work|status\.json|pending_reviews/,
    issue: /'issue'(?!>| \|)|\bissue: \{ \w+: [{']|'TODO'|TODO\/README|'\.workflow'|plan_rework/,
    feature: /'feature'(?!>| \|)|\bfeature: \{ \w+: [{']|docs\/features|\.meta\.json|review-history/,
  };
  /** What else has the same words. */
  const others: Readonly<Record<string, RegExp>> = {
    change: /^src\/cli\/agentd\.ts$/,
    feature: /^src\/workflows\/session\/tool-arguments\.ts$/,
    session: /^src\/agents\/|^src\/runtime\/agent-turn\.ts$/,
  };
  test('the words of every bundled workflow are listed here', () => {
    expect(Object.keys(wordsOf)).toEqual(bundled.map(({ name }) => name));
  });

  test.each(Object.entries(wordsOf))('%s', (workflow, words) => {
    const own = new RegExp(`^src/workflows/${workflow}/`);
    const knowing = held
      .filter(({ path }) => !own.test(path) && path !== registration && !others[workflow]?.test(path))
      .filter((source) => words.test(codeIn(source)));
    expect(knowing.map(({ path }) => path)).toEqual([]);
  });
});

test('only the store knows journals, leases and inboxes as files', () => {
  const files = /^src\/store\/(?:lease|journal|read-journal|inbox)\b/;
  // It kills programs at each record, and so reads a journal that no store has open.
  const others = held.filter(({ path }) => !path.startsWith('src/store/') && path !== 'src/testing/crash-kit.ts');
  const knowing = others.filter(({ imports }) => imports.some(({ target }) => files.test(target)));
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test('runs know no process, terminal or current folder', () => {
  const knowing = held.filter((source) => source.path.startsWith('src/runs/') && /\bprocess\./.test(codeIn(source)));
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test('attack 2.13, 5.7: commands write through the screen, which keeps foreign text from steering a terminal', () => {
  const raw = /process\.std(?:out|err)\)?\.write\(|(?:stdout|stderr|stream)\.write\(|\.draw\(/;
  const rawIn = (source: Source) => raw.test(codeIn(source).replaceAll(/screenOf\([^()]*\)\.write\(/g, ''));
  const writing = held.filter((source) => source.path.startsWith('src/cli/') && rawIn(source));
  expect(writing.map(({ path }) => path)).toEqual([
    'src/cli/short-work.ts', // a diff for a program
    'src/cli/show/presenter.ts', // moves the cursor
    'src/cli/show/screen.ts',
    'src/cli/start.ts', // the version
    'src/cli/watch-command.ts', // moves the cursor
  ]);
  // What is shown as JSON has its own escapes.
  const json = held.filter(({ path, text }) => path.startsWith('src/cli/') && /write\(.*JSON\.stringify/.test(text));
  expect(json.map(({ path }) => path)).toEqual(['src/cli/start.ts']);
});

/** Without comments, which may name anything. */
function codeIn({ text, comments }: Source): string {
  return comments.reduce((code, comment) => code.replace(comment, ''), text);
}

describe('the table itself can fail', () => {
  test.each([
    ['src/engine/a.ts', "import { readFile } from 'node:fs'"],
    ['src/store/a.ts', "import { transition } from '../engine/transition.ts'"],
    ['src/workspace/a.ts', "import type { Snapshot } from '../engine/snapshot.ts'"],
    ['src/runtime/a.ts', "import { change } from '../workflows/change/workflow.ts'"],
    ['src/runtime/a.ts', "const x = await import('../workflows/change/workflow.ts')"],
    ['src/runtime/a.ts', "export type * from '../cli/pawl.ts'"],
    ['src/runs/a.ts', "import { change } from '../workflows/change/change.ts'"],
    ['src/runs/a.ts', "import { bundled } from '../workflows/bundled.ts'"],
    ['src/runs/a.ts', "import { main } from '../cli/main.ts'"],
    ['src/workflows/surface.ts', "import { changeSurface } from './change/surface.ts'"],
    ['src/mcp/a.ts', "type X = import('../cli/pawl.ts').X"],
    ['src/workflows/change/a.ts', "import { session } from '../session/workflow.ts'"],
    ['src/workflows/change/tool-arguments.ts', "import * as z from 'zod'"],
    ['src/workflows/change/a.ts', "import { parse } from '../../syntax/parse.ts'"],
    ['src/syntax/a.ts', "import { DocumentError } from '../documents/document-error.ts'"],
    ['src/runtime/a.ts', "const x = await import('../syntax/parse.ts')"],
    ['src/schema/a.ts', "import { DocumentError } from '../documents/document-error.ts'"],
    ['src/schema/a.ts', "import { parse } from 'yaml'"],
    ['src/cli/a.ts', "import * as z from 'zod'"],
    ['src/agents/agent.ts', "import { scripted } from './scripted/agent.ts'"],
    ['src/documents/a.ts', "export { x } from 'node:crypto'"],
    ['src/testing/a.ts', "import { test } from 'vitest'"],
    ['src/diagrams/a.ts', "import { readJournal } from '../store/journal.ts'"],
    ['src/diagrams/dot.ts', "import { instance } from '@viz-js/viz'"],
    ['src/agents/acp/acp.ts', "import { client } from '@agentclientprotocol/sdk'"],
    ['src/index.ts', "export { x } from './mcp/tool-server.ts'"],
    ['src/cli/a.ts', "import { x } from '../../scripts/build.mjs'"],
    ['src/cli/a.ts', "import { nextOf } from '../workflows/change/summary.ts'"],
    ['src/cli/a.ts', "import { changeSurface } from '../workflows/change/surface.ts'"],
  ])('%s may not: %s', (path, text) => {
    expect(violations(parseSource(path, text))).toHaveLength(1);
  });

  test.each([
    ['src/store/a.ts', "import type { Snapshot } from '../engine/snapshot.ts'"],
    ['src/store/a.ts', "import { type Snapshot } from '../engine/snapshot.ts'"],
    ['src/workflows/change/a.ts', "const x = await import('../../syntax/parse.ts')"],
    ['src/workflows/change/a.ts', "import type { Language } from '../../syntax/parse.ts'"],
    ['src/workflows/change/a.ts', "import text from './prompts/plan.md'"],
    ['src/runtime/a.ts', "import type { Workflow } from '../workflows/workflow.ts'"],
    ['src/cli/version.ts', "import { version } from '../../package.json'"],
  ])('%s may: %s', (path, text) => {
    expect(violations(parseSource(path, text))).toEqual([]);
  });
});

function violations(source: Source): string[] {
  const layer = layers[layerOf(source.path)] ?? { ours: [], outside: [] };
  return source.imports
    .filter((each) =>
      each.own ? !mayImportOwn(source.path, each, layer) : !mayImportOutside(source.path, each, layer),
    )
    .map((each) => `${source.path} may not import ${each.typeOnly ? 'types of ' : ''}${each.target}`);
}

function mayImportOwn(path: string, { target, typeOnly, lazy }: Import, layer: Layer): boolean {
  if (target === 'package.json') return layerOf(path) === 'cli';
  if (!target.startsWith('src/')) return false;
  if (layerOf(target) === layerOf(path)) return !areSiblings(path, target);
  const allowed = layer.ours
    .map((rule) => (typeOnly ? rule.replace('type ', '') : rule))
    .map((rule) => (typeOnly || lazy ? rule.replace('lazy ', '') : rule));
  return allowed.some((rule) => target === `src/${rule}` || target.startsWith(`src/${rule}/`));
}

function mayImportOutside(path: string, { target }: Import, layer: Layer): boolean {
  const excepted = exceptions.filter(({ files }) => files.test(path)).flatMap(({ outside }) => outside);
  return [...layer.outside, ...excepted].some((rule) =>
    rule.endsWith(':') ? target.startsWith(rule) : target === rule || target.startsWith(`${rule}/`),
  );
}

/** `src/agents/a/x.ts` and `src/agents/b/y.ts` are; `src/agents/agent.ts` is nobody's sibling, but imports no adapter. */
function areSiblings(path: string, target: string): boolean {
  if (path === registration) return false;
  if (!layersOfSiblings.includes(layerOf(path))) return false;
  const [, , from, ...below] = path.split('/');
  const [, , to, ...belowTarget] = target.split('/');
  return belowTarget.length > 0 && (below.length === 0 || from !== to);
}

/** The folder in `src`, or the file where it lies in `src` itself. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}
