/**
 * Most dispatches of a run from where it is until it rests; asked before every command, so it must be quick.
 *
 * A list that is under way counts by what is left of it; a long one is worked out from short ones, like those that
 * are yet to be loaded. What is left of an item's budgets and what they are renewed to are two different numbers.
 */

import type { Machine } from '../engine/machine.ts';
import { leftIn, type Snapshot, type WorkList } from '../engine/snapshot.ts';
import { itemsMax } from './edges.ts';
import { addFormulas } from './formula.ts';
import { labelOfStart } from './longest-paths.ts';
import { pathLengths } from './path-lengths.ts';
import { explore } from './space.ts';
import type { WorstCase } from './worst-case.ts';

type Dispatches = Pick<WorstCase, 'dispatches' | 'withFaults'>;
type Left = Readonly<Record<string, number>>;

/** Null when there is no such number. */
export function dispatchesFrom(machine: Machine, from: Snapshot): Dispatches | null {
  const left = Object.fromEntries(Object.entries(from.lists).map(([name, list]) => [name, leftIn(list)]));
  const long = Object.keys(left).filter((name) => (left[name] ?? 0) > itemsMax);
  const short = (size: number): Left => ({ ...left, ...Object.fromEntries(long.map((name) => [name, size])) });
  const twos = long.map((name) => ({ ...short(1), [name]: 2 }));
  const found = eachFrom(machine, from, long.length === 0 ? [left] : [short(1), short(itemsMax), ...twos]);
  const [one, three, ...others] = found ?? [];
  if (!one || !three) return one ?? null;
  const grown = (itemsOf: (list: string) => number): Dispatches => {
    const times = long.map((list) => itemsOf(list) - 1);
    const sum = (key: keyof Dispatches): Dispatches[typeof key] =>
      addFormulas([
        [1 - times.reduce((total, each) => total + each, 0), one[key]],
        ...others.map((two, at) => [times[at] ?? 0, two[key]] as const),
      ]);
    return { dispatches: sum('dispatches'), withFaults: sum('withFaults') };
  };
  const isEven = JSON.stringify(grown(() => itemsMax)) === JSON.stringify(three);
  return isEven ? grown((list) => left[list] ?? 0) : null;
}

/** For each of several numbers of items left; one exploration for all of them. */
function eachFrom(machine: Machine, from: Snapshot, lefts: readonly Left[]): readonly Dispatches[] | null {
  const starts = lefts.map((left) => {
    const lists = Object.entries(from.lists).map(([name, list]) => [name, resized(list, left[name] ?? 0)] as const);
    return { ...from, lists: Object.fromEntries(lists), data: {} };
  });
  const space = explore(machine, { from: starts[0] ?? from, beside: starts.slice(1), untilRest: true });
  const counts = [from.limits, from.budgets].flatMap((all) => space.symbolic.map((name) => all[name] ?? 0));
  const lengths = space.unexplored > 0 ? undefined : pathLengths(space, counts);
  const formulas = lengths && [lengths.formulas(false), lengths.formulas(true)];
  const found: Dispatches[] = [];
  for (const start of starts.keys()) {
    const [dispatches, withFaults] = formulas?.map((formula) => formula(labelOfStart(start))) ?? [];
    if (!dispatches || !withFaults) return null;
    found.push({ dispatches, withFaults });
  }
  return found;
}

/** A list with so many items, none of which waits for another. */
function resized(list: WorkList, size: number): WorkList {
  return { items: list.items.slice(0, size).map(({ id }) => ({ id, after: [] })), done: [] };
}
