import { describe, expect, test } from 'vitest';
import { bar, barRows, percent } from './simulation.ts';
import { styleOf } from './screen.ts';
import { widthOf } from './text.ts';

const utf8 = styleOf({}, { LANG: 'C.UTF-8' });
const ascii = styleOf({}, { LANG: 'C' });

describe('a bar', () => {
  test.each([
    [0, ''],
    [0.5, '██'],
    [1, '████'],
    [0.531_25, '██▏'],
    [0.72, '██▉'],
    [0.000_1, '▏'],
  ])('of %d in four columns is "%s"', (share, drawn) => {
    expect(bar(share, 4, utf8.symbols.bar)).toBe(drawn);
  });

  test('is of # where the screen has no UTF-8', () => {
    expect(bar(0.5, 4, ascii.symbols.bar)).toBe('##');
    expect(bar(0.01, 4, ascii.symbols.bar)).toBe('#');
  });
});

test('rows are as wide as the room there is, labels and shares in line', () => {
  const rows = [
    { label: '1 - 9', count: 3 },
    { label: '10 and more', count: 1 },
  ];
  expect(barRows(rows, { style: ascii, columns: 30 })).toEqual([
    '      1 - 9  ########   75.0 %',
    '10 and more  ###        25.0 %',
  ]);
  for (const row of barRows(rows, { style: utf8, columns: 60 })) expect(widthOf(row)).toBe(60);
});

test.each([
  [0, '0 %'],
  [0.000_1, '<0.1 %'],
  [0.001, '0.1 %'],
  [0.256, '25.6 %'],
  [0.999_9, '>99.9 %'],
  [1, '100 %'],
])('a share of %d is %s', (share, text) => {
  expect(percent(share)).toBe(text);
});
