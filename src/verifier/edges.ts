/** The edges of a table: all that a signal can do in a state, worked out once for every situation there. */

import type { Branch, Guard, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot, WorkItem } from '../engine/snapshot.ts';
import { branchesOf, isRenewed, stateOf, type Signal } from '../engine/transition.ts';
import { isFault, isPersons, receivable } from './receivable.ts';
import { returnAt, stateAt, Variables, type Values } from './variables.ts';

export type Budgets = Snapshot['budgets'];

export interface Edge {
  /** Its number among those of the table. */
  readonly number: number;
  readonly state: string;
  readonly signal: string;
  /** Which branch of the route it is. */
  readonly branch: number;
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
  /** One for all edges that it may turn out to take. */
  readonly sent: Signal;
  /** The same edge of the same route, for a signal before this one: what they do cannot differ. */
  readonly twin: Edge | null;
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

/** What a edge does to the values of a situation. */
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
  readonly edges: readonly Edge[];
  /** Signals that nobody handles. */
  readonly unhandled: readonly string[];
}

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

/** Of every machine, by the budgets that are left open. */
const known = new WeakMap<Machine, Map<string, Edges>>();

export function edgesOf(machine: Machine, open: readonly string[]): Edges {
  const all = known.get(machine) ?? new Map<string, Edges>();
  known.set(machine, all);
  const edges = all.get(open.join()) ?? new Edges(machine, open);
  all.set(open.join(), edges);
  return edges;
}

export class Edges {
  readonly variables: Variables;
  readonly #machine: Machine;
  readonly #open: readonly string[];
  readonly #outlets: Outlets[] = [];
  readonly #all: Edge[] = [];

  /** `open`: the budgets that are left open. */
  constructor(machine: Machine, open: readonly string[]) {
    this.variables = new Variables(machine, open);
    this.#machine = machine;
    this.#open = open;
  }

  /** By number, as far as states were asked for. */
  get all(): readonly Edge[] {
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
    const known = new Map<Route, readonly Edge[]>();
    const edges: Edge[] = [];
    for (const signal of signals) {
      const route = on[signal];
      if (!route) continue;
      // A command renews budgets, whatever its route is.
      const isCommand = this.#machine.commands.includes(signal);
      const own = this.#edgesOf(state, signal, branchesOf(route), (!isCommand && known.get(route)) || []);
      if (!isCommand) known.set(route, own);
      edges.push(...own);
    }
    return { edges, unhandled: signals.filter((signal) => !on[signal]) };
  }

  #edgesOf(state: string, signal: string, branches: readonly Branch[], twins: readonly Edge[]): readonly Edge[] {
    const machine = this.#machine;
    const by = senderOf(machine, state, signal);
    const answer = machine.commands.includes(signal) ? signal : `${state}.${signal}`;
    const bare = { name: signal };
    const bringing = Array.from({ length: itemsMax + 1 }, (_, items) => ({ name: signal, items: itemsOf(items) }));
    const edges: Edge[] = [];
    for (const [branch, chosen] of branches.entries()) {
      const move = 'refuse' in chosen ? null : chosen;
      const label = by === 'person' && move ? answer : null;
      const told = { state, signal, branch, move, refused: 'refuse' in chosen ? chosen.refuse : null, by, label };
      const conditions = this.#conditions(branches.slice(0, branch + 1));
      for (const assumed of this.#assumptions(branches.slice(0, branch + 1)))
        for (const loaded of loadsOf(machine, move)) {
          const sent = (loaded && bringing[loaded.items]) ?? bare;
          const effect = this.#effect({ state, signal, move, loaded, assumed });
          const twin = twins[edges.length] ?? null;
          const edge = { number: this.#all.length, ...told, loaded, assumed, sent, twin, conditions, effect };
          this.#all.push(edge);
          edges.push(edge);
        }
    }
    return edges;
  }

  /** For the last of some branches to be taken: none left where those before it look, some where it looks, both where it spends. */
  #assumptions(branches: readonly Branch[]): readonly Budgets[] {
    const assumed: Record<string, number> = {};
    const last = branches.at(-1);
    for (const [branch, { when }] of branches.entries()) {
      if (!when || !('left' in when) || !this.#open.includes(when.left)) continue;
      if (assumed[when.left] === 0 && branch === branches.length - 1) return [];
      assumed[when.left] = branch === branches.length - 1 ? 1 : 0;
    }
    const spent = last && 'spend' in last ? last.spend : undefined;
    if (spent === undefined || !this.#open.includes(spent) || Object.hasOwn(assumed, spent)) return [assumed];
    return [1, 0].map((left) => ({ ...assumed, [spent]: left }));
  }

  /** The last of some branches is taken when its guard holds and none of those before. */
  #conditions(branches: readonly Branch[]): readonly Condition[] {
    return branches.flatMap(({ when }, branch) => {
      const looked = when && this.#look(when);
      return looked && looked.place !== -1 ? [{ ...looked, isSo: branch === branches.length - 1 }] : [];
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
  }: Pick<Edge, 'state' | 'signal' | 'move' | 'loaded' | 'assumed'>): Effect {
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

/** The values after a edge was taken; `limits`: by place. */
export function valuesAfter({ effect }: Edge, values: Values, limits: Values): number[] {
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

function senderOf(machine: Machine, state: string, signal: string): Edge['by'] {
  if (isPersons(machine, state, signal)) return 'person';
  return isFault(machine, state, signal) ? 'fault' : 'work';
}

/** A list that is loaded on the way into the state that works through it has something in it; any other may be empty. */
function loadsOf(machine: Machine, move: Move | null): readonly Edge['loaded'][] {
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
