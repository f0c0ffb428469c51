/** Schemas that accept the variations that models and people write. */

import { list, prepared, refine, table, type Shape, type TableOf } from './compound.ts';
import { inside, refuse, wrong, type OptionalSchema, type Schema } from './schema.ts';
import { text } from './simple.ts';
import { isRecord } from './values.ts';

const itemsMax = 500;

/** Optional; null, an empty text and an empty list count as missing. */
export function maybe<T>(inner: Schema<T>): OptionalSchema<T> {
  return missingWhen(isEmpty, inner);
}

/** Optional; null counts as missing. */
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

/** Accepts a single item for a list of one. */
export function oneOrMany<T>(inner: Schema<readonly T[]>): Schema<readonly T[]> {
  return prepared((value): readonly unknown[] => (Array.isArray(value) ? value : [value]), inner);
}

/** Accepts a single text for a list of one. */
export function texts(expected = 'a list of texts', least?: string): Schema<readonly string[]> {
  return prepared((value) => (typeof value === 'string' ? [value] : value), items(text(), expected, least));
}

/** A list in a tool call; with `least`, the expectation of at least one item. */
export function items<T>(item: Schema<T>, expected: string, least?: string): Schema<readonly T[]> {
  return list(item, expected, { max: itemsMax, ...(least !== undefined && { min: { count: 1, expected: least } }) });
}

/** An object in a tool call. */
export function map<S extends Shape>(shape: S): Schema<TableOf<S>> {
  return table(shape, { expected: `an object with ${Object.keys(shape).join(', ')}` });
}

/** Requires one of these keys; reported together with all other mistakes. */
export function needsOne<T>(inner: Schema<T>, keys: readonly [string, ...string[]], expected: string): Schema<T> {
  const read: Schema<T>['read'] = (value, at) => {
    const fits = inner.read(value, at);
    const lacksAll = isRecord(value) && keys.every((key) => isEmpty(value[key]));
    return lacksAll ? refuse(inside(at, keys[0]), undefined, expected) : fits;
  };
  return { ...inner, read };
}

/** Requires that no two items have the same id. */
export function differing<T extends { readonly id: string }>(
  inner: Schema<readonly T[]>,
  expected: string,
): Schema<readonly T[]> {
  return refine(inner, (all) => {
    const index = all.findIndex(({ id }, at) => all.findIndex((other) => other.id === id) < at);
    return index === -1 ? undefined : { at: [index, 'id'], found: all[index]?.id, expected };
  });
}

/** Optional; a value that does not fit counts as missing. */
export function ifFits<T>(inner: Schema<T>): OptionalSchema<T> {
  const read: OptionalSchema<T>['read'] = (value, at) => {
    const { mistakes, warnings } = at.reading;
    const [mistakesBefore, warningsBefore] = [mistakes.length, warnings.length];
    const fits = inner.read(value, at);
    if (mistakes.length > mistakesBefore) mistakes.length = mistakesBefore;
    if (warnings.length > warningsBefore) warnings.length = warningsBefore;
    return fits === wrong ? undefined : fits;
  };
  return { ...inner, read, required: false, optional: true };
}
