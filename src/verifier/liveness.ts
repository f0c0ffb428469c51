/**
 * Which values lead to the same future, by the variables that are still read.
 *
 * Whatever is set again before anything reads it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, return address, flags), for any budgets and lists.
 */

import { areMet, type Edge, type Edges, type Condition } from './edges.ts';
import { Pairs } from './pairs.ts';
import { returnAt, stateAt, type Values } from './variables.ts';

interface ControlPoint {
  /** Of state, return address and flags. */
  readonly values: Values;
  /** By the index of a variable: 1 if it is read. */
  readonly live: Uint8Array;
  /** Steps to here, each with the variables it sets without reading them. */
  readonly sources: { readonly from: ControlPoint; readonly sets: Uint8Array }[];
  /** The indices of the live variables, and a number for these; worked out when a state is found here. */
  reads: { readonly indices: readonly number[]; readonly number: number } | null;
}

/** The changes of an edge to a control point. */
interface Turn {
  readonly conditions: readonly Condition[];
  readonly reads: readonly number[];
  /** A state; -1 for the return address. */
  readonly to: number;
  readonly changes: Edge['effect']['sets'];
  /** By index: 1 if it is set without being read. */
  readonly sets: Uint8Array;
}

/** Limits and lists make no difference to them. */
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

/** Numbers values, with the same number for those that have the same future. */
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
      for (const { from: before, sets } of point.sources) if (grow(before.live, point.live, sets)) grown.push(before);
  }

  of(values: Values): number {
    const point = this.#points.get(this.#controlOf(values));
    // Of values that no run has, nothing but the state is known.
    if (!point) return this.#keys.of(-2, values[stateAt] ?? 0);
    const { indices, number } = (point.reads ??= this.#readAt(point));
    let key = this.#keys.of(number, -1);
    for (const index of indices) key = this.#keys.of(key, values[index] ?? 0);
    return key;
  }

  #controlOf(values: Values): number {
    let control = values[stateAt] ?? 0;
    for (let index = returnAt; index < this.#edges.variables.controls; index += 1)
      control = this.#controls.of(control, values[index] ?? 0);
    return control;
  }

  #find(values: Values): ControlPoint {
    const control = this.#controlOf(values);
    const found = this.#points.get(control);
    if (found) return found;
    const live = new Uint8Array(this.#edges.variables.size);
    const point: ControlPoint = { values, live, sources: [], reads: null };
    this.#points.set(control, point);
    this.#open.push(point);
    return point;
  }

  #follow(point: ControlPoint): void {
    const { values, live } = point;
    const state = values[stateAt] ?? 0;
    const worked = this.#edges.workedThrough(this.#edges.variables.states[state] ?? '');
    if (worked !== -1) live[worked] = 1;
    for (const { conditions, reads, to, changes, sets } of (this.#turns[state] ??= this.#turnsFrom(state))) {
      if (!areMet(conditions, values)) continue;
      for (const index of reads) live[index] = 1;
      const target = to === -1 ? (values[returnAt] ?? 0) - 1 : to;
      if (target === -1) continue;
      const next = values.slice();
      next[stateAt] = target;
      for (const { index, value } of changes) next[index] = value;
      this.#find(next).sources.push({ from: point, sets });
    }
  }

  /** Those that differ: the name of a signal, and how many items it brings, make no difference here. */
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
    for (const { index } of effect.sets) sets[index] = 1;
    for (const { index, renewed } of budgets) if (renewed) sets[index] = 1;
    const own = [...(needs === -1 ? [] : [needs]), ...(to === -1 ? [returnAt] : [])];
    return {
      conditions: conditions.filter(({ index }) => index < controls),
      reads: [...conditions.map(({ index }) => index), ...(move ? own : [])],
      to,
      changes: effect.sets.filter(({ index }) => index < controls),
      sets,
    };
  }

  #readAt({ values, live }: ControlPoint): NonNullable<ControlPoint['reads']> {
    const indices = [...live.keys()].filter((index) => live[index] === 1);
    const key = `${values[stateAt]} ${indices.join()}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return { indices, number };
  }
}

/** Adds the variables that are live after a step and not set by it; whether there was a new one. */
function grow(live: Uint8Array, after: Uint8Array, sets: Uint8Array): boolean {
  let isNew = false;
  for (let index = 0; index < live.length; index += 1)
    if (after[index] === 1 && sets[index] === 0 && live[index] === 0) {
      live[index] = 1;
      isNew = true;
    }
  return isNew;
}
