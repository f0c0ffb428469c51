/**
 * Most dispatches of a run from where it is until it rests; asked before every command, so it must be quick.
 *
 * A list that is under way counts by what is left of it; a long one is worked out from short ones, like those that
 * are yet to be loaded. What is left of an item's budgets and what they are renewed to are two different numbers.
 */

import type { Machine } from '../engine/machine.ts';
import { leftIn, type Snapshot, type WorkList } from '../engine/snapshot.ts';
import { atLimits, isFew } from './at-limits.ts';
import { itemsMax } from './edges.ts';
import { fitFormula, type Formula } from './formula.ts';
import { LongestWays } from './longest-ways.ts';
import { explore, type Space } from './space.ts';
import { unfold, type Counts } from './unfolded.ts';
import { waysOf } from './ways.ts';
import type { WorstCase } from './worst-case.ts';

type Most = Pick<WorstCase, 'dispatches' | 'withFaults'>;

/** Null when there is no such number. */
export function dispatchesFrom(machine: Machine, from: Snapshot): Most | null {
  const left = Object.fromEntries(Object.entries(from.lists).map(([name, list]) => [name, leftIn(list)]));
  const long = Object.keys(left).filter((name) => (left[name] ?? 0) > itemsMax);
  const short = (size: number): Counts => ({ ...left, ...Object.fromEntries(long.map((name) => [name, size])) });
  const twos = long.map((name) => ({ ...short(1), [name]: 2 }));
  const most = mostFrom(machine, from, long.length === 0 ? [left] : [short(1), short(itemsMax), ...twos]);
  const [one, three, ...others] = most ?? [];
  if (!one || !three) return one ?? null;
  let sum = one;
  let even = one;
  for (const [at, two] of others.entries()) {
    sum = grown(sum, one, two, (left[long[at] ?? ''] ?? 0) - 1);
    even = grown(even, one, two, itemsMax - 1);
  }
  return JSON.stringify(even) === JSON.stringify(three) ? sum : null;
}

/** So many times what the second is more than the first. */
function grown(sum: Most, one: Most, two: Most, times: number): Most {
  const each = (base: Formula, from: Formula, to: Formula): Formula => ({
    constant: base.constant + times * (to.constant - from.constant),
    perItem: Object.fromEntries(
      Object.entries(base.perItem).map(([list, amount]) => [
        list,
        amount + times * ((to.perItem[list] ?? 0) - (from.perItem[list] ?? 0)),
      ]),
    ),
  });
  return {
    dispatches: each(sum.dispatches, one.dispatches, two.dispatches),
    withFaults: each(sum.withFaults, one.withFaults, two.withFaults),
  };
}

/** For each of several numbers of items left; one exploration for all of them. */
function mostFrom(machine: Machine, from: Snapshot, lefts: readonly Counts[]): readonly Most[] | null {
  const starts = lefts.map((left) => {
    const lists = Object.entries(from.lists).map(([name, list]) => [name, resized(list, left[name] ?? 0)] as const);
    return { ...from, lists: Object.fromEntries(lists), data: {} };
  });
  const space = explore(machine, { from: starts[0] ?? from, beside: starts.slice(1), untilRest: true });
  if (space.unexplored > 0) return null;
  const longest = longestFrom(space);
  const found: Most[] = [];
  for (const start of starts.keys()) {
    const fit = (faults: boolean): Formula | undefined =>
      fitFormula(machine.lists, (sizes) => longest(start, faults, sizes), itemsMax);
    const [dispatches, withFaults] = [fit(false), fit(true)];
    if (!dispatches || !withFaults || !Number.isFinite(withFaults.constant)) return null;
    found.push({ dispatches, withFaults });
  }
  return found;
}

/** A list with so many items, none of which waits for another. */
function resized(list: WorkList, size: number): WorkList {
  return { items: list.items.slice(0, size).map(({ id }) => ({ id, after: [] })), done: [] };
}

function longestFrom(space: Space): (start: number, faults: boolean, sizes: Counts) => number {
  const [start] = space.situations;
  const ways = waysOf(space);
  const known = new Map<string, LongestWays | undefined>();
  const at = (counts: Counts): LongestWays | undefined => {
    const key = Object.values(counts).join();
    const named = (kind: string): Counts =>
      Object.fromEntries(space.open.map((name) => [name, counts[`${kind} ${name}`] ?? 0]));
    if (!known.has(key))
      known.set(key, LongestWays.of(space, unfold(space, ways, { limits: named('limit'), left: named('left') })));
    return known.get(key);
  };
  const counts: Counts = Object.fromEntries(
    space.open.flatMap((name) => [
      [`limit ${name}`, start?.snapshot.limits[name] ?? 0],
      [`left ${name}`, start?.snapshot.budgets[name] ?? 0],
    ]),
  );
  const most = space.open.map((name) => Math.max(counts[`limit ${name}`] ?? 0, counts[`left ${name}`] ?? 0));
  const sum: ReturnType<typeof atLimits> = isFew(space, most) ? (measure) => measure(counts) : atLimits(counts);
  return (from, faults, sizes) =>
    sum((some) => at(some)?.longestFrom(from, { weigh: () => 1, faults, sizes }) ?? Infinity);
}
