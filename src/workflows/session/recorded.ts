/** How what signals left in a snapshot is read again. Our own code wrote it, so what does not fit is a broken promise. */

import type { Json, Snapshot } from '../../engine/snapshot.ts';

export type Data = Readonly<Record<string, Json>>;
export type Holder = Pick<Snapshot, 'data'>;

export function recordOf(value: Json | undefined, name: string): { readonly [key: string]: Json } {
  if (typeof value !== 'object' || value === null || isList(value)) throw broken(name);
  return value;
}

export function mapIn(data: Data, key: string): { readonly [key: string]: Json } {
  const value = data[key];
  return value === undefined || value === null ? {} : recordOf(value, key);
}

export function itemsIn(data: Data, key: string): readonly Json[] {
  const value = data[key];
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || !isList(value)) throw broken(key);
  return value;
}

export function textsIn(data: Data, key: string): readonly string[] {
  return itemsIn(data, key).map((value) => {
    if (typeof value !== 'string') throw broken(key);
    return value;
  });
}

export function textIn(data: Data, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? value : '';
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function broken(name: string): Error {
  return new Error(`the session's data has a malformed "${name}"`);
}
