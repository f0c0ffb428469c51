/** The branches of a table: all that a signal can do in a state, worked out once for every situation there. */

import type { Arm, Guard, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot, WorkItem } from '../engine/snapshot.ts';
import { armsOf, isRenewed, stateOf, type Signal } from '../engine/transition.ts';
import { isFault, isPersons, receivable } from './receivable.ts';
import { returnAt, stateAt, Variables, type Values } from './variables.ts';

export type Budgets = Snapshot['budgets'];

export interface Branch {
  /** Its number among those of the table. */
  readonly number: number;
  readonly state: string;
  readonly signal: string;
  /** Which arm of the route it is. */
  readonly arm: number;
  /** Null when the signal is refused. */
  readonly move: Move | null;
  readonly refused: string | null;
  readonly by: 'person' | 'fault' | 'work';
  /** What sets the run going, if a person does: a command, or the state and the answer given in it. */
  readonly label: string | null;
  /** The list that is loaded, and how many items the signal brings. */
  readonly loaded: { readonly list: string; readonly items: number } | null;
  /** What it takes for granted about budgets that are left open: how much of each there is. */
  readonly assumed: Budgets;
  /** One for all branches that it may turn out to take. */
  readonly sent: Signal;
  /** The same branch of the same route, for a signal before this one: what they do cannot differ. */
  readonly twin: Branch | null;
  readonly conditions: readonly Condition[];
  readonly effect: Effect;
}

/** Of the value at a place: whether it is from `least` to `most`. */
export interface Condition {
  readonly place: number;
  readonly least: number;
  readonly most: number;
  readonly isSo: boolean;
}

/** What a branch does to the values of a situation. */
export interface Effect {
  /** The number of a state; -1 for the return address. */
  readonly to: number;
  readonly sets: readonly { readonly place: number; readonly value: number }[];
  /** The place of a list that has one less to do; -1 for none. */
  readonly finishes: number;
  readonly budgets: readonly BudgetEffect[];
  /** The place of a budget that must not be empty; -1 for none. */
  readonly needs: number;
  /** It needs a budget that is left open, and assumes that it is empty. */
  readonly isBroke: boolean;
}

export interface BudgetEffect {
  readonly place: number;
  readonly renewed: boolean;
  /** By a person, to one at least. */
  readonly filled: boolean;
  readonly plus: number;
}

/** All that can happen in a state. */
export interface Outlets {
  readonly branches: readonly Branch[];
  /** Signals that nobody handles. */
  readonly unhandled: readonly string[];
}

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

/** Of every machine, by the budgets that are left open. */
const known = new WeakMap<Machine, Map<string, Branches>>();

export function branchesOf(machine: Machine, open: readonly string[]): Branches {
  const all = known.get(machine) ?? new Map<string, Branches>();
  known.set(machine, all);
  const branches = all.get(open.join()) ?? new Branches(machine, open);
  all.set(open.join(), branches);
  return branches;
}

export class Branches {
  readonly variables: Variables;
  readonly #machine: Machine;
  readonly #open: readonly string[];
  readonly #outlets: Outlets[] = [];
  readonly #all: Branch[] = [];

  /** `open`: the budgets that are left open. */
  constructor(machine: Machine, open: readonly string[]) {
    this.variables = new Variables(machine, open);
    this.#machine = machine;
    this.#open = open;
  }

  /** By number, as far as states were asked for. */
  get all(): readonly Branch[] {
    return this.#all;
  }

  from(state: number): Outlets {
    return (this.#outlets[state] ??= this.#outletsOf(this.variables.states[state] ?? ''));
  }

  /** The place of the list that a state works through; -1 if none. */
  workedThrough(state: number): number {
    const { each } = { each: undefined, ...stateOf(this.#machine, this.variables.states[state] ?? '') };
    return each === undefined ? -1 : this.variables.placeOf('lists', each);
  }

  #outletsOf(state: string): Outlets {
    const signals = receivable(this.#machine, state);
    const { on } = stateOf(this.#machine, state);
    const known = new Map<Route, readonly Branch[]>();
    const branches: Branch[] = [];
    for (const signal of signals) {
      const route = on[signal];
      if (!route) continue;
      // A command renews budgets, whatever its route is.
      const isCommand = this.#machine.commands.includes(signal);
      const own = this.#branchesOf(state, signal, armsOf(route), (!isCommand && known.get(route)) || []);
      if (!isCommand) known.set(route, own);
      branches.push(...own);
    }
    return { branches, unhandled: signals.filter((signal) => !on[signal]) };
  }

  #branchesOf(state: string, signal: string, arms: readonly Arm[], twins: readonly Branch[]): readonly Branch[] {
    const machine = this.#machine;
    const by = senderOf(machine, state, signal);
    const answer = machine.commands.includes(signal) ? signal : `${state}.${signal}`;
    const bare = { name: signal };
    const bringing = Array.from({ length: itemsMax + 1 }, (_, items) => ({ name: signal, items: itemsOf(items) }));
    const branches: Branch[] = [];
    for (const [arm, chosen] of arms.entries()) {
      const move = 'refuse' in chosen ? null : chosen;
      const label = by === 'person' && move ? answer : null;
      const told = { state, signal, arm, move, refused: 'refuse' in chosen ? chosen.refuse : null, by, label };
      const conditions = this.#conditions(arms.slice(0, arm + 1));
      for (const assumed of this.#assumptions(arms.slice(0, arm + 1)))
        for (const loaded of loadsOf(machine, move)) {
          const sent = (loaded && bringing[loaded.items]) ?? bare;
          const effect = this.#effect({ state, signal, move, loaded, assumed });
          const twin = twins[branches.length] ?? null;
          const branch = { number: this.#all.length, ...told, loaded, assumed, sent, twin, conditions, effect };
          this.#all.push(branch);
          branches.push(branch);
        }
    }
    return branches;
  }

  /** For the last of some arms to be taken: none left where those before it look, some where it looks, both where it spends. */
  #assumptions(arms: readonly Arm[]): readonly Budgets[] {
    const assumed: Record<string, number> = {};
    const last = arms.at(-1);
    for (const [arm, { when }] of arms.entries()) {
      if (!when || !('left' in when) || !this.#open.includes(when.left)) continue;
      if (assumed[when.left] === 0 && arm === arms.length - 1) return [];
      assumed[when.left] = arm === arms.length - 1 ? 1 : 0;
    }
    const spent = last && 'spend' in last ? last.spend : undefined;
    if (spent === undefined || !this.#open.includes(spent) || Object.hasOwn(assumed, spent)) return [assumed];
    return [1, 0].map((left) => ({ ...assumed, [spent]: left }));
  }

  /** The last of some arms is taken when its guard holds and none of those before. */
  #conditions(arms: readonly Arm[]): readonly Condition[] {
    return arms.flatMap(({ when }, arm) => {
      const looked = when && this.#look(when);
      return looked && looked.place !== -1 ? [{ ...looked, isSo: arm === arms.length - 1 }] : [];
    });
  }

  #look(guard: Guard): Omit<Condition, 'isSo'> {
    const { variables } = this;
    if ('left' in guard) return { place: variables.placeOf('budgets', guard.left), least: 1, most: Infinity };
    if ('more' in guard) return { place: variables.placeOf('lists', guard.more), least: 2, most: Infinity };
    const value = variables.numberOf(guard.is);
    return { place: variables.placeOf('flags', guard.flag), least: value, most: value };
  }

  #effect({
    state,
    signal,
    move,
    loaded,
    assumed,
  }: Pick<Branch, 'state' | 'signal' | 'move' | 'loaded' | 'assumed'>): Effect {
    const { variables } = this;
    const { to = 'again', set = {}, spend, grant, renew, remember, finish } = move ?? {};
    const numberOf = (name: string): number => variables.states.indexOf(name);
    const flags = Object.entries(set).map(([flag, value]) => ({
      place: variables.placeOf('flags', flag),
      value: variables.numberOf(value),
    }));
    const lists = loaded ? [{ place: variables.placeOf('lists', loaded.list), value: loaded.items }] : [];
    const address =
      remember === undefined ? [] : [{ place: returnAt, value: numberOf(remember === true ? state : remember) + 1 }];
    const budgets = Object.entries(this.#machine.budgets).map(([name, { scope }]) => ({
      place: variables.placeOf('budgets', name),
      renewed: move !== null && isRenewed(scope, this.#machine, signal, move),
      filled: renew === name,
      plus: (grant === name ? 1 : 0) - (spend === name ? 1 : 0),
    }));
    const needed = spend === grant || spend === renew ? undefined : spend;
    return {
      to: to === 'return' ? -1 : numberOf(to === 'again' ? state : to),
      sets: [...flags, ...lists, ...address],
      finishes: finish ? this.workedThrough(numberOf(state)) : -1,
      budgets: budgets.filter(({ place, renewed, filled, plus }) => place !== -1 && (renewed || filled || plus !== 0)),
      needs: needed === undefined ? -1 : variables.placeOf('budgets', needed),
      isBroke: needed !== undefined && assumed[needed] === 0,
    };
  }
}

export function areMet(conditions: readonly Condition[], values: Values): boolean {
  for (let at = 0; at < conditions.length; at += 1) {
    const { place = 0, least = 0, most = 0, isSo = true } = conditions[at] ?? {};
    const value = values[place] ?? 0;
    if ((value >= least && value <= most) !== isSo) return false;
  }
  return true;
}

/** The values after a branch was taken; `limits`: by place. */
export function valuesAfter({ effect }: Branch, values: Values, limits: Values): number[] {
  const after = values.slice();
  after[stateAt] = effect.to === -1 ? (values[returnAt] ?? 0) - 1 : effect.to;
  if (effect.finishes !== -1) after[effect.finishes] = Math.max(0, (values[effect.finishes] ?? 0) - 1);
  for (const { place, value } of effect.sets) after[place] = value;
  for (const { place, renewed, filled, plus } of effect.budgets) {
    const limit = limits[place] ?? 0;
    const before = renewed ? limit : (values[place] ?? 0);
    after[place] = (filled ? Math.max(before, limit, 1) : before) + plus;
  }
  return after;
}

function senderOf(machine: Machine, state: string, signal: string): Branch['by'] {
  if (isPersons(machine, state, signal)) return 'person';
  return isFault(machine, state, signal) ? 'fault' : 'work';
}

/** A list that is loaded on the way into the state that works through it has something in it; any other may be empty. */
function loadsOf(machine: Machine, move: Move | null): readonly Branch['loaded'][] {
  const list = move?.load;
  if (!move || list === undefined) return [null];
  const entered = machine.states[move.to];
  const worked = entered !== undefined && 'each' in entered && entered.each === list;
  const loads = Array.from({ length: itemsMax + 1 }, (_, items) => ({ list, items }));
  return worked ? loads.slice(1) : loads;
}

function itemsOf(size: number): readonly WorkItem[] {
  return Array.from({ length: size }, (_, index) => ({ id: `${index + 1}`, after: [] }));
}
