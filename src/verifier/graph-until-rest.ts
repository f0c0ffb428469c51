/** The ways without a person, from what a person did to where the run rests. */

import type { Unfolded } from './unfolded.ts';
import type { Space } from './space.ts';

/** Nodes are classes with what is left of budgets there, in an order in which each comes after those it leads to. */
export interface Graph {
  readonly nodeAt: (situation: number, code: number) => number;
  /** By node: its role, and where its edges begin; that also for one node more. */
  readonly roles: readonly number[];
  readonly first: readonly number[];
  /** By edge: the node it leads to, and what it takes. */
  readonly to: readonly number[];
  readonly taking: readonly number[];
}

const unseen = -1;
const open = -2;

/** Undefined when there is a circle. */
export function graphUntilRest({ starts }: Space, { ways, size, start, after, entries }: Unfolded): Graph | undefined {
  const { classes } = ways;
  const roles: number[] = [];
  const first: number[] = [0];
  const to: number[] = [];
  const taking: number[] = [];
  const nodes = new Int32Array(classes.examples.length * size).fill(unseen);
  const next = new Int32Array(nodes.length);
  const placeOf = (situation: number, code: number): number => (classes.of[situation] ?? 0) * size + code;
  const placeAfter = (code: number, way: number): number => {
    const left = ways.starting[way] === -1 ? (after[ways.touching[way] ?? 0]?.[code] ?? -1) : -1;
    return left < 0 ? -1 : placeOf(ways.to[way] ?? 0, left);
  };
  const visit = (root: number): boolean => {
    const path = nodes[root] === unseen ? [root] : [];
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const example = classes.examples[Math.floor(place / size)] ?? 0;
      const begin = ways.first[example] ?? 0;
      const way = begin + (next[place] ?? 0);
      nodes[place] = open;
      if (way < (ways.first[example + 1] ?? 0)) {
        next[place] = way + 1 - begin;
        const target = placeAfter(place % size, way);
        if (nodes[target] === open) return false;
        if (nodes[target] === unseen) path.push(target);
        continue;
      }
      for (let each = begin; each < way; each += 1) {
        const target = placeAfter(place % size, each);
        if (target < 0) continue;
        to.push(nodes[target] ?? 0);
        taking.push(ways.taking[each] ?? 0);
      }
      first.push(to.length);
      nodes[place] = roles.push(classes.roles[Math.floor(place / size)] ?? -1) - 1;
      path.pop();
    }
    return true;
  };
  const roots = [
    ...starts.map(({ number }) => placeOf(number, start)),
    ...[...entries.values()].flatMap((all) => all.map(({ way, code }) => placeOf(ways.to[way] ?? 0, code))),
  ];
  if (!roots.every(visit)) return undefined;
  return { nodeAt: (situation, code) => nodes[placeOf(situation, code)] ?? 0, roles, first, to, taking };
}
