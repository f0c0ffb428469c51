/**
 * Which situations have the same future, by what of their values is still read.
 *
 * Whatever is set again before anything looks at it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, return address, flags), with budgets and lists left open.
 */

import { areMet, type Edge, type Edges, type Condition } from './edges.ts';
import { Pairs } from './pairs.ts';
import { returnAt, stateAt, type Values } from './variables.ts';

interface ControlPoint {
  /** Of state, return address and flags. */
  readonly values: Values;
  /** By the place of a value: 1 if it is read. */
  readonly live: Uint8Array;
  /** Ways here, each with what it sets without looking at what was there. */
  readonly ways: { readonly from: ControlPoint; readonly sets: Uint8Array }[];
  /** Worked out when a situation is found here. */
  read: Read | null;
}

/** What a edge does to control points. */
interface Turn {
  readonly conditions: readonly Condition[];
  readonly reads: readonly number[];
  /** A state; -1 for the return address. */
  readonly to: number;
  readonly changes: Edge['effect']['sets'];
  /** By place: 1 if it is set without looking at what was there. */
  readonly sets: Uint8Array;
}

/** The places of what is read; the number is the same for all points of a state with the same places. */
interface Read {
  readonly places: readonly number[];
  readonly number: number;
}

/** What was found out; limits and lists make no difference to it. */
const known = new WeakMap<Edges, Map<string, FutureKeys>>();

/** `untilRest`: as far as a run gets without a person. */
export function futureKeys(edges: Edges, from: Values, untilRest = false): FutureKeys {
  const all = known.get(edges) ?? new Map<string, FutureKeys>();
  known.set(edges, all);
  const key = `${untilRest} ${from.slice(0, edges.variables.controls).join()}`;
  const keys = all.get(key) ?? new FutureKeys(edges, from, untilRest);
  all.set(key, keys);
  return keys;
}

/** Gives situations numbers, the same to those that have the same future. */
export class FutureKeys {
  readonly #edges: Edges;
  readonly #untilRest: boolean;
  readonly #points = new Map<number, ControlPoint>();
  readonly #open: ControlPoint[] = [];
  /** By state. */
  readonly #turns: (readonly Turn[])[] = [];
  readonly #controls = new Pairs();
  readonly #keys = new Pairs();
  readonly #numbers = new Map<string, number>();

  constructor(edges: Edges, from: Values, untilRest: boolean) {
    this.#edges = edges;
    this.#untilRest = untilRest;
    this.#find(from.slice(0, edges.variables.controls));
    for (let point = this.#open.pop(); point; point = this.#open.pop()) this.#follow(point);
    const grown = [...this.#points.values()];
    for (let point = grown.pop(); point; point = grown.pop())
      for (const { from: before, sets } of point.ways) if (isGrown(before.live, point.live, sets)) grown.push(before);
  }

  of(values: Values): number {
    const point = this.#points.get(this.#controlOf(values));
    // Where no run gets to, nothing but the state is known.
    if (!point) return this.#keys.of(-2, values[stateAt] ?? 0);
    const { places, number } = (point.read ??= this.#readAt(point));
    let key = this.#keys.of(number, -1);
    for (const place of places) key = this.#keys.of(key, values[place] ?? 0);
    return key;
  }

  #controlOf(values: Values): number {
    let control = values[stateAt] ?? 0;
    for (let place = returnAt; place < this.#edges.variables.controls; place += 1)
      control = this.#controls.of(control, values[place] ?? 0);
    return control;
  }

  #find(values: Values): ControlPoint {
    const control = this.#controlOf(values);
    const found = this.#points.get(control);
    if (found) return found;
    const live = new Uint8Array(this.#edges.variables.size);
    const point: ControlPoint = { values, live, ways: [], read: null };
    this.#points.set(control, point);
    this.#open.push(point);
    return point;
  }

  #follow(point: ControlPoint): void {
    const { values, live } = point;
    const state = values[stateAt] ?? 0;
    const worked = this.#edges.workedThrough(state);
    if (worked !== -1) live[worked] = 1;
    for (const { conditions, reads, to, changes, sets } of (this.#turns[state] ??= this.#turnsFrom(state))) {
      if (!areMet(conditions, values)) continue;
      for (const place of reads) live[place] = 1;
      const target = to === -1 ? (values[returnAt] ?? 0) - 1 : to;
      if (target === -1) continue;
      const next = values.slice();
      next[stateAt] = target;
      for (const { place, value } of changes) next[place] = value;
      this.#find(next).ways.push({ from: point, sets });
    }
  }

  /** Those that differ: what a signal is called, and how many items it brings, makes no difference here. */
  #turnsFrom(state: number): readonly Turn[] {
    const { edges } = this.#edges.from(state);
    return edges
      .filter(({ by, twin, loaded }) => !twin && (loaded?.items ?? 1) === 1 && !(this.#untilRest && by === 'person'))
      .map((edge) => this.#turn(edge));
  }

  #turn({ move, conditions, effect }: Edge): Turn {
    const { controls, size } = this.#edges.variables;
    const { to, needs, budgets } = effect;
    const sets = new Uint8Array(size);
    for (const { place } of effect.sets) sets[place] = 1;
    for (const { place, renewed } of budgets) if (renewed) sets[place] = 1;
    const own = [...(needs === -1 ? [] : [needs]), ...(to === -1 ? [returnAt] : [])];
    return {
      conditions: conditions.filter(({ place }) => place < controls),
      reads: [...conditions.map(({ place }) => place), ...(move ? own : [])],
      to,
      changes: effect.sets.filter(({ place }) => place < controls),
      sets,
    };
  }

  #readAt({ values, live }: ControlPoint): Read {
    const places = [...live.keys()].filter((place) => live[place] === 1);
    const key = `${values[stateAt]} ${places.join()}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return { places, number };
  }
}

/** Adds what is live after a way and not set on it; whether that was anything new. */
function isGrown(live: Uint8Array, after: Uint8Array, sets: Uint8Array): boolean {
  let isNew = false;
  for (let place = 0; place < live.length; place += 1)
    if (after[place] === 1 && sets[place] === 0 && live[place] === 0) {
      live[place] = 1;
      isNew = true;
    }
  return isNew;
}
