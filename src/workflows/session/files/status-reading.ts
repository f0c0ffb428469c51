/** What tolerant readers of session files have in common. */

import { schema, warn, wrong, type Schema } from '../../../schema/schema.ts';
import { shown } from '../../../schema/values.ts';
import type { JsonMap } from './json-lines.ts';
import type { Extra } from './status-shape.ts';

/** Texts as they are, numbers and yes-or-no as texts; undefined for what is empty or has parts. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Times begin with a date, however exact they are; undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim()) ? value.trim() : undefined;
}

export function extraOf(map: JsonMap, known: readonly string[]): Extra | undefined {
  const unknown = Object.entries(map).filter(([key]) => !known.includes(key));
  return unknown.length === 0 ? undefined : Object.fromEntries(unknown);
}

/** Says so where something is read as something else than it is. */
export function readAs<T>(name: string, inner: Schema<T>): Schema<T> {
  return schema((value, at) => {
    const read = inner.read(value, at);
    if (read !== wrong && read !== value) warn(at, `${name} ${shown(value)} is read as ${String(read)}.`);
    return read;
  });
}
