/** Keys of several words are snake_case, in YAML and in TypeScript. */

import { snakeCase } from '../../schema/schema.ts';
import { isRecord } from '../../schema/values.ts';

type Snake<K> = K extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : K;

/** A type with the keys that an author writes. */
export type Spelled<T> = { readonly [K in keyof T as Snake<K>]: T[K] };

/** The keys of gates and states as they should be: no others have several words. */
export function respelled(value: unknown): { readonly value: unknown; readonly hints: readonly string[] } {
  if (!isRecord(value)) return { value, hints: [] };
  const hints = new Set<string>();
  const keyOf = (key: string): string => {
    if (/^[a-z]+(?:[A-Z][a-z]+)+$/.test(key)) hints.add(`write ${snakeCase(key)} instead of ${key}`);
    return snakeCase(key);
  };
  const inside = (table: unknown): unknown => (isRecord(table) ? mapKeys(table, keyOf, (each) => each) : table);
  const each = (tables: unknown): unknown => (isRecord(tables) ? mapKeys(tables, (name) => name, inside) : tables);
  const parts = Object.entries(value).map(([key, part]) => [
    key,
    ['gates', 'states'].includes(key) ? each(part) : part,
  ]);
  return { value: Object.fromEntries(parts), hints: [...hints] };
}

function mapKeys(table: object, keyOf: (key: string) => string, valueOf: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [keyOf(key), valueOf(value)]));
}
