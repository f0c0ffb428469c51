import { expect, expectTypeOf, test } from 'vitest';
import { list, orNull, table, withDefault } from '../schema/compound.ts';
import { number, oneOf, verbatim } from '../schema/simple.ts';
import { itemData, keyed, slots } from './data-slots.ts';

const data = slots({
  goal: withDefault(verbatim(), ''),
  intake: orNull(table({ size: number() })),
  title: verbatim(),
  decision: keyed(table({ status: oneOf(['open', 'closed']) })),
});

test('a slot reads what it wrote, typed', () => {
  const patch = data.intake.set({ size: 3 });
  expect(patch).toEqual({ intake: { size: 3 } });
  const intake = data.intake.of({ data: patch });
  expectTypeOf(intake).toEqualTypeOf<{ readonly size: number } | null>();
  expect(intake).toEqual({ size: 3 });
});

test('D2: missing and null give the default', () => {
  expect(data.goal.of({ data: {} })).toBe('');
  expect(data.goal.of({ data: { goal: null } })).toBe('');
  expect(data.intake.of({ data: {} })).toBeNull();
});

test('ignores keys of other versions', () => {
  expect(data.intake.of({ data: { intake: { size: 1, more: true } } })).toEqual({ size: 1 });
});

test('D1: throws on malformed data', () => {
  expect(() => data.goal.of({ data: { goal: 3 } })).toThrow(
    'the run\'s data has a malformed "goal": it is 3; expected a text',
  );
  expect(() => data.intake.of({ data: { intake: { size: 'x' } } })).toThrow(
    'the run\'s data has a malformed "intake": size is "x"; expected a number',
  );
  expect(() => data.title.of({ data: {} })).toThrow('malformed "title"');
  expect(() => data.decision.all({ data: { 'decision:UD-1': {} } })).toThrow('malformed "decision:UD-1"');
});

test('a keyed slot has one key for each piece', () => {
  const holder = {
    data: {
      ...data.decision.set('UD-2', { status: 'open' }),
      ...data.decision.set('UD-10', { status: 'closed' }),
      decisions: 3,
    },
  };
  expect(Object.keys(holder.data)).toEqual(['decision:UD-2', 'decision:UD-10', 'decisions']);
  expect(data.decision.all(holder)).toEqual({ 'UD-2': { status: 'open' }, 'UD-10': { status: 'closed' } });
  expect(data.decision.get(holder, 'UD-10')).toEqual({ status: 'closed' });
  expect(data.decision.get(holder, 'UD-3')).toBeUndefined();
  const cleared = { data: { ...holder.data, ...data.decision.clear('UD-2') } };
  expect(Object.keys(data.decision.all(cleared))).toEqual(['UD-10']);
  expect(data.decision.get(cleared, 'UD-2')).toBeUndefined();
});

test('reads the data of an item the same way', () => {
  const schema = table({ tasks: list(verbatim(), 'a list of texts') });
  expect(itemData(schema, { id: 'a', after: [], data: { tasks: ['1.1'] } })).toEqual({ tasks: ['1.1'] });
  expect(() => itemData(schema, { id: 'a', after: [], data: { tasks: [1] } })).toThrow(
    'the run\'s data has a malformed "item a": tasks[0] is 1; expected a text',
  );
});
