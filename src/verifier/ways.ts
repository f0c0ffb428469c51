/** The steps of a space as numbers, as far as they make a difference to a worst case. */

import { classesOf, type Classes } from './classes.ts';
import { leftIn } from '../engine/snapshot.ts';
import { isRenewed } from '../engine/transition.ts';
import type { Branch } from './branches.ts';
import type { Space, SpaceStep } from './space.ts';

/** Ways are numbers: those from a situation are from `first[situation]` on and below `first[situation + 1]`. */
export interface Ways extends StepNumbers {
  readonly classes: Classes;
}

export interface StepNumbers {
  readonly first: readonly number[];
  readonly steps: readonly SpaceStep[];
  /** By way: the situation it leads to. */
  readonly to: readonly number[];
  /** By way: its number among the takes, the touches, and the starts; -1 where no person is needed. */
  readonly taking: readonly number[];
  readonly touching: readonly number[];
  readonly starting: readonly number[];
  readonly takes: readonly Take[];
  readonly touches: readonly Touch[];
  readonly starts: readonly Start[];
}

/** When a way can be taken at all. */
export type Take = Pick<Branch, 'by' | 'loaded'>;

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
export interface Start extends Pick<Branch, 'label' | 'loaded'> {
  readonly left: readonly number[];
}

/** Refused steps lead nowhere and are left out; those that come to the same are counted once. */
export function waysOf(space: Space): Ways {
  const steps: SpaceStep[] = [];
  const first: number[] = [0];
  const to: number[] = [];
  const taking: number[] = [];
  const touching: number[] = [];
  const starting: number[] = [];
  const numbers = new BranchNumbers(space);
  const starts = new Numbers<Start>();
  for (const { snapshot, steps: all } of space.situations) {
    const left = space.machine.lists.map((list) => leftIn(snapshot.lists[list]));
    const begin = steps.length;
    for (const step of all) {
      const { label, loaded, move } = step.branch;
      if (!move) continue;
      const { take, touch } = numbers.of(step.branch);
      const start = label === null ? -1 : starts.of(`${label} ${take} ${left.join()}`, { label, loaded, left });
      let way = begin;
      const isOther = (): boolean =>
        to[way] !== step.to.number || taking[way] !== take || touching[way] !== touch || starting[way] !== start;
      while (way < steps.length && isOther()) way += 1;
      if (way < steps.length) continue;
      to.push(step.to.number);
      taking.push(take);
      touching.push(touch);
      starting.push(start);
      steps.push(step);
    }
    first.push(steps.length);
  }
  const { takes, touches } = numbers;
  const all = { takes: takes.all, touches: touches.all, starts: starts.all };
  const ways = { first, steps, to, taking, touching, starting, ...all };
  return { ...ways, classes: classesOf(space, ways) };
}

/** Gives things numbers, the same to those with the same key. */
class Numbers<T> {
  readonly all: T[] = [];
  readonly #known = new Map<string, number>();

  of(key: string, thing: T): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}

class BranchNumbers {
  readonly takes = new Numbers<Take>();
  readonly touches = new Numbers<Touch>();
  readonly #space: Space;
  readonly #known = new Map<Branch, { readonly take: number; readonly touch: number }>();

  constructor(space: Space) {
    this.#space = space;
  }

  of(branch: Branch): { readonly take: number; readonly touch: number } {
    const known = this.#known.get(branch) ?? this.#numbersOf(branch);
    this.#known.set(branch, known);
    return known;
  }

  #numbersOf(branch: Branch): { readonly take: number; readonly touch: number } {
    const take = { by: branch.by, loaded: branch.loaded };
    const touch = touchOf(this.#space, branch);
    return {
      take: this.takes.of(JSON.stringify(take), take),
      touch: this.touches.of(JSON.stringify(touch), touch),
    };
  }
}

function touchOf({ machine, open }: Space, { signal, move, assumed }: Branch): Touch {
  return {
    needs: open.map((name) => (assumed[name] === undefined ? null : assumed[name] > 0)),
    effects: open.map((name) => ({
      renewed: move !== null && isRenewed('item', machine, signal, move),
      filled: move?.renew === name,
      plus: (move?.grant === name ? 1 : 0) - (move?.spend === name ? 1 : 0),
    })),
  };
}
