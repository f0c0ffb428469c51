import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { barredBy, resolveInside, UnsafePath } from './safe-paths.ts';

let top: string;
let root: string;

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'pawl-paths-'));
  root = join(top, 'root');
  mkdirSync(join(root, 'real'), { recursive: true });
  mkdirSync(join(top, 'outside'));
  symlinkSync(join(top, 'outside'), join(root, 'out'));
  symlinkSync(join(root, 'real'), join(root, 'in'));
  symlinkSync(join(top, 'nowhere'), join(root, 'dangling'));
  symlinkSync('../..', join(root, 'real', 'up'));
});
afterAll(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));

describe('resolveInside', () => {
  test.each(['a', 'a/b.md', 'new/folder/file', 'real/x', 'in/x', 'a b/ü/…', '..a/b..', 'out'])('takes %j', (path) => {
    expect(resolveInside(root, path)).toBe(join(root, path));
  });

  test.each([
    '',
    '.',
    '..',
    '/etc/passwd',
    'a/../../b',
    'a//b',
    'a/',
    './a',
    'a\0b',
    'a\nb',
    'a/\u007f',
    'out/x',
    'out/new/x',
  ])('refuses %j', (path) => {
    expect(() => resolveInside(root, path)).toThrow(UnsafePath);
  });

  test.each(['dangling/x', 'real/up/x'])('refuses a symlink that leads out, or could: %j', (path) => {
    expect(() => resolveInside(root, path)).toThrow(/symlink that leads outside/);
  });

  test('no path whatsoever leaves the root', () => {
    const segment = fc.oneof(fc.constantFrom('..', '.', '', 'a', 'real', 'out', 'in', 'up'), fc.string());
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        try {
          expect(resolveInside(root, segments.join('/')).startsWith(root + sep)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafePath);
        }
      }),
    );
  });
});

describe('barredBy', () => {
  beforeAll(() => writeFileSync(join(root, 'real', 'file'), ''));

  test.each(['x', 'new/folder/x', 'real/x', 'in/new/x', 'out'])('nothing bars %j', (path) => {
    expect(barredBy(root, path)).toBeNull();
  });

  test.each([
    ['out/x', 'out'],
    ['dangling/y/x', 'dangling'],
    ['real/up/x', 'real/up'],
    ['real/file/x', 'real/file'],
  ])('%j is barred by %j', (path, by) => {
    expect(barredBy(root, path)?.path).toBe(by);
  });
});
