/** Sets one text in some items of a list of a YAML file and leaves all other bytes alone, quotes and line ends too. */

import type { YAMLMap } from 'yaml';
import { nearest } from '../schema/nearest.ts';
import { isRecord } from '../schema/values.ts';
import { DocumentError } from './document-error.ts';
import { parseMap, readsAs, readValues } from './yaml-edit.ts';
import { yaml } from './yaml-package.ts';

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
  const places = ids.map((id) => items.findIndex((each) => isRecord(each) && each['id'] === id));
  const missing = ids.find((_, index) => places[index] === -1);
  if (missing !== undefined) throw noSuchItem(items, missing, { file, item });
  const pieces = places.flatMap((index) => {
    const node: unknown = document.getIn([list, index], true);
    return yaml().isMap(node) ? [placeOf(text, node, key, value)] : [];
  });
  const edited = pieces
    .toSorted((a, b) => b.start - a.start)
    .reduce((result, { start, end, put }) => result.slice(0, start) + put + result.slice(end), text);
  const wanted = items.map((each, index) =>
    isRecord(each) && places.includes(index) ? { ...each, [key]: value } : each,
  );
  if (readsAs(edited, { ...values, [list]: wanted })) return edited;
  const expected = `a ${key} written out in its own ${item}, without anchors or aliases`;
  throw new DocumentError({ file, line: null }, `the ${key} of ${ids.join(', ')} cannot be changed`, expected);
}

function noSuchItem(items: readonly unknown[], id: string, { file, item }: { file: string; item: string }) {
  const known = items.flatMap((each) => (isRecord(each) && typeof each['id'] === 'string' ? [each['id']] : []));
  const near = nearest(id, known);
  const expected = `the id of a ${item}${near === undefined ? ' in the file' : `; did you mean ${near}?`}`;
  return new DocumentError({ file, line: null }, `there is no ${item} ${id}`, expected);
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

function placeOf(text: string, map: YAMLMap, key: string, value: string): Piece {
  const node: unknown = map.get(key, true);
  const range = yaml().isScalar(node) || yaml().isAlias(node) ? node.range : undefined;
  if (!range) return insertion(text, map, `${key}: ${value}`);
  const [start, end] = range;
  const [, quote = ''] = /^(["'])[^]*\1$/.exec(text.slice(start, end)) ?? [];
  const gap = /\s/.test(text.charAt(start - 1)) ? '' : ' ';
  const eol = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return { start, end, put: `${gap}${quote}${value}${quote}${eol}` };
}

/** Behind the first key, in its column; in `{…}` in front of it. */
function insertion(text: string, map: YAMLMap, put: string): Piece {
  const start = map.range?.[0] ?? 0;
  if (map.flow === true) return { start: start + 1, end: start + 1, put: `${put}, ` };
  const first = map.items[0]?.value;
  const lineEnd = text.indexOf('\n', yaml().isNode(first) ? (first.range?.[1] ?? start) : start);
  const at = lineEnd === -1 ? text.length : lineEnd + 1;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const pad = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  return { start: at, end: at, put: `${lineEnd === -1 ? eol : ''}${pad}${put}${eol}` };
}
