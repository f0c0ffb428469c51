/** Schemas of values without parts. */

import { didYouMean } from './nearest.ts';
import { leaf, refuse, schema, type JsonSchema, type Schema } from './schema.ts';
import { findWord } from './values.ts';

export const anything: Schema<unknown> = schema((value) => value);

export function text(expected = 'a text that is not empty'): Schema<string> {
  const parse = (value: unknown) => (typeof value === 'string' ? value.trim() || undefined : undefined);
  return leaf(expected, parse, { type: 'string', minLength: 1 });
}

/** A text as it is: not trimmed, and perhaps empty. */
export function verbatim(expected = 'a text'): Schema<string> {
  return leaf(expected, (value) => (typeof value === 'string' ? value : undefined), { type: 'string' });
}

export function number(expected = 'a number'): Schema<number> {
  return numeric(expected, Number.isFinite);
}

export function whole(min: number, max: number): Schema<number> {
  const expected = `a whole number from ${min} to ${max}`;
  const json = { type: 'integer', minimum: min, maximum: max };
  return numeric(expected, (value) => Number.isInteger(value) && value >= min && value <= max, json);
}

export function amount(max: number): Schema<number> {
  return numeric(`a number from 0 to ${max}`, (value) => value >= 0 && value <= max, {
    type: 'number',
    minimum: 0,
    maximum: max,
  });
}

/** Fractions are allowed, zero is not: nothing can be done in no time. */
export function duration(max: number): Schema<number> {
  return numeric(`a number above 0, at most ${max}`, (value) => value > 0 && value <= max, {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: max,
  });
}

function numeric(expected: string, fits: (value: number) => boolean, json: JsonSchema = { type: 'number' }) {
  return leaf(expected, (value) => (typeof value === 'number' && fits(value) ? value : undefined), json);
}

export function flag(expected = 'true or false'): Schema<boolean> {
  return leaf(expected, (value) => (typeof value === 'boolean' ? value : undefined), { type: 'boolean' });
}

/** One value and no other. */
export function exactly<const V extends string | number | boolean | null>(only: V, expected: string): Schema<V> {
  return leaf(expected, (value) => (value === only ? only : undefined), { const: only });
}

/** A word exactly as the list spells it. */
export function oneOf<const W extends string>(words: readonly W[]): Schema<W> {
  const expected = `one of ${words.map((each) => `"${each}"`).join(', ')}`;
  return listed(words, expected, (value) => words.find((each) => each === value));
}

/** A word in any case, with `-` or a space for `_`. */
export function word<const W extends string>(words: readonly W[], expected = `one of ${words.join(', ')}`): Schema<W> {
  return listed(words, expected, (value) => findWord(value, words));
}

/** Any letter is near to any other. */
const suggestedCharsMin = 3;

function listed<W extends string>(
  words: readonly W[],
  expected: string,
  find: (value: unknown) => W | undefined,
): Schema<W> {
  return schema(
    (value, at) => {
      const found = find(value);
      const near = typeof value === 'string' && value.length >= suggestedCharsMin ? didYouMean(value, words) : '';
      return found === undefined ? refuse(at, value, `${expected}${near}`) : found;
    },
    () => ({ type: 'string', enum: words }),
  );
}
