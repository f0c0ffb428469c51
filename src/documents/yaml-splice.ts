import type { Document, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isRecord } from '../schema/values.ts';
import { sameValue } from './same-value.ts';
import { yaml } from './yaml-package.ts';

/** Strings that YAML 1.1 would take for dates or booleans are quoted too; no block scalars, whose end a comment would join. */
export const WRITE = {
  lineWidth: 0,
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
  blockQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/**
 * The text with the source of the changed keys replaced, and nothing else.
 * A proposal to be checked: in rare layouts it does not read as wanted.
 */
export function splice(text: string, document: Document, wanted: Record<string, unknown>): string {
  const map = yaml().isMap(document.contents) ? document.contents : undefined;
  const source = { text, document };
  const pieces = map ? changesOf(source, map, wanted) : [];
  pieces.push(addition(text, text.length, newKeys(map, wanted, '')));
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let result = '';
  let at = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, piece.start) + piece.text.replaceAll('\n', eol);
    at = piece.end;
  }
  return result + text.slice(at);
}

export function keyOf(pair: Pair): string | undefined {
  if (!yaml().isScalar(pair.key)) return undefined;
  const { value } = pair.key;
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

interface Source {
  readonly text: string;
  readonly document: Document;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function changesOf(source: Source, map: YAMLMap, wanted: Record<string, unknown>): Piece[] {
  return map.items.flatMap((pair) => {
    const key = keyOf(pair);
    return key === undefined
      ? []
      : changeOf(source, pair, { key, value: wanted[key], kept: Object.hasOwn(wanted, key) });
  });
}

function changeOf(source: Source, pair: Pair, wanted: { key: string; value: unknown; kept: boolean }): Piece[] {
  const { text, document } = source;
  const start = startOf(pair);
  const end = endOf(text, pair);
  const pad = ' '.repeat(start - lineStart(text, start));
  if (!wanted.kept) {
    const comments = commentsIn(text.slice(start, nextLine(text, end)));
    return [
      {
        start: lineStart(text, start),
        end: nextLine(text, end),
        text: comments.map((comment) => `${pad}${comment}\n`).join(''),
      },
    ];
  }
  const old: unknown = yaml().isNode(pair.value) ? pair.value.toJS(document) : pair.value;
  if (sameValue(old, wanted.value)) return [];
  const within =
    yaml().isCollection(pair.value) && !pair.value.flow
      ? changesWithin(source, pair.value, { old, value: wanted.value, end })
      : undefined;
  if (within) return within;
  const comments = commentsIn(text.slice(start, end)).map((comment) => `${comment}\n${pad}`);
  return [{ start, end, text: comments.join('') + render({ [wanted.key]: wanted.value }, pad).trim() }];
}

/** Maps are edited key by key and lists only get longer, where that is all that is wanted. */
function changesWithin(
  source: Source,
  node: YAMLMap | YAMLSeq,
  { old, value, end }: { old: unknown; value: unknown; end: number },
): Piece[] | undefined {
  const { text } = source;
  const start = node.range?.[0] ?? 0;
  const pad = ' '.repeat(start - lineStart(text, start));
  const at = behindComments(text, nextLine(text, end), pad);
  if (yaml().isMap(node) && isRecord(value) && shareKey(old, value)) {
    return [...changesOf(source, node, value), addition(text, at, newKeys(node, value, pad))];
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

function shareKey(old: unknown, wanted: Record<string, unknown>): boolean {
  return isRecord(old) && Object.keys(old).some((key) => Object.hasOwn(wanted, key));
}

function newKeys(map: YAMLMap | undefined, wanted: Record<string, unknown>, pad: string): string {
  const known = new Set(map?.items.map(keyOf));
  const added = Object.keys(wanted).filter((key) => !known.has(key));
  return added.map((key) => render({ [key]: wanted[key] }, pad)).join('');
}

function render(value: unknown, pad: string): string {
  return yaml()
    .stringify(value, WRITE)
    .replaceAll(/(?<=^|\n)(?=[^\n])/g, pad);
}

function addition(text: string, at: number, added: string): Piece {
  const gap = added === '' || at === 0 || text[at - 1] === '\n' ? '' : '\n';
  return { start: at, end: at, text: gap + added };
}

function startOf(pair: Pair): number {
  return yaml().isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
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

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

/** Comments in the column of a map or list belong to what stands above them. */
function behindComments(text: string, at: number, pad: string): number {
  let end = at;
  while (text.startsWith(`${pad}#`, end)) end = nextLine(text, end);
  return end;
}
