/**
 * What a number comes to at any limits of the budgets of an item, worked out from small ones.
 *
 * Counting four budgets of three each exactly multiplies every situation by 256. Attempts add up instead: one more of
 * a kind adds the same way round again. So all are measured at one (those that are none at none), because the first
 * attempt of one kind may open a way on which others are renewed, and each alone at two. Where there is little to
 * count, it is counted.
 */

import type { Space } from './space.ts';
import type { Counts } from './unfolded.ts';

type Measure = (limits: Counts) => number;

export function atLimits(limits: Counts): (measure: Measure) => number {
  const ones = atMostOne(limits);
  const more = Object.entries(limits).flatMap(([name, limit]) =>
    limit > 1 ? [{ times: limit - 1, twos: { ...ones, [name]: 2 } }] : [],
  );
  return (measure) => {
    const base = measure(ones);
    return more.reduce((sum, { times, twos }) => sum + times * (measure(twos) - base), base);
  };
}

export function atMostOne(limits: Counts): Counts {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Math.min(limit, 1)]));
}

const nodesMax = 100_000;

/** Whether all that can be left of the budgets can simply be counted. */
export function isFew({ situations }: Space, limits: readonly number[]): boolean {
  return limits.reduce((product, limit) => product * (limit + 1), situations.length) <= nodesMax;
}
