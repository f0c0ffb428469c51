/** The assumptions of a simulation about agents, checks and people. */

import { faults, type Machine } from '../engine/machine.ts';
import { rolesOf } from '../verifier/receivable.ts';
import type { Random } from './random.ts';

export interface Odds {
  /**
   * Relative frequency of each signal of a state; one that is not named does not come.
   * At rest, without weights, the person takes the shortest path to the end.
   */
  readonly weights: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly items: Readonly<Record<string, ItemOdds>>;
  /** The probability of each fault of a dispatch. */
  readonly faults: Readonly<Record<string, number>>;
  readonly roles: Readonly<Record<string, Taking>>;
}

/** The number of items a list is loaded with. */
export type ItemOdds = Readonly<Record<'mean' | 'most', number>>;

/** Cost and time of a dispatch of a role; null where unknown. */
export type Taking = Readonly<Record<'costUsd' | 'ms', Spread | null>>;
export type Spread = Readonly<Record<'least' | 'typical' | 'most', number>>;

export const unknownTaking: Taking = { costUsd: null, ms: null };
export const usualItems: ItemOdds = { mean: 2, most: 5 };
/** The share of dispatches that end in a fault, all kinds of them together. */
export const usualFaultShare = 0.02;

/** Nothing is known: signals come equally often, faults are rare and of every kind. */
export function equalOdds(machine: Machine): Odds {
  const working = Object.entries(machine.states).filter(([, { kind }]) => kind === 'dispatch' || kind === 'check');
  return {
    weights: Object.fromEntries(
      working.map(([state]) => [state, Object.fromEntries((machine.signals[state] ?? []).map((name) => [name, 1]))]),
    ),
    items: Object.fromEntries(machine.lists.map((list) => [list, usualItems])),
    faults: Object.fromEntries(faults.map((fault) => [fault, usualFaultShare / faults.length])),
    roles: Object.fromEntries(rolesOf(machine).map((role) => [role, unknownTaking])),
  };
}

/** Binomial between `least` and `most`: a bounded number with the mean that was asked for. */
export function drawItems({ mean, most }: ItemOdds, least: number, random: Random): number {
  if (most <= least) return least;
  const chance = (mean - least) / (most - least);
  let items = least;
  for (let trial = least; trial < most; trial += 1) if (random.fraction() < chance) items += 1;
  return items;
}

/** Triangular: from `least` to `most`, with its peak at `typical`. */
export function drawSpread({ least, typical, most }: Spread, random: Random): number {
  const width = most - least;
  const fraction = random.fraction();
  if (width === 0) return least;
  const below = (typical - least) / width;
  return fraction < below
    ? least + Math.sqrt(fraction * width * (typical - least))
    : most - Math.sqrt((1 - fraction) * width * (most - typical));
}
