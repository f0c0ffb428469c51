/** The steps of a space as numbers, as far as they make a difference to a worst case. */

import { isRenewed } from '../engine/transition.ts';
import type { Edge } from './edges.ts';
import { classesOf, type Classes } from './classes.ts';
import type { Space } from './space.ts';

/** Ways are numbers: those from a situation are from `first[situation]` on and below `first[situation + 1]`. */
export interface WayNumbers {
  readonly first: Int32Array;
  /** By way: the situations it is from and leads to, and its edge. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly by: Int32Array;
  /** By way: its number among the takes, the touches, and the starts; -1 where no person is needed. */
  readonly taking: Int32Array;
  readonly touching: Int32Array;
  readonly starting: Int32Array;
  readonly takes: readonly Take[];
  readonly touches: readonly Touch[];
  readonly starts: readonly Start[];
}

export interface Ways extends WayNumbers {
  readonly classes: Classes;
}

/** When a way can be taken at all. */
export type Take = Pick<Edge, 'by' | 'loaded'>;

/** What a way has to do with the open budgets, each by its place among them. */
export interface Touch {
  /** Whether there must be some, or none; null when it does not matter. */
  readonly needs: readonly (boolean | null)[];
  readonly effects: readonly Effect[];
}

export interface Effect {
  readonly renewed: boolean;
  /** By a person, to one at least. */
  readonly filled: boolean;
  readonly plus: number;
}

/** What a person did, with so much left of each list. */
export interface Start extends Pick<Edge, 'loaded'> {
  readonly label: string;
  readonly left: readonly number[];
}

/** Refused steps lead nowhere and are left out, and so are those that differ from another in their name only. */
export function waysOf(space: Space): Ways {
  const edges = space.edges.all;
  const takes = new Numbers<Take>();
  const takeOf = edges.map(({ by, loaded }) => takes.of({ by, loaded }));
  const touches = new Numbers<Touch>();
  const touchOf = edges.map((edge) => touches.of(touchedBy(space, edge)));
  const starts = new Numbers<Start>();
  const first = new Int32Array(space.situations.length + 1);
  const column = (): Int32Array => new Int32Array(space.to.length);
  const [from, to, by, taking, touching, starting] = [column(), column(), column(), column(), column(), column()];
  let way = 0;
  const { size, lists } = space.edges.variables;
  for (const { number, values } of space.situations) {
    const left = values.slice(size - lists.length);
    for (let step = space.first[number] ?? 0; step < (space.first[number + 1] ?? 0); step += 1) {
      const edge = edges[space.by[step] ?? 0];
      if (!edge?.move || (edge.twin?.by === edge.by && edge.label === null)) continue;
      const { label, loaded } = edge;
      const take = takeOf[edge.number] ?? 0;
      from[way] = number;
      to[way] = space.to[step] ?? 0;
      by[way] = edge.number;
      taking[way] = take;
      touching[way] = touchOf[edge.number] ?? 0;
      starting[way] = label === null ? -1 : starts.of({ label, loaded, left }, `${label} ${take} ${left.join()}`);
      way += 1;
    }
    first[number + 1] = way;
  }
  const numbered = { takes: takes.all, touches: touches.all, starts: starts.all };
  const ways = { first, from, to, by, taking, touching, starting, ...numbered };
  return { ...ways, classes: classesOf(space, ways) };
}

/** Gives things numbers, the same to those that are the same. */
class Numbers<T> {
  readonly all: T[] = [];
  readonly #known = new Map<string, number>();

  of(thing: T, key = JSON.stringify(thing)): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}

function touchedBy({ machine, open }: Space, { signal, move, assumed }: Edge): Touch {
  return {
    needs: open.map((name) => (assumed[name] === undefined ? null : assumed[name] > 0)),
    effects: open.map((name) => ({
      renewed: move !== null && isRenewed('item', machine, signal, move),
      filled: move?.renew === name,
      plus: (move?.grant === name ? 1 : 0) - (move?.spend === name ? 1 : 0),
    })),
  };
}
