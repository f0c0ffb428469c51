import { describe, expect, test } from 'vitest';
import { drawItems, drawSpread } from './odds.ts';
import { Random, randomsOf, splitMix64 } from './random.ts';

const seed = 20_260_301;

test('xoshiro128** gives the numbers of the reference implementation', () => {
  const random = new Random([1, 2, 3, 4]);
  const numbers = Array.from({ length: 10 }, () => random.uint32());
  expect(numbers).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

test('SplitMix64 gives the numbers of the reference implementation', () => {
  const next = splitMix64(1_234_567n);
  expect([next(), next(), next(), next(), next()]).toEqual([
    6457827717110365317n,
    3203168211198807973n,
    9817491932198370423n,
    4593380528125082431n,
    16408922859458223821n,
  ]);
});

test('a seed gives the same numbers again, another seed others, and each source its own', () => {
  const first = (from: number): number[][] =>
    randomsOf(from, 2).map((random) => Array.from({ length: 4 }, () => random.uint32()));
  expect(first(seed)).toEqual(first(seed));
  expect(first(seed)).not.toEqual(first(seed + 1));
  expect(first(seed)[0]).not.toEqual(first(seed)[1]);
});

describe(`drawn with seed ${seed}`, () => {
  const draws = 20_000;
  const drawn = (draw: (random: Random) => number): { mean: number; least: number; most: number } => {
    const [random] = randomsOf(seed, 1);
    const numbers = Array.from({ length: draws }, () => draw(random!));
    return {
      mean: numbers.reduce((sum, number) => sum + number, 0) / draws,
      least: Math.min(...numbers),
      most: Math.max(...numbers),
    };
  };

  test('fractions fill the numbers from 0 to 1 evenly', () => {
    const { mean, least, most } = drawn((random) => random.fraction());
    expect(mean).toBeCloseTo(0.5, 1);
    expect(least).toBeGreaterThanOrEqual(0);
    expect(least).toBeLessThan(0.001);
    expect(most).toBeLessThan(1);
    expect(most).toBeGreaterThan(0.999);
  });

  test.each([
    [{ mean: 2, most: 5 }, 1, 2],
    [{ mean: 2, most: 5 }, 0, 2],
    [{ mean: 0.5, most: 5 }, 1, 1],
    [{ mean: 3, most: 3 }, 0, 3],
    [{ mean: 0, most: 0 }, 1, 1],
  ])('items of %j, at least %d, come to %d on average', (odds, least, expected) => {
    const found = drawn((random) => drawItems(odds, least, random));
    expect(Math.abs(found.mean - expected)).toBeLessThan(0.03);
    expect(found.least).toBeGreaterThanOrEqual(least);
    expect(found.most).toBeLessThanOrEqual(Math.max(odds.most, least));
  });

  test.each([
    [{ least: 1, typical: 2, most: 6 }, 3],
    [{ least: 0, typical: 0, most: 3 }, 1],
    [{ least: 2, typical: 5, most: 5 }, 4],
    [{ least: 7, typical: 7, most: 7 }, 7],
  ])('a spread of %j has its mean at %d', (spread, mean) => {
    const found = drawn((random) => drawSpread(spread, random));
    expect(Math.abs(found.mean - mean)).toBeLessThan(0.03);
    expect(found.least).toBeGreaterThanOrEqual(spread.least);
    expect(found.most).toBeLessThanOrEqual(spread.most);
  });
});
