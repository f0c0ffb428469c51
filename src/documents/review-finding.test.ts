import { expect, test } from 'vitest';
import { check } from '../schema/schema.ts';
import { applyEdit, isSame, repeatedFindings, reviewFinding, routeOf, type ReviewFinding } from './review-finding.ts';

const base: ReviewFinding = {
  class: 'production',
  severity: 'BLOCK',
  file: 'src/csv.ts',
  symbol: 'quote',
  line: 10,
  title: 'Commas are not quoted',
  detail: 'See RFC 4180.',
};
const { symbol: _symbol, line: _line, ...whole } = base;
const byLine = { ...whole, line: 10 };

test.each<[string, ReviewFinding, ReviewFinding]>([
  ['the same', base, base],
  ['other severity and detail', base, { ...base, severity: 'NEEDS WORK', detail: 'x' }],
  ['another spelling of the title', base, { ...base, title: ' commas  are `NOT` quoted. ' }],
  ['the same symbol on another line', base, { ...base, line: 99 }],
  ['the symbol with parentheses', base, { ...base, symbol: '`quote()`', line: 99 }],
  ['three lines below', byLine, { ...byLine, line: 13 }],
  ['three lines above, with another symbol', base, { ...base, symbol: 'other', line: 7 }],
  ['a line against symbol and line', byLine, { ...base, line: 12 }],
  ['the whole file', whole, { ...whole, file: './src/csv.ts' }],
])('is the same finding: %s', (_, a, b) => {
  expect([isSame(a, b), isSame(b, a)]).toEqual([true, true]);
});

test.each<[string, ReviewFinding, ReviewFinding]>([
  ['another class', base, { ...base, class: 'test' }],
  ['another file', base, { ...base, file: 'src/tsv.ts' }],
  ['another title', base, { ...base, title: 'Quotes are not doubled' }],
  ['four lines below', byLine, { ...byLine, line: 14 }],
  ['another symbol without lines', { ...whole, symbol: 'a' }, { ...whole, symbol: 'b' }],
  ['the whole file and a line', whole, byLine],
  ['a symbol and a line', { ...whole, symbol: 'quote' }, byLine],
  ['titles of other scripts', { ...base, title: 'кавычки' }, { ...base, title: 'запятые' }],
  ['titles of signs only', { ...base, title: '!!' }, { ...base, title: '??' }],
])('is another finding: %s', (_, a, b) => {
  expect([isSame(a, b), isSame(b, a)]).toEqual([false, false]);
});

test('finds what was reported before', () => {
  const other = { ...base, title: 'other' };
  expect(repeatedFindings([base], [other, { ...base, line: 11 }])).toEqual([{ ...base, line: 11 }]);
  expect(repeatedFindings([], [base])).toEqual([]);
});

test('[issue/verdicts/order] plan-level findings go first, then test, production, cosmetic', () => {
  const all = (['cosmetic', 'production', 'test', 'plan-level'] as const).map((each) => ({ class: each }));
  expect([4, 3, 2, 1, 0].map((count) => routeOf(all.slice(0, count)))).toEqual([
    'plan-level',
    'test',
    'production',
    'cosmetic',
    null,
  ]);
});

test('applies an edit whose text occurs exactly once', () => {
  expect(applyEdit('a teh b', { before: 'teh', after: 'the' })).toBe('a the b');
  expect(applyEdit('a $& b', { before: '$&', after: '$1$&' })).toBe('a $1$& b');
  expect(applyEdit('teh teh', { before: 'teh', after: 'the' })).toBeNull();
  expect(applyEdit('aaa', { before: 'aa', after: 'b' })).toBeNull();
  expect(applyEdit('x', { before: 'teh', after: 'the' })).toBeNull();
  expect(applyEdit('x', { before: '', after: 'the' })).toBeNull();
});

test('reads a finding as models write it', () => {
  const given = { ...base, class: 'Plan level', severity: 'needs_work', symbol: null, suggested_edit: null };
  expect(check(reviewFinding, given)).toMatchObject({ value: { class: 'plan-level', severity: 'NEEDS WORK' } });
});

test.each([
  ['an unknown class', { class: 'style' }, 'class'],
  ['an edit that changes nothing', { suggested_edit: { before: 'a', after: 'a' } }, 'after'],
  ['an edit of nothing', { suggested_edit: { before: '', after: 'a' } }, 'before'],
])('refuses a finding with %s', (_, change, key) => {
  const { mistakes } = { mistakes: [], ...check(reviewFinding, { ...base, ...change }) };
  expect(mistakes.map(({ path }: { path: readonly unknown[] }) => path.at(-1))).toEqual([key]);
});
