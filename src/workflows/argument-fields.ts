/** The parts tool schemas are made of. Each one's error message is what it expects, in words. */

import * as z from 'zod';
import { findWord } from '../documents/fields.ts';

const itemsMax = 500;

/** Made when first asked for: schemas take longer to make than most commands to run, and few of them read arguments. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export const text = (expected = 'a text that is not empty') =>
  z.string({ error: expected }).trim().min(1, { error: expected });

export const word = <const W extends string>(words: readonly W[]) =>
  z.preprocess((value) => findWord(value, words) ?? value, z.enum(words, { error: `one of ${words.join(', ')}` }));

export const list = <S extends z.ZodType>(item: S, expected: string) =>
  z.array(item, { error: expected }).max(itemsMax, { error: `at most ${itemsMax} items` });

/** Models write one text where a list of one is meant. */
export const texts = (expected = 'a list of texts') =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), list(text(), expected));

/** Models write null, an empty text or an empty list for what they leave out. */
export const maybe = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isEmpty(value) ? undefined : value), schema.optional());

function isEmpty(value: unknown): boolean {
  return (
    value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  );
}

export const map = <S extends z.ZodRawShape>(shape: S) => {
  const keys = Object.keys(shape).join(', ');
  const known = keys === '' ? 'no arguments' : `one of ${keys}`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? known : `an object with ${keys}`),
  });
};

/** For a refinement that asks for a key: told together with all other mistakes, not only when there is none. */
export const needed = (key: string, expected: string) => ({
  path: [key],
  error: expected,
  params: { missing: true },
  when: () => true,
});

/** Two items of one id would be one in the document. */
export function refuseTwins(
  items: readonly { readonly id: string }[],
  context: z.core.$RefinementCtx,
  key: string,
): void {
  for (const [index, item] of items.entries()) {
    if (items.findIndex((other) => other.id === item.id) === index) continue;
    context.addIssue({
      code: 'custom',
      path: [key, index, 'id'],
      input: item.id,
      message: 'an id that no item before has',
    });
  }
}
