/**
 * What of a snapshot makes a difference to a run, as a list of numbers: its state, its return address, its flags, its
 * budgets, and how much is left of each list. Budgets that are left open are not among them.
 */

import type { Machine } from '../engine/machine.ts';
import { leftIn, type Snapshot } from '../engine/snapshot.ts';

export type Values = readonly number[];

export const stateAt = 0;
/** One higher than the state's number; 0 is none. */
export const returnAt = 1;

export class Variables {
  readonly states: readonly string[];
  readonly flags: readonly string[];
  readonly budgets: readonly string[];
  readonly lists: readonly string[];
  readonly #flagValues = new Map<string | undefined, number>();

  /** `open`: the budgets that are left open. */
  constructor({ states, flags, budgets, lists }: Machine, open: readonly string[]) {
    this.states = Object.keys(states);
    this.flags = Object.keys(flags);
    this.budgets = Object.keys(budgets).filter((name) => !open.includes(name));
    this.lists = lists;
  }

  /** Those of a control point come first: state, return address and flags. */
  get controls(): number {
    return returnAt + 1 + this.flags.length;
  }

  get size(): number {
    return this.controls + this.budgets.length + this.lists.length;
  }

  /** Where the value is; -1 if nowhere. */
  placeOf(kind: 'flags' | 'budgets' | 'lists', name: string): number {
    const place = this[kind].indexOf(name);
    if (place === -1) return -1;
    if (kind === 'flags') return returnAt + 1 + place;
    return kind === 'budgets' ? this.controls + place : this.controls + this.budgets.length + place;
  }

  /** Of a flag's value. */
  numberOf(value: string | undefined): number {
    const number = this.#flagValues.get(value) ?? this.#flagValues.size;
    this.#flagValues.set(value, number);
    return number;
  }

  of({ state, returnTo, flags, budgets, lists }: Snapshot): Values {
    return [
      this.states.indexOf(state),
      returnTo === null ? 0 : this.states.indexOf(returnTo) + 1,
      ...this.flags.map((name) => this.numberOf(flags[name])),
      ...this.budgets.map((name) => budgets[name] ?? 0),
      ...this.lists.map((name) => leftIn(lists[name])),
    ];
  }
}
