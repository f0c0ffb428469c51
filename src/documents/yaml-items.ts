/** Sets one text in some items of a list of a YAML file and leaves all other bytes alone, quotes and line ends too. */

import type { YAMLMap } from 'yaml';
import { nearest } from '../schema/nearest.ts';
import { isRecord } from '../schema/values.ts';
import { DocumentError } from './document-error.ts';
import { yaml } from './packages.ts';
import { parseMap, readsAs, readValues, replacePieces, type Piece } from './yaml-edit.ts';

export interface ItemEdit {
  /** The list, and what one of its items is called. */
  readonly list: string;
  readonly item: string;
  /** Of the items to change. */
  readonly ids: readonly string[];
  readonly key: string;
  readonly value: string;
}

export function editItems(text: string, { list, item, ids, key, value }: ItemEdit, file: string): string {
  const document = parseMap(text, file);
  const values = readValues(document);
  const items: readonly unknown[] = Array.isArray(values[list]) ? values[list] : [];
  const idOf = (each: unknown): unknown => (isRecord(each) ? each['id'] : undefined);
  const missing = ids.find((id) => !items.some((each) => idOf(each) === id));
  if (missing !== undefined) {
    const known = items.map(idOf).filter((id) => typeof id === 'string');
    const near = nearest(missing, known);
    const expected = `the id of a ${item}${near === undefined ? ' in the file' : `; did you mean ${near}?`}`;
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
  const lineEnd = text.indexOf('\n', yaml().isNode(first) ? (first.range?.[1] ?? start) : start);
  const at = lineEnd === -1 ? text.length : lineEnd + 1;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const pad = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  return { start: at, end: at, text: `${lineEnd === -1 ? eol : ''}${pad}${field}${eol}` };
}
