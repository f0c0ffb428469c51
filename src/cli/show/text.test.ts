import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { screenOf } from './screen.ts';
import {
  aligned,
  cut,
  jsonText,
  padEnd,
  padStart,
  plainLine,
  plainText,
  screenSafe,
  widthOf,
  wrapped,
} from './text.ts';

const red = (text: string) => `\u001B[31m${text}\u001B[39m`;

describe('foreign text cannot steer the terminal', () => {
  test.each([
    ['colour', '\u001B[31mred\u001B[0m', 'red'],
    ['cursor and clearing', 'a\u001B[2J\u001B[10Ab', 'ab'],
    ['a window title', '\u001B]0;owned\u0007text', 'text'],
    ['carriage return and tab', 'one\rtwo\tthree', 'one two three'],
    ['bell, backspace, C1', 'a\u0007b\u0008c\u009Bd', 'abcd'],
    ['right-to-left override', 'safe\u202Egnp.exe', 'safegnp.exe'],
    ['a line break', 'one\n\n two ', 'one two'],
  ])('%s', (_name, text, shown) => {
    expect(plainLine(text)).toBe(shown);
  });

  test('of several lines, the lines stay', () => {
    expect(plainText('a\r\n\tb\u001B[1m\u0007\rc\n\n')).toBe('a\n    b\nc');
  });

  test('attack 2.21: whatever comes, no control character is left', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x2100 })), (codes) => {
        const text = String.fromCodePoint(...codes);
        expect(plainLine(text)).not.toMatch(/\p{Cc}/u);
        expect(plainText(text).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

test.each([
  ['plain', 5],
  ['日本', 4],
  ['한글', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['a\u200Bb', 2],
  ['🎉!', 3],
  ['→…✓', 3],
  ['ｗ', 2],
  [red('five5'), 5],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

describe('cut', () => {
  test('leaves what fits, marks what does not, and closes colour', () => {
    expect(cut('abcdef', 6, '…')).toBe('abcdef');
    expect(cut('abcdef', 5, '…')).toBe('abcd…');
    expect(cut('日本語', 5, '…')).toBe('日本…');
    expect(cut('日本語', 4, '…')).toBe('日…');
    expect(cut(red('abcdef'), 3, '…')).toBe('\u001B[31mab…\u001B[0m');
    expect(cut('abc', 1, '...')).toBe('');
  });

  test('never gives more columns than asked for', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string().map(red));
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, width) => {
        expect(widthOf(cut(text, width, '…'))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrapped', () => {
  test('breaks at spaces and keeps the indentation', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('  one two', 6)).toEqual(['  one', '  two']);
    expect(wrapped('unbreakable', 4)).toEqual(['unbreakable']);
  });

  test('loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (list, width) => {
        expect(wrapped(list.join(' '), width).join(' ')).toBe(list.join(' '));
      }),
    );
  });
});

test('cells line up by what is seen', () => {
  expect(padEnd(red('ab'), 4)).toBe(`${red('ab')}  `);
  expect(padStart('日', 4)).toBe('  日');
  expect(
    aligned([
      ['a', 'long', 'x'],
      ['日本', 'b'],
    ]),
  ).toEqual(['a     long  x', '日本  b']);
});

describe('attack 2.13, 2.14, 5.7, 5.8: foreign text cannot steer a terminal', () => {
  const hostile = '\u001B]0;title\u0007\u001B[2J\u001B]52;c;aGk=\u0007\u009B31m\u202Eevil\u001B[8mhidden\b\r\u001B[1A';
  test('nothing but our colours, line ends and tabs is left', () => {
    const shown = screenSafe(`\u001B[31mred\u001B[39m\t${hostile}\nnext`);
    expect(shown.startsWith('\u001B[31mred\u001B[39m\t')).toBe(true);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    expect(shown.slice(13)).not.toMatch(/[\0-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(shown).toContain('evil');
    expect(shown.endsWith('\nnext')).toBe(true);
  });

  test('JSON keeps its value', () => {
    const text = jsonText({ hostile });
    expect(JSON.parse(text)).toEqual({ hostile });
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    expect(text).not.toMatch(/[\0-\u001F\u007F-\u009F\u202E]/);
  });

  test('every screen writes so', () => {
    const written: string[] = [];
    const stream = {
      isTTY: true,
      columns: 80,
      write: (text: string) => written.push(text),
      on: () => {},
      listenerCount: () => 1,
    };
    screenOf(stream, {}).write(hostile);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    expect(written.join('')).not.toMatch(/[\0-\u001F\u007F-\u009F\u202E]/);
  });
});
