import { describe, expect, test } from 'vitest';
import { list, record, table } from '../schema/compound.ts';
import { check } from '../schema/schema.ts';
import { number, verbatim, word } from '../schema/simple.ts';
import { DocumentError } from './document-error.ts';
import { keyLine } from './yaml.ts';
import { documentWarnings, inFile, readDocument } from './read-document.ts';

const text = '# s\nchange_id: x\nphase: frobnicate\n';
const locate = inFile('STATE.yaml', ([key]) => keyLine(text, key));

function errorOf(read: () => unknown): DocumentError {
  try {
    read();
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test('a wrong value is an error with file, line and expectation', () => {
  const error = errorOf(() =>
    readDocument(table({ phase: word(['proposed', 'challenged']) }), { phase: 'frobnicate' }, locate),
  );
  expect(error).toMatchObject({ file: 'STATE.yaml', line: 3, expected: 'one of proposed, challenged' });
  expect(error.message).toBe('STATE.yaml:3: phase is "frobnicate"; expected one of proposed, challenged');
});

test('a missing value, a value of another kind, and a document that is none', () => {
  const read = (value: unknown) => readDocument(table({ id: verbatim() }), value, locate);
  expect(errorOf(() => read({})).message).toBe('STATE.yaml: id is missing; expected a text');
  expect(errorOf(() => read({ id: [1] })).message).toBe('STATE.yaml: id is [1]; expected a text');
  expect(errorOf(() => read(['a'])).message).toBe('STATE.yaml: found ["a"]; expected a table');
  expect(errorOf(() => read(undefined)).message).toBe('STATE.yaml: found nothing; expected a table');
  expect(errorOf(() => read({ id: { b: 'x'.repeat(500) } })).message).toMatch(/^.{0,160}$/);
});

test('all mistakes are in one error, in the order of the lines', () => {
  const lines: Readonly<Record<string, number>> = { b: 2, a: 7, zzz: 9 };
  const error = errorOf(() =>
    readDocument(
      table({ a: number(), b: number() }),
      { a: 'x', b: 'y', zzz: 1 },
      inFile('f', ([key]) => lines[String(key)] ?? null),
    ),
  );
  expect(error.line).toBe(2);
  expect(error.message.split('\n')).toEqual([
    'f:2: b is "y"; expected a number',
    'f:7: a is "x"; expected a number',
    'f:9: unknown key "zzz"; expected one of a, b',
  ]);
});

test('a long list of mistakes is cut, and says so', () => {
  const read = () => readDocument(list(number(), 'numbers'), Array.from({ length: 20 }, String), locate);
  const lines = errorOf(read).message.split('\n');
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toBe('and 8 more');
});

describe('unknown keys', () => {
  const schema = table({ planning: number(), roles: record(verbatim()) });

  test('are errors with the nearest known key', () => {
    expect(errorOf(() => readDocument(schema, { planning: 1, rolse: {} }, locate)).message).toBe(
      'STATE.yaml: unknown key "rolse"; expected "roles"',
    );
  });

  test('or warnings', () => {
    const { warnings } = check(schema, { planning: 1, planing: 2, zzzzzz: 3 }, { unknownKeys: 'warning' });
    const at = inFile('f.toml', ([key]) => (key === 'zzzzzz' ? 1 : 4));
    expect(documentWarnings(warnings, at)).toEqual([
      { file: 'f.toml', message: 'f.toml:1: unknown key "zzzzzz" is ignored; use one of planning, roles' },
      { file: 'f.toml', message: 'f.toml:4: unknown key "planing" is ignored; use "planning"' },
    ]);
  });
});

test('the line of a key counts from the line of the text', () => {
  expect(keyLine(text, 'phase')).toBe(3);
  expect(keyLine(text, 'phase', 10)).toBe(12);
  expect(keyLine('"phase": x\n', 'phase')).toBe(1);
  expect(keyLine(text, 'verdict')).toBeNull();
});
