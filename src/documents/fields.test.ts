import { expect, test } from 'vitest';
import { asRecord, keyLine, stringField, wordField } from './fields.ts';

const place = { file: 'agentd/changes/x/STATE.yaml', line: 1, text: '# s\nchange_id: x\nphase: frobnicate\n' };

test('a wrong word is reported with its line and what is expected', () => {
  const read = () => wordField({ phase: 'frobnicate' }, 'phase', ['proposed', 'challenged'], place);
  expect(read).toThrow('agentd/changes/x/STATE.yaml:3: phase is "frobnicate"; expected one of proposed, challenged');
});

test('words are read in any case', () => {
  expect(wordField({ v: ' Needs-Fix ' }, 'v', ['APPROVED', 'NEEDS_FIX'], place)).toBe('NEEDS_FIX');
});

test('what is missing or of another kind', () => {
  expect(() => stringField({}, 'id', place)).toThrow('STATE.yaml:1: id is missing; expected a string');
  expect(() => stringField({ change_id: [1] }, 'change_id', place)).toThrow(
    'STATE.yaml:2: change_id is [1]; expected a string',
  );
  expect(() => asRecord(['a'], { file: 'f', line: null })).toThrow('f: found ["a"]; expected a map of keys and values');
  expect(() => stringField({ a: { b: 'x'.repeat(500) } }, 'a', place)).toThrow(/^.{0,160}$/);
});

test('the line of a key counts from the line of the text', () => {
  expect(keyLine({ ...place, line: 10 }, 'phase')).toBe(12);
  expect(keyLine({ file: 'f', line: 4 }, 'phase')).toBe(4);
});
