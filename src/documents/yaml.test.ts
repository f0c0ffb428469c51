import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { attempt, DocumentError } from './document-error.ts';
import { parseYaml, readYamlLines } from './yaml.ts';

const where = { file: 'a/tasks.md', line: 10 };

test('common and rare YAML read alike', () => {
  expect(parseYaml('a: 1\nb: [x]\n', where)).toEqual({ a: 1, b: ['x'] });
  expect(parseYaml('a: |\n  x\n  y\nb: {c: 1}\r\n', where)).toEqual({ a: 'x\ny\n', b: { c: 1 } });
  expect(parseYaml('at: 2026-11-15', where)).toEqual({ at: '2026-11-15' });
  expect(parseYaml('{at: 2026-11-15}', where)).toEqual({ at: '2026-11-15' });
});

test('any JSON survives', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      expect(parseYaml(stringify(value), where)).toEqual(value);
    }),
  );
});

describe('numbers as text', () => {
  test.each([
    ['common', 'id: 1.10\nlist: [1.20, "x"]\nyes: true\n'],
    ['rare', '{id: 1.10, list: [1.20, "x"], yes: true}'],
  ])('%s', (_, text) => {
    expect(parseYaml(text, where, { numbersAsText: true })).toEqual({ id: '1.10', list: ['1.20', 'x'], yes: true });
  });

  test('octal, exponent, leading zero', () => {
    expect(parseYaml('a: 007\nb: 1e3\nc: 0x1F\nd: .5', where, { numbersAsText: true })).toEqual({
      a: '007',
      b: '1e3',
      c: '0x1F',
      d: '.5',
    });
  });
});

describe('an error names the line of the file', () => {
  test.each([
    ['duplicate key', 'a: 1\nb: 2\na: 3\n', 12],
    ['bad indentation', 'a:\n    b: 1\n  c: 2\n', 12],
    ['tab', 'a: 1\n\tb: 2\n', 11],
    ['colon', 'a: b: c\n', 10],
    ['two documents', 'a: 1\n---\nb: 1\n', 11],
    ['unresolved alias', 'a: *nowhere\n', 10],
  ])('%s', (_, text, line) => {
    const error = caught(() => parseYaml(text, where));
    expect(error).toBeInstanceOf(DocumentError);
    expect(error).toMatchObject({ code: 'InvalidDocument', file: 'a/tasks.md', line, expected: 'valid YAML' });
    expect(error.message).toMatch(new RegExp(`^a/tasks\\.md:${line}: [^\\n]+; expected valid YAML$`));
  });
});

function caught(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

describe('attack 6.8: YAML too deep for the stack is an error of the document', () => {
  const deep: Readonly<Record<string, string>> = {
    dashes: `${'- '.repeat(20_000)}x\n`,
    brackets: `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
    braces: `${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}\n`,
    questions: `${'? '.repeat(20_000)}x\n`,
  };
  test.each(Object.entries(deep))('%s', (_, text) => {
    for (const source of [text, `# an odd one\n"a\\tb": 1\n${text}`, `a: &x 1\n${text}`]) {
      expect(() => parseYaml(source, { file: 'STATE.yaml', line: 1 })).toThrow(DocumentError);
    }
    expect(() => readYamlLines(text, 'STATE.yaml')).toThrow(DocumentError);
  });

  test('columns: read, or refused', () => {
    const text = Array.from({ length: 2_500 }, (_, depth) => `${' '.repeat(depth)}k${depth}:\n`).join('');
    const read = attempt(() => parseYaml(text, { file: 'STATE.yaml', line: 1 }));
    expect(read instanceof DocumentError || typeof read === 'object').toBe(true);
    expect(() => readYamlLines(text, 'STATE.yaml')).toThrow(DocumentError);
  });
});
