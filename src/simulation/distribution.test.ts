import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributionOf } from './distribution.ts';

test('computes mean, median, p90 and ends', () => {
  const numbers = Float64Array.from({ length: 10 }, (_, index) => 10 - index);
  expect(distributionOf(numbers, { whole: true })).toMatchObject({ mean: 5.5, least: 1, median: 5, p90: 9, most: 10 });
});

test('draws a thin tail as one bar without an upper end', () => {
  const numbers = new Float64Array(1_000).fill(3, 0, 500).fill(4, 500, 999).fill(900, 999);
  const { histogram } = distributionOf(numbers, { whole: true });
  expect(histogram).toEqual([
    { from: 3, below: 4, count: 500 },
    { from: 4, below: 5, count: 499 },
    { from: 5, below: null, count: 1 },
  ]);
});

test('makes few bars without gaps that hold every number once', () => {
  const numbers = fc.oneof(
    fc.array(fc.nat(500), { minLength: 1, maxLength: 300 }).map((values) => ({ values, whole: true })),
    fc
      .array(fc.double({ min: 0, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 300 })
      .map((values) => ({ values, whole: false })),
  );
  fc.assert(
    fc.property(numbers, ({ values, whole }) => {
      const { histogram } = distributionOf(Float64Array.from(values), { whole });
      expect(histogram.length).toBeLessThanOrEqual(15);
      expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      for (const [index, bar] of histogram.entries()) {
        expect(bar.below).toBe(histogram[index + 1]?.from ?? bar.below);
        // A hair's breadth at the edges: they are decimal, the numbers binary.
        const inside = values.filter(
          (value) => value >= bar.from * (1 - 1e-9) && (bar.below === null || value < bar.below * (1 + 1e-9)),
        );
        expect(inside.length).toBeGreaterThanOrEqual(bar.count);
      }
    }),
  );
});
