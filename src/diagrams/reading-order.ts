/** The order a workflow is read in: what the first command sets off, where that comes to rest, what the next one sets off. */

import { isRest, type Diagram, type DiagramState } from './diagram.ts';

/** A place for each state; a way to an earlier place is a way back. */
export function readingOrder(diagram: Diagram): ReadonlyMap<string, number> {
  const parts = partsOf(diagram);
  const depth = depthFirst(diagram);
  const before = (one: DiagramState, other: DiagramState): number =>
    (parts.get(one.name) ?? 0) - (parts.get(other.name) ?? 0) ||
    (depth.get(one.name) ?? 0) - (depth.get(other.name) ?? 0);
  return new Map(diagram.states.toSorted(before).map(({ name }, place) => [name, place]));
}

/** Areas have even numbers, the rests an area leads to the odd one after it. */
function partsOf({ initial, commands, states, ways }: Diagram): ReadonlyMap<string, number> {
  const areaOf = new Map(states.map(({ name, area }) => [name, area]));
  const parts = new Map<string, number>();
  for (const { name, area } of states) if (area !== null) parts.set(name, 2 * commands.indexOf(area));
  for (const state of states.filter(isRest)) {
    const leading = ways.filter(({ from, to }) => to.includes(state.name) && areaOf.get(from) !== null);
    const first = Math.min(...leading.map(({ from }) => parts.get(from) ?? 0), 2 * commands.length);
    parts.set(state.name, state.name === initial ? -1 : first + 1);
  }
  return parts;
}

/** Every state after those that lead to it, as far as there is no way back; the first way of a table is the usual one. */
function depthFirst({ initial, states, ways }: Diagram): ReadonlyMap<string, number> {
  const finished: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const next = ways.filter(({ from, by, leads }) => from === name && by !== 'fault' && leads === 'on');
    for (const { to } of next) for (const each of to) visit(each);
    finished.push(name);
  };
  for (const name of [initial, ...states.map((state) => state.name)]) visit(name);
  return new Map(finished.toReversed().map((name, place) => [name, place]));
}
