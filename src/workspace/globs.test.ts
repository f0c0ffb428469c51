import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globProblem, pathMatcher } from './globs.ts';

describe('what a glob means', () => {
  test.each([
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/a/b.md', false],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['docs/**/*.md', 'docs/a.md', true],
    ['docs/**/*.md', 'docs/a/b/c.md', true],
    ['docs/**/*.md', 'docs/a/b/c.txt', false],
    ['**/*.test.ts', 'src/a.test.ts', true],
    ['**/*.test.ts', 'src/a-test.ts', false],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/{a,b}.ts', 'src/c.ts', false],
    ['a?.md', 'ab.md', true],
    ['a?.md', 'a/.md', false],
    ['README.md', 'README.md', true],
    ['README.md', 'READMExmd', false],
    ['(a)+[b]', '(a)+[b]', true],
    ['docs/*', 'docs/ä ö.md', true],
  ])('%s, %s: %s', (glob, path, matches) => {
    expect(pathMatcher([glob])(path)).toBe(matches);
  });

  test('any of several; none without any', () => {
    expect(pathMatcher(['a.md', 'b.md'])('b.md')).toBe(true);
    expect(pathMatcher([])('b.md')).toBe(false);
  });

  test('a path without special characters matches itself only', () => {
    const path = fc.stringMatching(/^[a-z.+()[\]^$|-]{1,8}$/);
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(pathMatcher([one])(one)).toBe(true);
        expect(pathMatcher([one])(other)).toBe(one === other);
      }),
    );
  });
});

test.each([
  ['/etc/passwd', 'relative'],
  ['../outside', '..'],
  ['docs/../../x', '..'],
  ['a\\b', 'relative'],
  ['.git/**', '.git'],
  ['', 'empty'],
  ['a//b', '..'],
  ['{a,b', 'braces'],
  ['}a{', 'braces'],
])('%s is refused', (glob, says) => {
  expect(globProblem(glob)).toContain(says);
});

test.each(['docs/**', 'README.md', '**/*.{ts,md}'])('%s is fine', (glob) => {
  expect(globProblem(glob)).toBeNull();
});

test('[D29] a name with a line break is matched like any other', () => {
  expect(pathMatcher(['src/**'])('src/a\nb.mjs')).toBe(true);
  expect(pathMatcher(['**', '!agentd/**'])('agentd/a\nb.md')).toBe(false);
});

describe('attack 6.9: no glob takes long, whatever the path', () => {
  const long = `${'a/'.repeat(40)}b`;
  const word = 'a'.repeat(4_000);
  test.each([
    ['*'.repeat(200), `${long}!`, true],
    ['**/'.repeat(60) + 'x', `${long}!`, false],
    [`${'*'.repeat(30)}/x`, `${long}!`, false],
    [`${'*a'.repeat(30)}*b`, word, false],
    [`${'*a'.repeat(30)}*`, word, true],
    [`${'**a'.repeat(30)}**b`, word, false],
    [`${'**/a'.repeat(30)}/b`, `${'a/'.repeat(2_000)}c`, false],
    [`${'{a,a*}'.repeat(30)}b`, word, false],
    [`${'{'.repeat(30)}a${',a}'.repeat(30)}b`, word, false],
  ])('%s', (glob, path, isMatch) => {
    const started = performance.now();
    expect(pathMatcher([glob])(path)).toBe(isMatch);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

/** What it has to mean, by a regular expression of the same glob. */
function expressionOf(glob: string): RegExp {
  const meanings: Readonly<Record<string, string>> = {
    '**/': '(?:[^/]+/)*',
    '**': '.*',
    '*': '[^/]*',
    '?': '[^/]',
    '{': '(?:',
    '}': ')',
    ',': '|',
  };
  const source = glob.replaceAll(
    /\*\*\/|\*\*|[^]/g,
    (token) => meanings[token] ?? token.replaceAll(/[.+]/g, String.raw`\$&`),
  );
  return new RegExp(`^${source}$`, 's');
}

test('means what a regular expression of it means', () => {
  const piece = fc.constantFrom('a', 'b', '.', '/', '*', '**', '**/', '?', '{a,b}', '{a,{b*,**/c}}', '{,a}', 'é');
  const glob = fc
    .array(piece, { minLength: 1, maxLength: 6 })
    .map((pieces) => pieces.join(''))
    .filter((text) => !text.includes('***') && !text.includes('**/**'));
  const path = fc.array(fc.constantFrom('a', 'b', 'c', '.', '/', 'é'), { maxLength: 7 }).map((all) => all.join(''));
  fc.assert(
    fc.property(glob, path, (one, other) => {
      expect(pathMatcher([one])(other)).toBe(expressionOf(one).test(other));
    }),
    { numRuns: 5_000 },
  );
});
