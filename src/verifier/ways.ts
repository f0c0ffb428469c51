/** The steps of a space as numbers, those that make no difference to any worst case counted once. */

import type { Machine } from '../engine/machine.ts';
import { isRenewed } from '../engine/transition.ts';
import { isFault, isPersons } from './receivable.ts';
import { leftIn, moveOf, type Situation, type Space, type SpaceStep } from './space.ts';

/** One way from a situation, whatever is left of the budgets that are open. */
export interface Way {
  readonly step: SpaceStep;
  /** The number of the situation it leads to. */
  readonly to: number;
  readonly by: 'person' | 'fault' | 'work';
  /** What the person did: a command, or the state and the answer given in it; null when it was no person. */
  readonly label: string | null;
  /** What it loads and what is left of the lists before, in one word. */
  readonly sizes: string;
  /** For each open budget: whether there must be some, or none; null when it does not matter. */
  readonly needs: readonly (boolean | null)[] | null;
  /** What it does to each open budget; null when it touches none. */
  readonly effects: readonly Effect[] | null;
}

export interface Effect {
  readonly renewed: boolean;
  /** By a person, to one at least. */
  readonly filled: boolean;
  readonly plus: number;
}

/** By situation. Refused steps lead nowhere and are left out. */
export function waysOf(space: Space): readonly (readonly Way[])[] {
  const numbers = new Map(space.situations.map((situation, number) => [situation, number]));
  const budgets = new BudgetWays(space);
  return space.situations.map((situation) => waysFrom(space, situation, { numbers, budgets }));
}

interface Known {
  readonly numbers: ReadonlyMap<Situation, number>;
  readonly budgets: BudgetWays;
}

function waysFrom({ machine }: Space, { snapshot, steps }: Situation, { numbers, budgets }: Known): Way[] {
  const ways = new Map<string, Way>();
  const left = machine.lists.map((list) => leftIn(snapshot.lists[list])).join();
  for (const step of steps) {
    if (step.refused !== null) continue;
    const by = isPersons(machine, snapshot.state, step.signal)
      ? 'person'
      : isFault(machine, snapshot.state, step.signal)
        ? 'fault'
        : 'work';
    const to = numbers.get(step.to) ?? 0;
    const load = step.loaded === null ? '' : `${step.loaded.list} ${step.loaded.items}`;
    const touched = budgets.of(step);
    const key = `${to}|${by === 'person' ? step.signal : by}|${load}|${touched.key}`;
    if (!ways.has(key))
      ways.set(key, {
        step,
        to,
        by,
        label: labelOf(machine, step),
        sizes: `${load} ${left}`,
        needs: touched.needs,
        effects: touched.effects,
      });
  }
  return [...ways.values()];
}

/** What sets the run going in a step, if a person does: a command, or the state and the answer given in it. */
export function labelOf(machine: Machine, { from, signal, refused }: SpaceStep): string | null {
  const { state } = from.snapshot;
  if (refused !== null || !isPersons(machine, state, signal)) return null;
  return machine.commands.includes(signal) ? signal : `${state}.${signal}`;
}

interface Touched extends Pick<Way, 'needs' | 'effects'> {
  readonly key: string;
}

/** What steps need and do, made once for each arm of the table and each thing assumed. */
class BudgetWays {
  readonly #space: Space;
  readonly #known = new Map<string, Touched>();
  readonly #same = new Map<string, Touched>();

  constructor(space: Space) {
    this.#space = space;
  }

  of(step: SpaceStep): Touched {
    if (this.#space.open.length === 0) return untouched;
    const name = `${step.from.snapshot.state}.${step.signal}.${step.arm} ${Object.values(step.assumed).join()}`;
    const known = this.#known.get(name) ?? this.#make(step);
    this.#known.set(name, known);
    return known;
  }

  #make(step: SpaceStep): Touched {
    const { machine, open } = this.#space;
    const needs = open.map((name) => (step.assumed[name] === undefined ? null : step.assumed[name] > 0));
    const effects = effectsOf(machine, open, step);
    const key = JSON.stringify([needs, effects]);
    const same = this.#same.get(key) ?? { key, effects, needs: needs.every((need) => need === null) ? null : needs };
    this.#same.set(key, same);
    return same;
  }
}

const untouched: Touched = { key: '', needs: null, effects: null };

function effectsOf(machine: Machine, open: readonly string[], step: SpaceStep): readonly Effect[] | null {
  const move = moveOf(machine, step);
  if (!move) return null;
  const effects = open.map((name) => ({
    renewed: isRenewed('item', machine, step.signal, move),
    filled: move.renew === name,
    plus: (move.grant === name ? 1 : 0) - (move.spend === name ? 1 : 0),
  }));
  return effects.some(({ renewed, filled, plus }) => renewed || filled || plus !== 0) ? effects : null;
}
