import { describe, expect, test } from 'vitest';
import { DocumentError } from './document-error.ts';
import { readYamlLines } from './yaml.ts';

const text = `# a comment
name: small
roles:
  worker: { agent: claude,
            writes: [a, b] }
states:
  work:
    on:
      done:
        - { to: a }
        - to: b
          spend: x
  "quoted": yes
7: seven
`;

describe('the line of everything', () => {
  const { value, lineOf } = readYamlLines(text, 'w.yaml');

  test('values are those of the core schema: yes is a text', () => {
    expect(value).toMatchObject({ name: 'small', states: { quoted: 'yes' } });
  });

  test.each<[readonly (string | number)[], number | null]>([
    [[], null],
    [['name'], 2],
    [['roles'], 3],
    [['roles', 'worker'], 4],
    [['roles', 'worker', 'writes'], 5],
    [['roles', 'worker', 'writes', 1], 5],
    [['states', 'work', 'on', 'done'], 9],
    [['states', 'work', 'on', 'done', 0], 10],
    [['states', 'work', 'on', 'done', 1], 11],
    [['states', 'work', 'on', 'done', 1, 'spend'], 12],
    [['states', 'quoted'], 13],
    [['7'], 14],
  ])('%j is on line %j', (path, line) => {
    expect(lineOf(path)).toBe(line);
  });

  test.each<[readonly (string | number)[], number | null]>([
    [['missing'], null],
    [['roles', 'missing', 'agent'], 3],
    [['states', 'work', 'on', 'done', 7, 'to'], 9],
    [['name', 'inner'], 2],
    [['states', 'work', 'missing'], 7],
  ])('what is missing is looked for where it should stand: %j, line %j', (path, line) => {
    expect(lineOf(path)).toBe(line);
  });
});

describe('what is not YAML', () => {
  test.each([
    ['a: [1\n', 'w.yaml:2: '],
    ['a: 1\n\tb: 2\n', 'w.yaml:2: '],
    ['a: 1\nb: 2\na: 3\n', 'w.yaml:3: Map keys must be unique'],
    ['a: 1\n---\nb: 2\n', 'w.yaml:2: '],
    ['a: *nowhere\n', 'w.yaml: Unresolved alias'],
  ])('%j is refused with its line', (broken, message) => {
    const read = () => readYamlLines(broken, 'w.yaml');
    expect(read).toThrow(DocumentError);
    expect(read).toThrow(message);
  });

  test('aliases that unfold without end', () => {
    const bomb = `a: &a [1]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n`;
    expect(() => readYamlLines(bomb, 'w.yaml')).toThrow(DocumentError);
  });

  test('an empty text is null', () => {
    expect(readYamlLines('', 'w.yaml').value).toBe(null);
  });
});
