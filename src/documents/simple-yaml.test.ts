import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseSimpleYaml } from './simple-yaml.ts';

const STATE = `# made by pawl
change_id: add-login
schema_version: "2.0"
created_at: 2026-11-15T09:01:17.000Z
updated_at: "2026-11-15T09:01:17Z"   # changes often
phase: proposed
verdict: null
iteration: 1
cost: -0.25
checksums:
  agentd/changes/add-login/proposal.md:
    hash: "sha256:00ff"
    validated_at: 2026-11-15T09:01:17Z
validations: []
telemetry:
  calls:
  - step: proposal
    model: gemini-2.5-pro
    tokens_in: 1200
    cost_usd: 0.03

  - step: challenge
    model:
  totals: {}
`;

const PROPOSAL = `id: add-login
type: proposal
summary: Adds a login (with e-mail), keeps sessions - nothing else
impact:
  scope: minor
  affected_files: 3
affected_specs:
  - id: login
    path: specs/login.md
    depends: []
  - id: session
    path: specs/session.md
    depends: [login, "user store", a:b, 1.5]
tags:
- one
- 'two'
-
  nested: true
`;

describe('the documents of the spec are read without the yaml package', () => {
  test.each([
    ['state', STATE],
    ['proposal', PROPOSAL],
    [
      'task',
      'id: "1.10"\naction: CREATE\nstatus: pending\nfile: src/a.ts\nspec_ref: "login:R1"\ndepends_on: ["1.1", "1.2"]\n',
    ],
    ['unquoted reference', 'spec_ref: login:R1\nurl: http://example.com/#a\n'],
    ['empty', ''],
    ['only comments', '# a\n\n  # b\n'],
    ['no final newline', 'a: 1\nb: x'],
    ['indented', '  a: 1\n  b:\n    - x\n'],
  ])('%s', (_, text) => {
    const value = parseSimpleYaml(text);
    expect(value).not.toBeUndefined();
    expect(value).toEqual(parse(text));
  });

  test('numbers as text keep what was written', () => {
    const text = 'id: 1.10\ndepends_on: [1.1, 2, "3"]\nlist:\n  - 1.20\nyes: true\nnone: null\n';
    expect(parseSimpleYaml(text, { numbersAsText: true })).toEqual({
      id: '1.10',
      depends_on: ['1.1', '2', '3'],
      list: ['1.20'],
      yes: true,
      none: null,
    });
    expect(parseSimpleYaml('a: 007', { numbersAsText: true })).toBeUndefined();
  });
});

test.each([
  ['anchor', 'a: &x 1'],
  ['alias', 'a: *x'],
  ['tag', 'a: !!str 1'],
  ['block scalar', 'a: |\n  text\n'],
  ['folded scalar', 'a: >-\n  text\n'],
  ['plain over two lines', 'a: b\n  c\n'],
  ['quoted over two lines', 'a: "b\n  c"\n'],
  ['escape', 'a: "b\\nc"'],
  ['doubled quote', "a: 'it''s'"],
  ['tab', 'a:\tb'],
  ['carriage return', 'a: b\r\n'],
  ['duplicate key', 'a: 1\na: 2'],
  ['duplicate key, quoted', 'a: 1\n"a": 2'],
  ['flow map', 'a: {b: 1}'],
  ['explicit key', '? a\n: b'],
  ['document marker', '---\na: 1'],
  ['document end', 'a: 1\n...\n'],
  ['directive', '%YAML 1.1\n---\na: 1'],
  ['infinity', 'a: .inf'],
  ['octal', 'a: 0o17'],
  ['hexadecimal', 'a: 0xff'],
  ['exponent', 'a: 1e3'],
  ['leading zero', 'a: 007'],
  ['very long number', 'a: 12345678901234567890'],
  ['scalar document', 'hello'],
  ['flow document', '{"a": 1}'],
  ['nested flow', 'a: [[1]]'],
  ['flow over lines', 'a: [1,\n  2]'],
  ['nested dash', '- - a'],
  ['colon in value', 'a: b: c'],
  ['colon at the end', 'a: b:'],
  ['text behind a quote', 'a: "b" c'],
  ['comment glued to a quote', 'a: "b"#c'],
  ['wrong indentation', 'a:\n    b: 1\n  c: 2'],
  ['dedent below the first line', '  a: 1\nb: 2'],
  ['number key', '1: a'],
  ['word key', 'null: a'],
  ['merge key', '<<: a'],
  ['prototype', '__proto__: a'],
  ['item in a map', 'a: 1\n- b'],
  ['BOM', '\ufeffa: 1'],
])('Y2: %s is left to the yaml package', (_, text) => {
  expect(parseSimpleYaml(text)).toBeUndefined();
});

/** Y1, for a text of any kind: right or wrong YAML. */
function agrees(text: string): boolean {
  const value = parseSimpleYaml(text);
  if (value === undefined) return false;
  expect(value, JSON.stringify(text)).toStrictEqual(parse(text, { logLevel: 'error' }));
  return true;
}

describe('Y1: what is read is what yaml reads', () => {
  test('stringified JSON', () => {
    let read = 0;
    const key = fc.oneof(
      { weight: 9, arbitrary: fc.stringMatching(/^[a-z_][a-z0-9_./-]{0,9}$/) },
      { weight: 1, arbitrary: fc.string() },
    );
    const leaf = fc.oneof(
      { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z0-9 ,.:'#-]{0,12}$/) },
      { weight: 1, arbitrary: fc.string() },
      { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)) },
    );
    const { tree } = fc.letrec<{ tree: unknown; map: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, tie('map'), fc.array(tie('tree'), { maxLength: 3 })),
      map: fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 5 }), (value) => {
        if (agrees(stringify(value))) read++;
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(500);
  });

  test('attack 6.3: lines of a grammar, well or badly put together', () => {
    let read = 0;
    const scalar = fc.constantFrom(
      'a',
      'b c',
      '"q"',
      "'s'",
      '1',
      '1.10',
      '-3',
      '0',
      '-0',
      '007',
      '+1',
      '.5',
      '1.',
      '1e3',
      'true',
      'Null',
      '~',
      'no',
      '[]',
      '{}',
      '[a, "b"]',
      '[ a , 1.0 ]',
      '[a,]',
      '[-]',
      '[-a]',
      '[?a]',
      '[a b]',
      '[a:b, c]',
      '[a: b]',
      '[a#b]',
      '[a #b]',
      '[:a]',
      '[*a]',
      '[.]',
      'x: y',
      'x:',
      ':x',
      ':',
      '-',
      '- a',
      '-a',
      '?a',
      '? a',
      'a:b',
      '# c',
      'a # c',
      'a#c',
      '"q" # c',
      '"q" x',
      '"a: b"',
      '"a":',
      '&a',
      '|',
      '>',
      '%a',
      '@a',
      '`a',
      '2026-01-01',
      '2026-11-15T09:01:17Z',
      '12:30:45',
      '0x1',
      '.inf',
      '.nan',
      '...',
      '---',
      '=',
      '<<',
      '/a/b',
      '(x)',
      '$x',
      '^',
      '\u00a0',
      'a\u00a0',
      'é',
      '',
      ' ',
      '  ',
    );
    const key = fc.constantFrom('a', 'b', 'c', 'd/e.f', 'x-y', '"k"', "'l'", '"a"', 'true', 'a b', '1', '');
    const indent = fc.constantFrom('', '', '', '  ', '  ', '    ', ' ');
    const dash = fc.constantFrom('', '', '', '- ', '-   ', '-');
    const separator = fc.constantFrom(': ', ': ', ': ', ':', ':   ', ' : ');
    const line = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(indent, dash, key, separator, scalar) },
      { weight: 2, arbitrary: fc.tuple(indent, key, fc.constant(':')) },
      { weight: 2, arbitrary: fc.tuple(indent, fc.constant('- '), scalar) },
      { weight: 1, arbitrary: fc.tuple(indent, fc.constantFrom('', '# comment', '-', '---', '...')) },
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.boolean(), (lines, newline) => {
        if (agrees(lines.map((parts) => parts.join('')).join('\n') + (newline ? '\n' : ''))) read++;
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(300);
  });

  test('attack 6.3: noise', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ab1.-:#[]{}\'", \n~&*!?|>é\u00a0'), maxLength: 14 });
    fc.assert(
      fc.property(noise, (text) => void agrees(text)),
      { numRuns: 20_000 },
    );
    fc.assert(
      fc.property(noise, (text) => void agrees(`a: ${text}`)),
      { numRuns: 20_000 },
    );
  });
});
