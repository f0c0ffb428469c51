import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

test('shows what was added, removed and changed, with a little around it', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
  const after = 'one\ntwo\n3\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
  expect(lineDiff(before, after)).toEqual([
    ' one',
    ' two',
    '-three',
    '+3',
    ' four',
    ' five',
    '…',
    ' eight',
    ' nine',
    '+ten',
  ]);
});

test('nothing differs, nothing is shown', () => {
  expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([]);
});

test('a new text is all additions', () => {
  expect(lineDiff('', 'a\nb\n')).toEqual(['+a', '+b']);
});

test('what is shown as removed was there, what is shown as added is there, each as often as shown', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const diff = lineDiff(before.map((line) => `${line}\n`).join(''), after.map((line) => `${line}\n`).join(''));
      const count = (lines: readonly string[], line: string): number => lines.filter((one) => one === line).length;
      for (const letter of ['a', 'b', 'c', 'd']) {
        expect(count(after, letter) - count(before, letter)).toBe(
          count(diff, `+${letter}`) - count(diff, `-${letter}`),
        );
        expect(count(diff, `-${letter}`)).toBeLessThanOrEqual(count(before, letter));
      }
    }),
  );
});
