/**
 * Which situations have the same future, by what of their values is still read.
 *
 * Whatever is set again before anything looks at it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, return address, flags), with budgets and lists left open.
 */

import { holds, valuesAfter, type Branch, type Branches } from './branches.ts';
import { Pairs } from './pairs.ts';
import { returnAt, stateAt, type Values } from './variables.ts';

interface ControlPoint {
  /** Those of budgets and lists mean nothing. */
  readonly values: Values;
  /** By the place of a value: 1 if it is read. */
  readonly live: Uint8Array;
  /** Ways here, each with what it sets without looking at what was there. */
  readonly ways: { readonly from: ControlPoint; readonly sets: Uint8Array }[];
  /** Worked out when a situation is found here. */
  read: Read | null;
}

/** The places of what is read; the number is the same for all points of a state with the same places. */
interface Read {
  readonly places: readonly number[];
  readonly number: number;
}

/** What was found out; limits and lists make no difference to it. */
const known = new WeakMap<Branches, Map<string, FutureKeys>>();

/** `untilRest`: as far as a run gets without a person. */
export function futureKeys(branches: Branches, from: Values, untilRest = false): FutureKeys {
  const all = known.get(branches) ?? new Map<string, FutureKeys>();
  known.set(branches, all);
  const key = `${untilRest} ${from.slice(0, branches.variables.controls).join()}`;
  const keys = all.get(key) ?? new FutureKeys(branches, from, untilRest);
  all.set(key, keys);
  return keys;
}

/** Gives situations numbers, the same to those that have the same future. */
export class FutureKeys {
  readonly #branches: Branches;
  readonly #untilRest: boolean;
  readonly #points = new Map<number, ControlPoint>();
  readonly #open: ControlPoint[] = [];
  /** By branch. */
  readonly #sets: Uint8Array[] = [];
  readonly #controls = new Pairs();
  readonly #keys = new Pairs();
  readonly #numbers = new Map<string, number>();

  constructor(branches: Branches, from: Values, untilRest: boolean) {
    this.#branches = branches;
    this.#untilRest = untilRest;
    this.#find(from);
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
    for (let place = returnAt; place < this.#branches.variables.controls; place += 1)
      control = this.#controls.of(control, values[place] ?? 0);
    return control;
  }

  #find(values: Values): ControlPoint {
    const control = this.#controlOf(values);
    const found = this.#points.get(control);
    if (found) return found;
    const live = new Uint8Array(values.length);
    const point: ControlPoint = { values, live, ways: [], read: null };
    this.#points.set(control, point);
    this.#open.push(point);
    return point;
  }

  #follow(point: ControlPoint): void {
    const { values, live } = point;
    const state = values[stateAt] ?? 0;
    const worked = this.#branches.workedThrough(state);
    if (worked !== -1) live[worked] = 1;
    for (const { by, branches } of this.#branches.from(state))
      for (const branch of by === 'person' && this.#untilRest ? [] : branches) {
        // How many items are loaded makes no difference here.
        if (branch.twin || (branch.loaded?.items ?? 1) !== 1 || !this.#isPossible(branch, values)) continue;
        for (const { place } of branch.conditions) live[place] = 1;
        const { needs, to } = branch.effect;
        if (!branch.move) continue;
        if (needs !== -1) live[needs] = 1;
        if (to === -1) live[returnAt] = 1;
        if (to === -1 && values[returnAt] === 0) continue;
        this.#find(valuesAfter(branch, values, [])).ways.push({ from: point, sets: this.#setBy(branch) });
      }
  }

  /** As far as flags are asked. */
  #isPossible({ conditions }: Branch, values: Values): boolean {
    const { controls } = this.#branches.variables;
    return conditions.every((condition) => condition.place >= controls || holds(condition, values));
  }

  #setBy({ number, effect }: Branch): Uint8Array {
    const found = this.#sets[number];
    if (found) return found;
    const sets = new Uint8Array(this.#branches.variables.size);
    for (const { place } of effect.sets) sets[place] = 1;
    for (const { place, renewed } of effect.budgets) if (renewed) sets[place] = 1;
    this.#sets[number] = sets;
    return sets;
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
