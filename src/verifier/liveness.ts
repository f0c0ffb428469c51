/**
 * Which snapshots have the same future, by the budgets, flags, lists and return address that it still reads.
 *
 * Whatever is set again before anything looks at it makes no difference: leaving it out keeps the explored space
 * small and exact.
 */

import type { Machine } from '../engine/machine.ts';
import { leftIn, type Snapshot } from '../engine/snapshot.ts';
import { ControlPoints, type Control, type ControlPoint, type LivenessOptions } from './control-points.ts';
import { Pairs } from './pairs.ts';

/** What is live, by kind; the number is the same for all points of a state where the same is. */
interface Read {
  readonly number: number;
  readonly budgets: readonly string[];
  readonly flags: readonly string[];
  readonly lists: readonly string[];
  readonly returns: boolean;
}

/** What was found out, by machine: limits and lists make no difference to it. */
const found = new WeakMap<Machine, Map<string, FutureKeys>>();

export function futureKeys(machine: Machine, from: Snapshot, options: LivenessOptions = {}): FutureKeys {
  const known = found.get(machine) ?? new Map<string, FutureKeys>();
  found.set(machine, known);
  const key = JSON.stringify([from.state, from.flags, from.returnTo, options]);
  const keys = known.get(key) ?? new FutureKeys(new ControlPoints(machine, from, options));
  known.set(key, keys);
  return keys;
}

/** Gives snapshots numbers, the same to those with the same future. */
export class FutureKeys {
  readonly #points: ControlPoints;
  readonly #reads = new Map<ControlPoint | string, Read>();
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new Pairs();

  constructor(points: ControlPoints) {
    this.#points = points;
  }

  of(snapshot: Snapshot): number {
    const { number, budgets, flags, lists, returns } = this.#readFrom(snapshot);
    let key = this.#pairs.of(number, -1);
    for (const budget of budgets) key = this.#pairs.of(key, snapshot.budgets[budget] ?? 0);
    for (const flag of flags) key = this.#pairs.of(key, this.#points.numberOf(snapshot.flags[flag]));
    for (const list of lists) key = this.#pairs.of(key, leftIn(snapshot.lists[list]));
    return returns ? this.#pairs.of(key, this.#points.numberOf(snapshot.returnTo)) : key;
  }

  /** Where no run gets to, nothing but the state is known. */
  #readFrom(control: Control): Read {
    const point = this.#points.at(control) ?? control.state;
    const known = this.#reads.get(point);
    if (known) return known;
    const live = typeof point === 'string' ? [] : this.#points.names.filter((_, name) => point.live[name] === 1);
    const whole = `${control.state} ${live.join()}`;
    const number = this.#numbers.get(whole) ?? this.#numbers.size;
    this.#numbers.set(whole, number);
    const named = (kind: string): readonly string[] =>
      live.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
    const read = {
      number,
      budgets: named('budget:'),
      flags: named('flag:'),
      lists: named('list:'),
      returns: live.includes('return'),
    };
    this.#reads.set(point, read);
    return read;
  }
}
