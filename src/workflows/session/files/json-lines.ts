/** A JSON document with the line of everything in it, for files whose mistakes must be named exactly. */

import { DocumentError } from '../../../documents/document-error.ts';
import type { Path } from '../../../schema/schema.ts';
import { isRecord } from '../../../schema/values.ts';
import type { Json } from '../../../engine/snapshot.ts';

export type JsonMap = { readonly [key: string]: Json };

export interface JsonLines {
  readonly value: Json;
  /** The line of a key or item, else of what it stands in. */
  lineOf(path: Path): number;
  /** Keys that stand twice in their map, of which the parser keeps only the last. */
  repeatedKeys(): string[];
}

export function readJsonLines(source: string, file: string): JsonLines {
  const text = source.replace(/^\uFEFF/, '');
  return {
    value: parsed(text, file),
    lineOf: (path) => lineAt(text, offsetOf(text, path)),
    repeatedKeys: () => repeatedKeys(text),
  };
}

/** Of what came out of the parser, which is JSON all the way down. */
export function isMap(value: unknown): value is JsonMap {
  return isRecord(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

function parsed(text: string, file: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const at = scan(text, () => {}) ?? text.length;
    const found = at >= text.length ? 'the text ends too early' : `unexpected ${JSON.stringify(text.charAt(at))}`;
    throw new DocumentError({ file, line: lineAt(text, at) }, found, 'valid JSON', { cause });
  }
  if (isJson(value) && isShallow(value, levelsMax)) return value;
  throw new DocumentError({ file, line: 1 }, 'lists and objects are nested too deeply', `at most ${levelsMax} levels`);
}

/** Nothing a session writes comes near it, and whoever shows a value later need not fear its depth. */
const levelsMax = 64;

function isShallow(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** What the parser returns is JSON all the way down; only its type does not say so. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

function offsetOf(text: string, wanted: Path): number {
  let offset = 0;
  scan(text, (path, at) => {
    if (path.length <= wanted.length && path.every((key, index) => key === wanted[index])) offset = at;
  });
  return offset;
}

function repeatedKeys(text: string): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  scan(text, (path) => {
    if (typeof path.at(-1) === 'number') return;
    const name = JSON.stringify(path);
    if (seen.has(name)) repeated.add(path.join('.'));
    seen.add(name);
  });
  return [...repeated];
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The stack is ours, so depth is no limit. `path` is the scanner's own: a visitor that keeps it copies it. */
interface Scanner {
  readonly path: (string | number)[];
  readonly visit: (path: Path, at: number) => void;
  expected: 'value' | 'item or end' | 'key' | 'key or end' | 'colon' | 'comma or end';
}

// oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters in strings
const TOKEN = /[{}[\],:]|"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"|[-\w.+]+/y;
const SPACE = /[ \t\r\n]*/y;

/** Visits every key and item with its offset; returns the offset at which the text stops being JSON. */
function scan(text: string, visit: Scanner['visit']): number | undefined {
  const scanner: Scanner = { path: [], visit, expected: 'value' };
  for (let at = behindSpace(text, 0); at < text.length; at = behindSpace(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined || !take(scanner, token, at)) return at;
  }
  return scanner.expected === 'comma or end' && scanner.path.length === 0 ? undefined : text.length;
}

function behindSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** False where the token must not stand. */
function take(scanner: Scanner, token: string, at: number): boolean {
  const { path, expected } = scanner;
  const inner = path.at(-1);
  if (token === '}' || token === ']') return close(scanner, token);
  if (expected === 'key' || expected === 'key or end') {
    const key = token.startsWith('"') ? literal(token) : undefined;
    if (typeof key !== 'string') return false;
    path[path.length - 1] = key;
    scanner.visit(path, at);
    scanner.expected = 'colon';
    return true;
  }
  if (expected === 'colon') {
    scanner.expected = 'value';
    return token === ':';
  }
  if (expected === 'comma or end') {
    if (typeof inner === 'number') path[path.length - 1] = inner + 1;
    scanner.expected = typeof inner === 'number' ? 'value' : 'key';
    return token === ',' && inner !== undefined;
  }
  if (typeof inner === 'number') scanner.visit(path, at);
  if (token === '{' || token === '[') path.push(token === '[' ? 0 : '');
  else if (literal(token) === undefined) return false;
  scanner.expected = token === '[' ? 'item or end' : token === '{' ? 'key or end' : 'comma or end';
  return true;
}

function close(scanner: Scanner, token: string): boolean {
  const { path, expected } = scanner;
  const isList = typeof path.at(-1) === 'number';
  if (path.length === 0 || isList !== (token === ']')) return false;
  if (expected !== 'comma or end' && expected !== (isList ? 'item or end' : 'key or end')) return false;
  path.pop();
  scanner.expected = 'comma or end';
  return true;
}

/** A string, number or word; undefined for what is none. */
function literal(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}
