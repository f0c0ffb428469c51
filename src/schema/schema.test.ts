import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  choose,
  described,
  list,
  mapped,
  matching,
  never,
  optional,
  orNull,
  prepared,
  record,
  refine,
  section,
  table,
  withDefault,
} from './compound.ts';
import { differing, ifFits, items, map, maybe, needsOne, oneOrMany, texts, unlessNull } from './lenient.ts';
import { check, nameOf, problemOf, snakeCase, type Infer, type ReadingOptions, type Schema } from './schema.ts';
import { amount, anything, duration, exactly, flag, number, oneOf, text, verbatim, whole, word } from './simple.ts';
import { findWord, shown } from './values.ts';

function read<T>(schema: Schema<T>, value: unknown, options?: ReadingOptions): T {
  const found = check(schema, value, options);
  if ('mistakes' in found) throw new Error(mistakes(schema, value, options).join('\n'));
  return found.value;
}

function mistakes<T>(schema: Schema<T>, value: unknown, options?: ReadingOptions): string[] {
  const found = check(schema, value, options);
  if (!('mistakes' in found)) throw new Error('it was accepted');
  return found.mistakes.map((each) =>
    each.known ? `${nameOf(each.path)} unknown: ${each.known.join(',')}` : `${problemOf(each, 'it')}: ${each.expected}`,
  );
}

describe('values without parts', () => {
  test.each<[Schema<unknown>, unknown, unknown]>([
    [text(), ' a ', 'a'],
    [verbatim(), ' a ', ' a '],
    [verbatim(), '', ''],
    [number(), 1.5, 1.5],
    [whole(0, 3), 3, 3],
    [amount(3), 0, 0],
    [duration(3), 0.1, 0.1],
    [flag(), false, false],
    [exactly(true, 'true'), true, true],
    [oneOf(['a', 'b']), 'b', 'b'],
    [word(['NEEDS_FIX', 'OK']), ' needs fix', 'NEEDS_FIX'],
    [anything, null, null],
  ])('%# reads %j as %j', (schema, value, expected) => {
    expect(read(schema, value)).toBe(expected);
  });

  test.each<[Schema<unknown>, unknown, string]>([
    [text(), ' ', 'it is " ": a text that is not empty'],
    [text('a title'), undefined, 'it is missing: a title'],
    [verbatim(), 3, 'it is 3: a text'],
    [number(), Number.NaN, 'it is NaN: a number'],
    [whole(0, 3), 1.5, 'it is 1.5: a whole number from 0 to 3'],
    [whole(0, 3), 4, 'it is 4: a whole number from 0 to 3'],
    [whole(0, 3), '1', 'it is "1": a whole number from 0 to 3'],
    [amount(3), -0.1, 'it is -0.1: a number from 0 to 3'],
    [duration(3), 0, 'it is 0: a number above 0, at most 3'],
    [flag(), 'yes', 'it is "yes": true or false'],
    [exactly(true, 'true, or leave it out'), false, 'it is false: true, or leave it out'],
    [oneOf(['a', 'b']), 'A', 'it is "A": one of "a", "b"'],
    [word(['a', 'b']), 'c', 'it is "c": one of a, b'],
    [word(['proposed', 'complete']), 'propsed', 'it is "propsed": one of proposed, complete; did you mean proposed?'],
    [never('another', 'no way'), 1, 'no way: another'],
  ])('%# refuses %j', (schema, value, message) => {
    expect(mistakes(schema, value)).toEqual([message]);
  });

  test('words are found in any case, with - or a space for _', () => {
    expect(findWord(' Needs-Fix ', ['APPROVED', 'NEEDS_FIX'])).toBe('NEEDS_FIX');
    expect(findWord('same', ['SAME', 'same'])).toBe('same');
    expect(findWord(3, ['3'])).toBeUndefined();
  });

  test('a long value is cut in messages', () => {
    expect(shown('x'.repeat(500))).toHaveLength(62);
    expect(shown(() => 1)).toBe('function');
  });
});

describe('tables', () => {
  const page = table({ title: text('a title'), size: withDefault(whole(1, 9), 5), note: optional(text()) });

  test('have the type of their fields; an optional key is absent', () => {
    expectTypeOf<Infer<typeof page>>().toEqualTypeOf<{
      readonly title: string;
      readonly size: number;
      readonly note?: string;
    }>();
    expect(read(page, { title: 'a' })).toStrictEqual({ title: 'a', size: 5 });
  });

  test('C2: every mistake is collected: keys in order, then unknown keys, then rules', () => {
    const book = needsOne(
      map({ pages: items(page, 'a list of pages'), name: maybe(text()), title: maybe(text()) }),
      ['name', 'title'],
      'a name',
    );
    const found = mistakes(book, { pages: [{ title: '', size: 0 }, 3, { title: 'b', more: 1 }], nmae: 'x' });
    expect(found).toEqual([
      'pages[0].title is "": a title',
      'pages[0].size is 0: a whole number from 1 to 9',
      'pages[1] is 3: a table',
      'pages[2].more unknown: title,size,note',
      'nmae unknown: pages,name,title',
      'name is missing: a name',
    ]);
  });

  test('unknown keys are mistakes, warnings or nothing', () => {
    const value = { title: 'a', tilte: 'b' };
    expect(mistakes(page, value)).toEqual(['tilte unknown: title,size,note']);
    expect(check(page, value, { unknownKeys: 'warning' })).toMatchObject({
      value: { title: 'a' },
      warnings: [{ path: ['tilte'], known: ['title', 'size', 'note'] }],
    });
    expect(check(page, value, { unknownKeys: 'ignored' })).toMatchObject({ value: { title: 'a' }, warnings: [] });
    expect(read(table({ title: text() }, { unknownKeys: 'ignored' }), value)).toEqual({ title: 'a' });
  });

  test('keys of several words are spelled as the data spells them; names of the author are not', () => {
    const schema = table({ maxSize: number(), byName: record(number()) });
    expect(read(schema, { max_size: 1, by_name: { aB: 2 } }, { spell: snakeCase })).toEqual({
      maxSize: 1,
      byName: { aB: 2 },
    });
    expect(mistakes(schema, { maxSize: 1 }, { spell: snakeCase })).toEqual([
      'max_size is missing: a number',
      'maxSize unknown: max_size,by_name',
    ]);
  });

  test('a section may be left out, a table may not', () => {
    expect(read(table({ a: section({ b: withDefault(flag(), true) }) }), {})).toEqual({ a: { b: true } });
    expect(mistakes(table({ a: page }), {})).toEqual(['a is missing: a table']);
  });

  test('records check names before values, and take names that every object has', () => {
    const schema = record(number(), { key: matching(text(), /^[a-z]+$/, 'small letters'), max: 2 });
    expect(read(schema, { constructor: 1 })).toEqual({ constructor: 1 });
    expect(read(schema, undefined)).toEqual({});
    expect(mistakes(schema, { A: 'x', b: 'y' })).toEqual(['A is "A": small letters', 'b is "y": a number']);
    expect(mistakes(schema, { a: 1, b: 2, c: 3 })).toEqual(['it is 3: at most 2 names']);
    expect(mistakes(schema, [])).toEqual(['it is []: a table']);
    const own = JSON.parse('{"__proto__": 1}');
    expect(Object.entries(read(record(number()), own))).toEqual([['__proto__', 1]]);
  });
});

describe('compounds', () => {
  test('lists name each wrong item, and their bounds', () => {
    const schema = list(number(), 'numbers', { min: { count: 1, expected: 'at least one' }, max: 2 });
    expect(read(schema, [1, 2])).toEqual([1, 2]);
    expect(mistakes(schema, ['a', 1])).toEqual(['[0] is "a": a number']);
    expect(mistakes(schema, [])).toEqual(['it is []: at least one']);
    expect(mistakes(schema, [1, 2, 3])).toEqual(['it is [1,2,3]: at most 2 items']);
    expect(mistakes(schema, 'x')).toEqual(['it is "x": numbers']);
  });

  test('a look at the value chooses the schema', () => {
    const schema = choose<string | number>((value) => (typeof value === 'number' ? whole(0, 9) : text()));
    expect([read(schema, 1), read(schema, 'a')]).toEqual([1, 'a']);
    expect(mistakes(schema, 10)).toEqual(['it is 10: a whole number from 0 to 9']);
  });

  test('defaults and null stand for what is missing', () => {
    expect(read(withDefault(maybe(texts()), ['x']), '')).toEqual(['x']);
    expect(read(orNull(number()), undefined)).toBeNull();
    expect(mistakes(orNull(number()), null)).toEqual(['it is null: a number']);
    expect(read(orNull(unlessNull(number())), null)).toBeNull();
  });

  test('values are changed before and after they are read', () => {
    const schema = mapped(
      prepared((value) => Number(value), whole(0, 9)),
      (value) => value * 2,
    );
    expect(read(schema, '4')).toBe(8);
    expect(mistakes(schema, '40')).toEqual(['it is 40: a whole number from 0 to 9']);
  });

  test('a rule sees values whose parts are fine, and may point into them', () => {
    const span = refine(table({ from: number(), to: number() }), ({ from, to }) =>
      from > to ? { at: ['to'], found: to, expected: `at least ${from}` } : undefined,
    );
    expect(read(span, { from: 1, to: 2 })).toEqual({ from: 1, to: 2 });
    expect(mistakes(span, { from: 3, to: 2 })).toEqual(['to is 2: at least 3']);
    expect(mistakes(span, { from: 'x', to: 2 })).toEqual(['from is "x": a number']);
    expect(
      mistakes(
        refine(text(), () => ({ expected: 'nothing', problem: 'never' })),
        'x',
      ),
    ).toEqual(['never: nothing']);
  });
});

describe('leniency', () => {
  test('null, an empty text and an empty list are absent', () => {
    for (const empty of [null, '', ' ', [], undefined])
      expect(read(map({ a: maybe(text()) }), { a: empty })).toEqual({});
    expect(read(unlessNull(verbatim()), '')).toBe('');
  });

  test('one item is a list of one', () => {
    expect(read(texts(), 'a')).toEqual(['a']);
    expect(read(oneOrMany(list(number(), 'numbers')), 3)).toEqual([3]);
  });

  test('a list of an agent is limited, and ids in it differ', () => {
    const schema = differing(items(map({ id: text() }), 'a list', 'at least one'), 'another id');
    expect(mistakes(schema, [])).toEqual(['it is []: at least one']);
    expect(mistakes(schema, [{ id: 'a' }, { id: 'b' }, { id: 'a' }])).toEqual(['[2].id is "a": another id']);
    expect(
      mistakes(
        schema,
        Array.from({ length: 501 }, (_, id) => ({ id: `${id}` })),
      )[0],
    ).toMatch(/: at most 500 items$/);
  });

  test('what does not fit counts as not given where nothing depends on it', () => {
    expect(read(map({ a: ifFits(map({ b: number() })) }), { a: { b: 'x', c: 1 } })).toEqual({});
  });
});

test('the JSON Schema is what a model needs to know', () => {
  const schema = map({
    title: described(text(), 'Of the page'),
    kind: word(['a', 'b']),
    tags: withDefault(maybe(texts()), []),
    size: optional(whole(1, 9)),
    id: mapped(matching(text(), /^R\d+$/, 'an id'), (id) => id.toLowerCase()),
  });
  expect(schema.json()).toEqual({
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, description: 'Of the page' },
      kind: { type: 'string', enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 500 },
      size: { type: 'integer', minimum: 1, maximum: 9 },
      id: { type: 'string', minLength: 1, pattern: String.raw`^R\d+$` },
    },
    required: ['title', 'kind', 'id'],
    additionalProperties: false,
  });
});

test('C1: whatever the value, it is read or refused with a mistake, and nothing is thrown', () => {
  const schema = map({
    a: maybe(
      items(
        map({ b: choose<string | readonly string[]>((value) => (Array.isArray(value) ? texts() : text())) }),
        'a list',
      ),
    ),
    c: record(refine(number(), (value) => (value > 1 ? { expected: 'less' } : undefined))),
  });
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({ a: fc.array(fc.record({ b: fc.jsonValue() })), c: fc.dictionary(fc.string(), fc.jsonValue()) }),
  );
  fc.assert(
    fc.property(value, (any) => {
      const found = check(schema, any);
      if ('mistakes' in found) expect(found.mistakes.length).toBeGreaterThan(0);
      else expect(check(schema, found.value)).toMatchObject({ value: found.value });
    }),
  );
});
