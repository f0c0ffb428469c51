/** A JSON document with the line of everything in it, for files whose mistakes must be named exactly. */

import type { Path } from '../schema/schema.ts';
import { DocumentError, lineAt } from './document-error.ts';

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
  const value = parse(text, file);
  if (!isShallow(value, levelsMax)) {
    const problem = 'lists and objects are nested too deeply';
    throw new DocumentError({ file, line: 1 }, problem, `at most ${levelsMax} levels`);
  }
  let scan: ReturnType<typeof scanJson> | undefined;
  return {
    value,
    lineOf: (path) => {
      let node = (scan ??= scanJson(text)).root;
      for (const key of path) {
        const inner = node.inner.get(String(key));
        if (!inner) break;
        node = inner;
      }
      return lineAt(text, node.offset);
    },
    repeatedKeys: () => (scan ??= scanJson(text)).repeatedKeys,
  };
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { end } = scanJson(text);
    const found = end >= text.length ? 'the text ends too early' : `unexpected ${JSON.stringify(text.charAt(end))}`;
    throw new DocumentError({ file, line: lineAt(text, end) }, found, 'valid JSON', { cause });
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** A value of the document, known by the offset of its key, else its own. */
interface JsonNode {
  readonly offset: number;
  readonly inner: Map<string, JsonNode>;
}

const SPACE = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters in strings
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![-\w.+])/y;
const scannedLevelsMax = 1_000;

/** `end` is the offset at which the text stops being JSON. */
function scanJson(text: string) {
  const repeated = new Set<string>();
  const root: JsonNode = { offset: 0, inner: new Map() };
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0];
    at += token?.length ?? 0;
    return token;
  };
  const takeMark = (mark: string): boolean => {
    take(SPACE);
    const isNext = text.startsWith(mark, at);
    if (isNext) at += mark.length;
    return isNext;
  };
  const enter = (node: JsonNode, path: Path): boolean => {
    // The stack is limited: a mistake so deep inside is reported at the end of the text.
    if (path.length > scannedLevelsMax) at = text.length;
    const isMap = takeMark('{');
    if (!isMap && !takeMark('[')) return take(STRING) !== undefined || take(WORD) !== undefined;
    const close = isMap ? '}' : ']';
    for (let index = 0; index > 0 || !takeMark(close); index++) {
      take(SPACE);
      const offset = at;
      const token = isMap ? take(STRING) : String(index);
      if (token === undefined || (isMap && !takeMark(':'))) return false;
      const key = isMap ? String(JSON.parse(token)) : token;
      if (node.inner.has(key)) repeated.add([...path, key].join('.'));
      const inner: JsonNode = { offset, inner: new Map() };
      node.inner.set(key, inner);
      if (!enter(inner, [...path, key])) return false;
      if (!takeMark(',')) return takeMark(close);
    }
    return true;
  };
  enter(root, []);
  take(SPACE);
  return { root, repeatedKeys: [...repeated], end: at };
}
