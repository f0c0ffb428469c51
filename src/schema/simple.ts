/** Schemas of values without parts. */

import { leaf, schema, type Schema } from './schema.ts';
import { findWord } from './values.ts';

export const anything: Schema<unknown> = schema((value) => value);

export function text(expected = 'a text that is not empty'): Schema<string> {
  return leaf(expected, (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined), {
    type: 'string',
    minLength: 1,
  });
}

/** A text as it is: not trimmed, and perhaps empty. */
export function verbatim(expected = 'a text'): Schema<string> {
  return leaf(expected, (value) => (typeof value === 'string' ? value : undefined), { type: 'string' });
}

export function number(expected = 'a number'): Schema<number> {
  return leaf(expected, (value) => (Number.isFinite(value) ? Number(value) : undefined), { type: 'number' });
}

export function whole(min: number, max: number): Schema<number> {
  const fits = (value: number): boolean => Number.isInteger(value) && value >= min && value <= max;
  return leaf(
    `a whole number from ${min} to ${max}`,
    (value) => (typeof value === 'number' && fits(value) ? value : undefined),
    { type: 'integer', minimum: min, maximum: max },
  );
}

export function amount(max: number): Schema<number> {
  const fits = (value: number): boolean => value >= 0 && value <= max;
  return leaf(`a number from 0 to ${max}`, (value) => (typeof value === 'number' && fits(value) ? value : undefined), {
    type: 'number',
    minimum: 0,
    maximum: max,
  });
}

/** Fractions are welcome, zero is not: nothing can be done in no time. */
export function duration(max: number): Schema<number> {
  const fits = (value: number): boolean => value > 0 && value <= max;
  return leaf(
    `a number above 0, at most ${max}`,
    (value) => (typeof value === 'number' && fits(value) ? value : undefined),
    { type: 'number', exclusiveMinimum: 0, maximum: max },
  );
}

export function flag(expected = 'true or false'): Schema<boolean> {
  return leaf(expected, (value) => (typeof value === 'boolean' ? value : undefined), { type: 'boolean' });
}

/** One value and no other. */
export function exactly<const V extends string | number | boolean | null>(only: V, expected: string): Schema<V> {
  return leaf(expected, (value) => (value === only ? only : undefined), { const: only });
}

/** In the very spelling of the list. */
export function oneOf<const W extends string>(words: readonly W[]): Schema<W> {
  const expected = `one of ${words.map((each) => `"${each}"`).join(', ')}`;
  return leaf(expected, (value) => words.find((each) => each === value), { type: 'string', enum: words });
}

/** In any case, with `-` or a space for `_`. */
export function word<const W extends string>(words: readonly W[], expected = `one of ${words.join(', ')}`): Schema<W> {
  return leaf(expected, (value) => findWord(value, words), { type: 'string', enum: words });
}
