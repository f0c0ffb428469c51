/**
 * Changes keys of a YAML file and leaves the rest of its bytes alone.
 *
 * E1. The result reads as the old values with the updates applied.
 * E2. What no update changes keeps its bytes: comments, order, blank lines, quoting.
 * E3. Editing again with the same updates changes nothing.
 */

import type { Document, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { didYouMean } from '../schema/nearest.ts';
import { isRecord, sameValue } from '../schema/values.ts';
import { attempt, DocumentError } from './document-error.ts';
import { yaml } from './packages.ts';
import { applyUpdates, editOwn, type Values } from './plain-yaml.ts';
import { composeYaml, parseYaml } from './yaml.ts';

/** Sets top-level keys; `undefined` deletes one. A new file gets its keys in the order given. */
export function editYaml(text: string | undefined, updates: Values, file: string): string {
  const before = text ?? '';
  const quick = editOwn(before, updates);
  if (quick !== undefined) return quick;
  const document = parseMap(before, file);
  const old = readValues(document);
  const wanted = applyUpdates(old, updates);
  if (sameValue(old, wanted)) return before;
  const map = yaml().isMap(document.contents) ? document.contents : undefined;
  // A proposal to be checked: in rare layouts it does not read as wanted.
  const end = { at: before.length, pad: '' };
  const edited = replacePieces(before, changesOf({ text: before, document }, map, wanted, end));
  return readsAs(edited, wanted) ? edited : rewrite(document, updates, { wanted, file });
}

function parseMap(text: string, file: string): Document {
  const { document } = composeYaml(text, { file, line: 1 });
  const { contents } = document;
  if (contents !== null && !yaml().isMap(contents) && !(yaml().isScalar(contents) && contents.value === null)) {
    throw new DocumentError({ file, line: 1 }, 'the file is not a map', 'keys and values');
  }
  return document;
}

function readValues(document: Document): Record<string, unknown> {
  const values: unknown = document.toJS();
  return isRecord(values) ? values : {};
}

function readsAs(text: string, wanted: Values): boolean {
  return sameValue(attempt(() => parseYaml(text, { file: '', line: 1 })) ?? {}, wanted);
}

/** Anchors, flow maps, explicit keys, document ends: rare enough to let the package write the whole file. */
function rewrite(document: Document, updates: Values, { wanted, file }: { wanted: Values; file: string }): string {
  for (const [key, value] of Object.entries(updates)) {
    const { contents } = document;
    const pair = yaml().isMap(contents) ? contents.items.find((item) => keyOf(item) === key) : undefined;
    const node = document.createNode(wanted[key]);
    if (yaml().isNode(pair?.value)) {
      node.commentBefore = pair.value.commentBefore ?? null;
      node.comment = pair.value.comment ?? null;
    }
    if (value === undefined) document.delete(pair?.key ?? key);
    else document.set(pair?.key ?? key, node);
  }
  let text = '';
  try {
    text = document.toString(WRITE);
  } catch {
    // Reported below, with what to do about it.
  }
  if (readsAs(text, wanted)) return text;
  const problem = `cannot change ${Object.keys(updates).join(', ')}`;
  throw new DocumentError({ file, line: null }, problem, 'no other value to refer to these by an alias');
}

/** Strings that YAML 1.1 would take for dates or booleans are quoted too; no block scalars, whose end a comment would join. */
export const WRITE = {
  lineWidth: 0,
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
  blockQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/** A text in the place of another. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function replacePieces(text: string, pieces: readonly Piece[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let result = '';
  let at = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, piece.start) + piece.text.replaceAll('\n', eol);
    at = piece.end;
  }
  return result + text.slice(at);
}

function keyOf(pair: Pair): string | undefined {
  if (!yaml().isScalar(pair.key)) return undefined;
  const { value } = pair.key;
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

interface Source {
  readonly text: string;
  readonly document: Document;
}

/** New keys go to `added`. */
function changesOf(
  source: Source,
  map: YAMLMap | undefined,
  wanted: Values,
  added: { readonly at: number; readonly pad: string },
): Piece[] {
  const pairs = map?.items.map((pair) => [keyOf(pair), pair] as const) ?? [];
  const known = new Set(pairs.map(([key]) => key));
  const keys = Object.keys(wanted).filter((key) => !known.has(key));
  const text = keys.map((key) => render({ [key]: wanted[key] }, added.pad)).join('');
  const changes = pairs.flatMap(([key, pair]) => (key === undefined ? [] : changeOf(source, pair, key, wanted)));
  return [...changes, addition(source.text, added.at, text)];
}

function changeOf(source: Source, pair: Pair, key: string, wanted: Values): Piece[] {
  const { text, document } = source;
  const start = yaml().isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
  const end = endOf(text, pair);
  const pad = indentAt(text, start);
  if (!Object.hasOwn(wanted, key)) {
    const behind = nextLine(text, end);
    const comments = commentsIn(text.slice(start, behind)).map((comment) => `${pad}${comment}\n`);
    return [{ start: lineStart(text, start), end: behind, text: comments.join('') }];
  }
  const value = wanted[key];
  const old: unknown = yaml().isNode(pair.value) ? pair.value.toJS(document) : pair.value;
  if (sameValue(old, value)) return [];
  const { value: node } = pair;
  const within = yaml().isCollection(node) && !node.flow && changesWithin(source, node, { old, value, end });
  if (within) return within;
  const comments = commentsIn(text.slice(start, end)).map((comment) => `${comment}\n${pad}`);
  return [{ start, end, text: comments.join('') + render({ [key]: value }, pad).trim() }];
}

/** Maps are edited key by key and lists only get longer, where that is all that is wanted. */
function changesWithin(
  source: Source,
  node: YAMLMap | YAMLSeq,
  { old, value, end }: { old: unknown; value: unknown; end: number },
): Piece[] | undefined {
  const { text } = source;
  const start = node.range?.[0] ?? 0;
  const pad = indentAt(text, start);
  // Comments in the column of a map or list belong to what stands above them.
  let at = nextLine(text, end);
  while (text.startsWith(`${pad}#`, at)) at = nextLine(text, at);
  if (yaml().isMap(node) && isRecord(value) && isRecord(old)) {
    if (!Object.keys(old).some((key) => Object.hasOwn(value, key))) return undefined;
    return changesOf(source, node, value, { at, pad });
  }
  if (yaml().isSeq(node) && Array.isArray(value) && Array.isArray(old) && sameValue(old, value.slice(0, old.length))) {
    return [addition(text, at, render(value.slice(old.length), pad))];
  }
  return undefined;
}

/** No comment is lost: those inside of what goes are put in its place. */
function commentsIn(source: string): string[] {
  const tokens = [...new (yaml().Lexer)().lex(source)];
  return tokens.filter((token, index) => token.startsWith('#') && tokens[index - 1] !== SCALAR_FOLLOWS);
}

const SCALAR_FOLLOWS = '\x1f';

function render(value: unknown, pad: string): string {
  return yaml()
    .stringify(value, WRITE)
    .replaceAll(/(?<=^|\n)(?=[^\n])/g, pad);
}

function addition(text: string, at: number, added: string): Piece {
  const gap = added === '' || at === 0 || text[at - 1] === '\n' ? '' : '\n';
  return { start: at, end: at, text: gap + added };
}

/** Where the text of a pair's value ends, comments behind it left out. */
function endOf(text: string, node: unknown): number {
  if (yaml().isPair(node)) return endOf(text, node.value ?? node.key);
  if (yaml().isCollection(node) && !node.flow && node.items.length > 0) return endOf(text, node.items.at(-1));
  let end = yaml().isNode(node) ? (node.range?.[1] ?? 0) : 0;
  while (end > 0 && /\s/.test(text.charAt(end - 1))) end--;
  return end;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function indentAt(text: string, at: number): string {
  return ' '.repeat(at - lineStart(text, at));
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

export interface ItemEdit {
  /** The list, and what one of its items is called. */
  readonly list: string;
  readonly item: string;
  /** Of the items to change. */
  readonly ids: readonly string[];
  readonly key: string;
  readonly value: string;
}

/** Sets one text in some items of a list and leaves all other bytes alone, quotes and line ends too. */
export function editItems(text: string, { list, item, ids, key, value }: ItemEdit, file: string): string {
  const document = parseMap(text, file);
  const values = readValues(document);
  const items: readonly unknown[] = Array.isArray(values[list]) ? values[list] : [];
  const idOf = (each: unknown): string => (isRecord(each) ? String(each['id']) : '');
  const missing = ids.find((id) => !items.some((each) => idOf(each) === id));
  if (missing !== undefined) {
    const known = items.map(idOf);
    const expected = `the id of a ${item}${didYouMean(missing, known) || ' in the file'}`;
    throw new DocumentError({ file, line: null }, `there is no ${item} ${missing}`, expected);
  }
  const places = ids.map((id) => items.findIndex((each) => idOf(each) === id));
  const pieces = places.flatMap((index) => {
    const node: unknown = document.getIn([list, index], true);
    return yaml().isMap(node) ? [pieceOf(text, node, key, value)] : [];
  });
  const edited = replacePieces(text, pieces);
  const wanted = items.map((each, index) =>
    isRecord(each) && places.includes(index) ? { ...each, [key]: value } : each,
  );
  if (readsAs(edited, { ...values, [list]: wanted })) return edited;
  const expected = `a ${key} written out in its own ${item}, without anchors or aliases`;
  throw new DocumentError({ file, line: null }, `the ${key} of ${ids.join(', ')} cannot be changed`, expected);
}

function pieceOf(text: string, map: YAMLMap, key: string, value: string): Piece {
  const node: unknown = map.get(key, true);
  const range = yaml().isScalar(node) || yaml().isAlias(node) ? node.range : undefined;
  if (!range) return insertion(text, map, `${key}: ${value}`);
  const [start, end] = range;
  const [, quote = ''] = /^(["'])[^]*\1$/.exec(text.slice(start, end)) ?? [];
  const gap = /\s/.test(text.charAt(start - 1)) ? '' : ' ';
  const eol = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return { start, end, text: `${gap}${quote}${value}${quote}${eol}` };
}

/** Behind the first key, in its column; in `{…}` in front of it. */
function insertion(text: string, map: YAMLMap, field: string): Piece {
  const start = map.range?.[0] ?? 0;
  if (map.flow === true) return { start: start + 1, end: start + 1, text: `${field}, ` };
  const first = map.items[0]?.value;
  const end = yaml().isNode(first) ? (first.range?.[1] ?? start) : start;
  return addition(text, nextLine(text, end), `${indentAt(text, start)}${field}\n`);
}
