import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentError } from './document-error.ts';
import { readJsonLines } from './json-lines.ts';

const text = `{
  "a": 1,
  "list": [
    { "b": "x" },
    [
      true,
      { "c\\u0041": null }
    ]
  ], "a\\"b": { "deep": {
    "er": -1.5e3 } }
}`;

test.each([
  [[], 1],
  [['a'], 2],
  [['list'], 3],
  [['list', 0], 4],
  [['list', 0, 'b'], 4],
  [['list', 1, 0], 6],
  [['list', 1, 1, 'cA'], 7],
  [['a"b'], 9],
  [['a"b', 'deep', 'er'], 10],
  [['list', 0, 'missing'], 4],
  [['list', 9], 3],
  [['missing', 'too'], 1],
])('the line of %j is %i', (path, line) => {
  expect(readJsonLines(text, 'a.json').lineOf(path)).toBe(line);
});

test('of a key that stands there twice the last one counts', () => {
  const lines = readJsonLines('{\n"a": [{"x": 1}],\n"a": [\n{"x": 2, "x": 3}]}', 'a.json');
  expect(lines.lineOf(['a', 0])).toBe(4);
  expect(lines.repeatedKeys()).toEqual(['a', 'a.0', 'a.0.x'].filter((key) => key !== 'a.0'));
});

test.each([
  ['', 1, 'the text ends too early'],
  ['\n\n', 3, 'the text ends too early'],
  ['{\n"a": 1\n', 3, 'the text ends too early'],
  ['{\n"a": 1,\n}', 3, 'unexpected "}"'],
  ['{\n"a" 1}', 2, 'unexpected "1"'],
  ['{"a": 1}\n// done', 2, 'unexpected "/"'],
  ['{"a":\n01}', 2, 'unexpected "0"'],
  ['{"a":\n[1 2]}', 2, 'unexpected "2"'],
  ["{\n'a': 1}", 2, 'unexpected "\'"'],
  ['{"a":\n"tab\there"}', 2, 'unexpected "\\""'],
  ['[}', 1, 'unexpected "}"'],
  ['1\n2', 2, 'unexpected "2"'],
])('%j is refused at line %i', (broken, line, problem) => {
  expect(() => readJsonLines(broken, 'a.json')).toThrow(`a.json:${line}: ${problem}; expected valid JSON`);
});

test('depth is refused, not run into', () => {
  const open = '['.repeat(200_000);
  expect(() => readJsonLines(open, 'a.json')).toThrow('a.json:1: the text ends too early');
  expect(() => readJsonLines(open + ']'.repeat(200_000), 'a.json')).toThrow(
    'nested too deeply; expected at most 64 levels',
  );
  expect(readJsonLines('['.repeat(64) + ']'.repeat(64), 'a.json').lineOf([0, 0])).toBe(1);
});

test('whatever is cut out of JSON, the scan finds a line for it and nothing else is thrown', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }), (json, at, cut, put) => {
      const place = at % (json.length + 1);
      const changed = json.slice(0, place) + put + json.slice(place + cut);
      try {
        expect(readJsonLines(changed, 'a.json').value).toEqual(JSON.parse(changed.replace(/^\uFEFF/, '')));
      } catch (error) {
        expect(error).toBeInstanceOf(DocumentError);
        expect(() => JSON.parse(changed)).toThrow(SyntaxError);
      }
    }),
    { numRuns: 1000 },
  );
});
