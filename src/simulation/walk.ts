/** One run as chance leads it: from the start to an end, or as far as a walk may go. */

import type { Chart, Spot, Way } from './chart.ts';
import { drawItems } from './odds.ts';
import type { Random } from './random.ts';

/** Long before that, a run that gets anywhere has got there. */
export const stepsMax = 10_000;

export interface Witness {
  /** A role is sent off. */
  dispatched(role: string): void;
  /** A person gave a command or an answer. */
  acted(way: Way): void;
}

/** `stuck` where every signal would be refused, `unended` after `stepsMax` steps. */
export interface WalkEnd {
  readonly how: 'ended' | 'stuck' | 'unended';
  readonly at: Spot;
}

export function walk(chart: Chart, random: Random, witness: Witness): WalkEnd {
  let at = chart.start;
  for (let steps = 0; steps < stepsMax; steps += 1) {
    if (at.role !== null) witness.dispatched(at.role);
    const ways = chart.waysFrom(at);
    const way = ways.length > 1 ? pick(ways, random.fraction()) : ways[0];
    if (!way) return { how: at.kind === 'final' ? 'ended' : 'stuck', at };
    if (way.person !== null) witness.acted(way);
    at = chart.follow(way, way.load ? drawItems(way.load.odds, way.load.least, random) : 0);
  }
  return { how: 'unended', at };
}

/** The last one where rounding leaves a gap below 1. */
function pick(ways: readonly Way[], fraction: number): Way | undefined {
  return ways.find(({ upTo }) => fraction < upTo) ?? ways.at(-1);
}
