/**
 * The part of a snapshot that decides what a run can do, as a list of numbers: its state, its return address, its flags,
 * its budgets, and how much is left of each list. Symbolic budgets are not among them.
 */

import type { Machine } from '../engine/machine.ts';
import { leftIn, type Snapshot } from '../engine/snapshot.ts';
import { remembered } from './pairs.ts';

export type Values = readonly number[];

export const stateAt = 0;
/** One higher than the state's number; 0 is none. */
export const returnAt = 1;

/** Of all machines, so that the values of two explorations of one machine can be compared. */
const flagNumbers = new Map<string | undefined, number>();

export function flagNumber(value: string | undefined): number {
  return remembered(flagNumbers, value, () => flagNumbers.size);
}

export class Variables {
  readonly states: readonly string[];
  readonly flags: readonly string[];
  readonly budgets: readonly string[];
  readonly lists: readonly string[];
  /** The number of variables of a control point, which come first: state, return address and flags. */
  readonly controls: number;
  readonly size: number;

  constructor({ states, flags, budgets, lists }: Machine, symbolic: readonly string[]) {
    this.states = Object.keys(states);
    this.flags = Object.keys(flags);
    this.budgets = Object.keys(budgets).filter((name) => !symbolic.includes(name));
    this.lists = lists;
    this.controls = returnAt + 1 + this.flags.length;
    this.size = this.controls + this.budgets.length + this.lists.length;
  }

  /** Its index; -1 if it has none. */
  indexOf(kind: 'flags' | 'budgets' | 'lists', name: string): number {
    const index = this[kind].indexOf(name);
    if (index === -1) return -1;
    if (kind === 'flags') return returnAt + 1 + index;
    return this.controls + index + (kind === 'budgets' ? 0 : this.budgets.length);
  }

  of({ state, returnTo, flags, budgets, lists }: Snapshot): Values {
    return [
      this.states.indexOf(state),
      returnTo === null ? 0 : this.states.indexOf(returnTo) + 1,
      ...this.flags.map((name) => flagNumber(flags[name])),
      ...this.budgets.map((name) => budgets[name] ?? 0),
      ...this.lists.map((name) => leftIn(lists[name])),
    ];
  }
}
