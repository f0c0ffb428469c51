/** Every row of the attack table has an outcome at each level and, unless it is a known limit at all, a test. */

import { expect, test } from 'vitest';
import { attackAreas, outcomesOf } from '../../scripts/attack-table.mjs';
import { citedIn } from '../citations.ts';

const rows = attackAreas().flatMap((area) => area.rows);
const outcomes = ['prevented', 'detected', 'restored', 'reported', 'possible'];
/** Rows in each area of the review. */
const sizes = [33, 30, 18, 6, 10, 9, 4, 6];

test('the rows are those of the review, in order', () => {
  const ids = sizes.flatMap((size, area) => Array.from({ length: size }, (_, at) => `${area + 1}.${at + 1}`));
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test.each(rows)('row $id has an outcome at each level, and a reason exactly where it is possible', (row) => {
  const known = new Set(['id', 'title', 'none', 'files', 'files+network', 'reason']);
  expect(Object.keys(row).filter((key) => !known.has(key))).toEqual([]);
  for (const outcome of outcomesOf(row)) expect(outcomes).toContain(outcome);
  expect(row.reason !== undefined).toBe(outcomesOf(row).includes('possible'));
});

/** `attack 1.33`, or several: `attack 1.20, 1.21`. */
const cited = new Map<string, readonly string[]>();
for (const [list, files] of citedIn(/\battack (\d\.\d+(?:, \d\.\d+)*)/g))
  for (const id of list.split(', ')) cited.set(id, [...(cited.get(id) ?? []), ...files]);

test('tests cite every row that is not a known limit at all levels', () => {
  const held = rows.filter((row) => outcomesOf(row).some((outcome) => outcome !== 'possible'));
  expect(held.filter(({ id }) => !cited.has(id)).map(({ id, title }) => `${id} ${title}`)).toEqual([]);
});

test('tests in boxes cite every row whose outcome a sandbox changes', () => {
  const boxed = rows.filter((row) => new Set(outcomesOf(row)).size > 1);
  const isBoxed = ({ id }: { id: string }): boolean =>
    cited.get(id)?.some((file) => file.startsWith('test/sandbox/')) ?? false;
  expect(boxed.filter((row) => !isBoxed(row)).map(({ id, title }) => `${id} ${title}`)).toEqual([]);
});

test('tests cite no row that does not exist', () => {
  const known = new Set(rows.map(({ id }) => id));
  expect([...cited].filter(([id]) => !known.has(id))).toEqual([]);
});
