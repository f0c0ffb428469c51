/** What models and people write otherwise than a schema says, and mean the same. */

import { list, prepared, refine, table, type Shape, type TableOf } from './compound.ts';
import { inside, refuse, wrong, type OptionalSchema, type Schema } from './schema.ts';
import { text } from './simple.ts';
import { isRecord } from './values.ts';

const itemsMax = 500;

/** Null, an empty text or an empty list for what is left out. */
export function maybe<T>(inner: Schema<T>): OptionalSchema<T> {
  return missingWhen(isEmpty, inner);
}

/** Null for what is left out. */
export function unlessNull<T>(inner: Schema<T>): OptionalSchema<T> {
  return missingWhen((value) => value === undefined || value === null, inner);
}

function missingWhen<T>(isMissing: (value: unknown) => boolean, inner: Schema<T>): OptionalSchema<T> {
  const read: OptionalSchema<T>['read'] = (value, at) => (isMissing(value) ? undefined : inner.read(value, at));
  return { ...inner, read, required: false, optional: true };
}

function isEmpty(value: unknown): boolean {
  const isBlank = typeof value === 'string' && value.trim() === '';
  return value === undefined || value === null || isBlank || (Array.isArray(value) && value.length === 0);
}

/** One item where a list of one is meant. */
export function oneOrMany<T>(inner: Schema<readonly T[]>): Schema<readonly T[]> {
  return prepared((value): readonly unknown[] => (Array.isArray(value) ? value : [value]), inner);
}

/** As `oneOrMany`, for texts alone. */
export function texts(expected = 'a list of texts', least?: string): Schema<readonly string[]> {
  return prepared((value) => (typeof value === 'string' ? [value] : value), items(text(), expected, least));
}

/** A list of an agent's report; `least` says what at least one item is. */
export function items<T>(item: Schema<T>, expected: string, least?: string): Schema<readonly T[]> {
  return list(item, expected, { max: itemsMax, ...(least !== undefined && { min: { count: 1, expected: least } }) });
}

/** An object of an agent's report. */
export function map<S extends Shape>(shape: S): Schema<TableOf<S>> {
  return table(shape, { expected: `an object with ${Object.keys(shape).join(', ')}` });
}

/** One of these keys must be given: told together with all other mistakes, not only when there is none. */
export function needsOne<T>(inner: Schema<T>, keys: readonly [string, ...string[]], expected: string): Schema<T> {
  const read: Schema<T>['read'] = (value, at) => {
    const fits = inner.read(value, at);
    const lacksAll = isRecord(value) && keys.every((key) => isEmpty(value[key]));
    return lacksAll ? refuse(inside(at, keys[0]), undefined, expected) : fits;
  };
  return { ...inner, read };
}

/** Two items of one id would be one in the document. */
export function differing<T extends { readonly id: string }>(
  inner: Schema<readonly T[]>,
  expected: string,
): Schema<readonly T[]> {
  return refine(inner, (all) => {
    const index = all.findIndex(({ id }, at) => all.findIndex((other) => other.id === id) < at);
    return index === -1 ? undefined : { at: [index, 'id'], found: all[index]?.id, expected };
  });
}

/** What does not fit counts as not given: for remarks that nothing depends on. */
export function ifFits<T>(inner: Schema<T>): OptionalSchema<T> {
  const read: OptionalSchema<T>['read'] = (value, { path, reading }) => {
    const fits = inner.read(value, { path, reading: { ...reading, mistakes: [], warnings: [] } });
    return fits === wrong ? undefined : fits;
  };
  return { ...inner, read, required: false, optional: true };
}
