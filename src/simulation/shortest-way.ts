/**
 * How far it is from each situation to the end of a run, as the explored space shows it.
 *
 * People mostly know where they want to go: without other odds, they do what leads there soonest.
 */

import { leftIn, type Snapshot, type WorkList } from '../engine/snapshot.ts';
import { itemsMax } from '../verifier/edges.ts';
import { futureKeys } from '../verifier/liveness.ts';
import type { Situation, Space, SpaceStep } from '../verifier/space.ts';

/** Steps to the nearest end, when all goes well; infinite where none is known. `comes` tells which signals do at all. */
export function distanceToEnd(
  space: Space,
  comes: (state: string, signal: string) => boolean,
): (snapshot: Snapshot) => number {
  const { machine, situations } = space;
  const [start] = situations;
  if (!start) return () => Infinity;
  const before = new Map<Situation, SpaceStep[]>();
  for (const step of situations.flatMap(({ steps }) => steps)) {
    const { move, by, signal } = step.edge;
    if (!move || by === 'fault' || !comes(step.edge.state, signal)) continue;
    const known = before.get(step.to);
    if (known) known.push(step);
    else before.set(step.to, [step]);
  }
  const ends = situations.filter(({ state }) => machine.states[state]?.kind === 'final');
  const distances = new Map<Situation, number>(ends.map((end) => [end, 0]));
  for (const [situation, distance] of distances)
    for (const { from } of before.get(situation) ?? []) if (!distances.has(from)) distances.set(from, distance + 1);

  const keys = futureKeys(space.edges, start.values);
  const known = new Map([...distances].map(([{ values }, distance]) => [keys.of(values), distance]));
  return (snapshot) => known.get(keys.of(space.edges.variables.of(withinItemsMax(snapshot)))) ?? Infinity;
}

/** The space knows lists of so many items; a longer one leads the same ways. */
function withinItemsMax(snapshot: Snapshot): Snapshot {
  const lists = Object.entries(snapshot.lists);
  if (lists.every(([, list]) => leftIn(list) <= itemsMax)) return snapshot;
  const shortened = ([name, list]: [string, WorkList]): [string, WorkList] => [
    name,
    leftIn(list) <= itemsMax ? list : { items: list.items.slice(-itemsMax), done: [] },
  ];
  return { ...snapshot, lists: Object.fromEntries(lists.map(shortened)) };
}
