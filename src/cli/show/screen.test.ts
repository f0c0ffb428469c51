import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { screenOf, styleOf } from './screen.ts';

const utf8 = { LANG: 'en_GB.UTF-8', TERM: 'xterm' };
const terminal = (columns?: number) =>
  Object.assign(new PassThrough(), { isTTY: true, ...(columns !== undefined && { columns }) });

describe('colour', () => {
  test('on a terminal only', () => {
    expect(styleOf({ isTTY: true }, utf8).red('x')).toBe('\u001B[31mx\u001B[39m');
    expect(styleOf({}, utf8).red('x')).toBe('x');
  });

  test.each([
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '3', NO_COLOR: '1' }, false, true],
    [{ CLICOLOR_FORCE: '1' }, false, true],
    [{ CLICOLOR_FORCE: '0' }, false, false],
    [{ CLICOLOR_FORCE: '1', NO_COLOR: '1' }, true, false],
  ])('as %j says, on a terminal: %s', (env, isTTY, coloured) => {
    expect(styleOf({ isTTY }, { ...utf8, ...env }).red('x') !== 'x').toBe(coloured);
  });

  test.each([
    ['true', false],
    ['1', false],
    ['', true],
    ['0', true],
    ['false', true],
  ])('CI=%j: rows are redrawn: %s', (CI, live) => {
    expect(screenOf(Object.assign(new PassThrough(), { isTTY: true }), { ...utf8, CI }).live).toBe(live);
  });

  test('not with NO_COLOR, unless it is empty, nor on a dumb terminal', () => {
    expect(styleOf({ isTTY: true }, { ...utf8, NO_COLOR: '1' }).red('x')).toBe('x');
    expect(styleOf({ isTTY: true }, { ...utf8, NO_COLOR: '' }).red('x')).not.toBe('x');
    expect(styleOf({ isTTY: true }, { ...utf8, TERM: 'dumb' }).red('x')).toBe('x');
  });
});

test.each([
  [{ LANG: 'C.UTF-8' }, '✓'],
  [{ LANG: 'de_DE.utf8' }, '✓'],
  [{ LANG: 'C.UTF-8', LC_ALL: 'C' }, '+'],
  [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, '✓'],
  [{ LANG: 'C.UTF-8', LC_ALL: '' }, '✓'],
  [{ LANG: 'de_DE.ISO-8859-1' }, '+'],
])('with %j the mark for done is %s', (env, mark) => {
  expect(styleOf({}, env).symbols.done).toBe(mark);
});

describe('a screen', () => {
  test('can be redrawn on a terminal, colour or not', () => {
    expect(screenOf(terminal(), utf8).live).toBe(true);
    expect(screenOf(terminal(), { ...utf8, NO_COLOR: '1' }).live).toBe(true);
    expect(screenOf(terminal(), { ...utf8, TERM: 'dumb' }).live).toBe(false);
    expect(screenOf(new PassThrough(), utf8).live).toBe(false);
  });

  test('follows the size of its terminal, and is endless in a pipe', () => {
    const stream = terminal(120);
    const screen = screenOf(stream, utf8);
    expect(screen.columns()).toBe(120);
    Object.assign(stream, { columns: 40 });
    expect(screen.columns()).toBe(40);
    expect(screenOf(terminal(0), utf8).columns()).toBe(80);
    expect(screenOf(new PassThrough(), utf8).columns()).toBe(Infinity);
  });

  test('[change row 87] a reader that goes away does not end the run; other errors do', () => {
    const stream = new PassThrough();
    screenOf(stream, utf8);
    screenOf(stream, utf8);
    expect(stream.listenerCount('error')).toBe(1);
    stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(() => stream.emit('error', new Error('else'))).toThrow('else');
  });
});
