/** A JSON document with the line of everything in it, for files whose mistakes must be named exactly. */

import type { Document, LineCounter } from 'yaml';
import type { Path } from '../schema/schema.ts';
import { isRecord } from '../schema/values.ts';
import { DocumentError } from './document-error.ts';
import { lineIn } from './yaml-lines.ts';
import { yaml } from './yaml-package.ts';

export interface JsonLines {
  readonly value: unknown;
  /** The line of a key or item, else of what it stands in. */
  readonly lineOf: (path: Path) => number;
  /** Keys that stand twice in their map, of which the last one counts. */
  readonly repeatedKeys: () => readonly string[];
}

/** Nothing that is written as JSON comes near it, and whoever shows a value later need not fear its depth. */
const levelsMax = 64;

export function readJsonLines(source: string, file: string): JsonLines {
  const text = source.replace(/^\uFEFF/, '');
  const value = parsed(text, file);
  if (!isShallow(value, levelsMax)) {
    const problem = 'lists and objects are nested too deeply';
    throw new DocumentError({ file, line: 1 }, problem, `at most ${levelsMax} levels`);
  }
  let known: ReturnType<typeof asYaml> | undefined;
  return {
    value,
    lineOf: (path) => {
      known ??= asYaml(text);
      return lineIn(known.document, known.lines, path) ?? 1;
    },
    // The package takes long to load, so it is asked for the names only where there are too many keys.
    repeatedKeys: () => (keysWritten(text) > keysIn(value) ? repeatedIn(asYaml(text).document) : []),
  };
}

/** JSON is YAML; keys that repeat, and tabs, are no mistakes in it. */
function asYaml(text: string): { readonly document: Document; readonly lines: LineCounter } {
  const lines = new (yaml().LineCounter)();
  const options = { schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;
  return { document: yaml().parseDocument(text, { ...options, lineCounter: lines }), lines };
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const at = brokenAt(text);
    const found = at >= text.length ? 'the text ends too early' : `unexpected ${JSON.stringify(text.charAt(at))}`;
    const line = text.slice(0, at).split('\n').length;
    throw new DocumentError({ file, line }, found, 'valid JSON', { cause });
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

function keysWritten(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isRecord(value) ? Object.keys(value).length : 0;
  return Object.values(value).reduce((sum: number, item) => sum + keysIn(item), own);
}

function repeatedIn(document: Document): readonly string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  yaml().visit(document, {
    Pair: (_, pair, ancestors) => {
      const way: readonly unknown[] = [...ancestors, pair];
      const path = way.flatMap((node, at) =>
        yaml().isSeq(node) ? [String(node.items.indexOf(way[at + 1]))] : keyOf(node),
      );
      const name = JSON.stringify(path);
      if (seen.has(name)) repeated.add(path.join('.'));
      seen.add(name);
    },
  });
  return [...repeated];
}

function keyOf(node: unknown): readonly string[] {
  return yaml().isPair(node) && yaml().isScalar(node.key) ? [String(node.key.value)] : [];
}

// oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters in strings
const TOKEN = /[{}[\],:]|"(?:[^"\\\x00-\x1f]|\\.)*"|[-\w.+]+|\S/g;

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** The offset at which a text stops being JSON. */
function brokenAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const next = behind(token, expected, open);
    if (next === null) return index;
    expected = next;
  }
  return text.length;
}

/** What is expected behind a token; null where it must not stand. */
function behind(token: string, expected: Expected, open: string[]): Expected | null {
  const inner = open.at(-1);
  if (token === '}' || token === ']') {
    const mayEnd = expected === 'comma or end' || expected === (token === ']' ? 'value or end' : 'key or end');
    return mayEnd && open.pop() === (token === ']' ? '[' : '{') ? 'comma or end' : null;
  }
  if (expected === 'key' || expected === 'key or end')
    return token.startsWith('"') && isLiteral(token) ? 'colon' : null;
  if (expected === 'colon') return token === ':' ? 'value' : null;
  if (expected === 'comma or end') {
    if (token !== ',' || inner === undefined) return null;
    return inner === '{' ? 'key' : 'value';
  }
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '[' ? 'value or end' : 'key or end';
  }
  return isLiteral(token) ? 'comma or end' : null;
}

function isLiteral(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}
