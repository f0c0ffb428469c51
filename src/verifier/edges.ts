/** The edges of a table: all that a signal can do in a state, worked out once for every explored state there. */

import type { Branch, Guard, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import {
  branchesOf,
  entryOf,
  forgetsAddress,
  isRenewed,
  repeated,
  stateOf,
  type Signal,
} from '../engine/transition.ts';
import { remembered } from './pairs.ts';
import { receivable, senderOf, type Sender } from './receivable.ts';
import { flagNumber, returnAt, stateAt, Variables, type Values } from './variables.ts';

export type Budgets = Snapshot['budgets'];

export interface Edge {
  readonly number: number;
  readonly state: string;
  readonly signal: string;
  readonly branch: number;
  /** Null when the signal is refused. */
  readonly move: Move | null;
  readonly refused: string | null;
  readonly by: Sender;
  /** The command, or the state and the answer given in it, where a person moves the run. */
  readonly label: string | null;
  readonly loaded: { readonly list: string; readonly items: number } | null;
  /** The rest of symbolic budgets that it assumes. */
  readonly assumed: Budgets;
  /** One for all edges that it may turn out to take. */
  readonly sent: Signal;
  /** The same edge of the same route, for a signal before this one: their effects cannot differ. */
  readonly twin: Edge | null;
  readonly conditions: readonly Condition[];
  readonly effect: Effect;
}

/** Whether the value at an index is from `least` to `most`. */
export interface Condition {
  readonly index: number;
  readonly least: number;
  readonly most: number;
  readonly expected: boolean;
}

/** The changes of an edge to the values of an explored state. */
export interface Effect {
  /** The number of a state; -1 for the return address. */
  readonly to: number;
  readonly sets: readonly { readonly index: number; readonly value: number }[];
  /** The index of a list that has one less to do; -1 for none. */
  readonly finishes: number;
  readonly budgets: readonly (BudgetEffect & { readonly index: number })[];
  /** Of each symbolic budget. */
  readonly symbolic: readonly BudgetEffect[];
  /** The index of a budget that must not be empty; -1 for none. */
  readonly needs: number;
  /** It needs a symbolic budget, and assumes that it is empty. */
  readonly isBroke: boolean;
}

export interface BudgetEffect {
  readonly renewed: boolean;
  /** By a person, to one at least. */
  readonly filled: boolean;
  readonly plus: number;
}

/** All that can happen in a state; `unhandled`: signals without a route. */
type Outlets = { readonly edges: readonly Edge[]; readonly unhandled: readonly string[] };

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

/** Of every machine, by its symbolic budgets. */
const known = new WeakMap<Machine, Map<string, Edges>>();

export function edgesOf(machine: Machine, symbolic: readonly string[]): Edges {
  const all = remembered(known, machine, () => new Map<string, Edges>());
  return remembered(all, symbolic.join(), () => new Edges(machine, symbolic));
}

export class Edges {
  readonly variables: Variables;
  /** By number, as far as states were asked for. */
  readonly all: Edge[] = [];
  readonly #machine: Machine;
  readonly #symbolic: readonly string[];
  readonly #outlets: Outlets[] = [];

  constructor(machine: Machine, symbolic: readonly string[]) {
    this.variables = new Variables(machine, symbolic);
    this.#machine = machine;
    this.#symbolic = symbolic;
  }

  from(state: number): Outlets {
    return (this.#outlets[state] ??= this.#outletsOf(this.variables.states[state] ?? ''));
  }

  /** The index of the list that a state works through; -1 if none. */
  workedThrough(state: string): number {
    const { each } = { each: undefined, ...stateOf(this.#machine, state) };
    return each === undefined ? -1 : this.variables.indexOf('lists', each);
  }

  #outletsOf(state: string): Outlets {
    const left = stateOf(this.#machine, state);
    const resumed = 'resume' in left ? left.resume : undefined;
    const signals = [...receivable(this.#machine, state), ...(resumed ? [repeated] : [])];
    const on: Readonly<Record<string, Route>> = {
      ...left.on,
      ...(resumed && { [repeated]: resumed }),
    };
    const twins = new Map<Route, readonly Edge[]>();
    const edges: Edge[] = [];
    for (const signal of signals) {
      const route = on[signal];
      if (!route) continue;
      // A command renews budgets, whatever its route is.
      const isCommand = this.#machine.commands.includes(signal);
      const own = this.#edgesOf(state, signal, branchesOf(route), (!isCommand && twins.get(route)) || []);
      if (!isCommand) twins.set(route, own);
      edges.push(...own);
    }
    return { edges, unhandled: signals.filter((signal) => !on[signal]) };
  }

  #edgesOf(state: string, signal: string, branches: readonly Branch[], twins: readonly Edge[]): readonly Edge[] {
    const machine = this.#machine;
    const by = senderOf(machine, state, signal);
    const answer = signal === repeated ? 'resume' : machine.commands.includes(signal) ? signal : `${state}.${signal}`;
    const bare = { name: signal };
    const items = Array.from({ length: itemsMax }, (_, index) => ({ id: `${index + 1}`, after: [] }));
    const bringing = Array.from({ length: itemsMax + 1 }, (_, many) => ({ name: signal, items: items.slice(0, many) }));
    const edges: Edge[] = [];
    for (const [branch, chosen] of branches.entries()) {
      const move = 'refuse' in chosen ? null : chosen;
      const label = by === 'person' && move ? answer : null;
      const common = { state, signal, branch, move, refused: 'refuse' in chosen ? chosen.refuse : null, by, label };
      const conditions = this.#conditions(branches.slice(0, branch + 1));
      for (const assumed of this.#assumptions(branches.slice(0, branch + 1)))
        for (const loaded of loadsOf(machine, move)) {
          const sent = (loaded && bringing[loaded.items]) ?? bare;
          const effect = this.#effect({ state, signal, move, loaded, assumed });
          const twin = twins[edges.length] ?? null;
          const edge = { number: this.all.length, ...common, loaded, assumed, sent, twin, conditions, effect };
          this.all.push(edge);
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
      if (!when || !('left' in when) || !this.#symbolic.includes(when.left)) continue;
      if (assumed[when.left] === 0 && branch === branches.length - 1) return [];
      assumed[when.left] = branch === branches.length - 1 ? 1 : 0;
    }
    const spent = last && 'spend' in last ? last.spend : undefined;
    if (spent === undefined || !this.#symbolic.includes(spent) || Object.hasOwn(assumed, spent)) return [assumed];
    return [1, 0].map((left) => ({ ...assumed, [spent]: left }));
  }

  /** The last of some branches is taken when its guard holds and none of those before. */
  #conditions(branches: readonly Branch[]): readonly Condition[] {
    return branches.flatMap(({ when }, branch) => {
      const range = when && this.#range(when);
      return range && range.index !== -1 ? [{ ...range, expected: branch === branches.length - 1 }] : [];
    });
  }

  #range(guard: Guard): Omit<Condition, 'expected'> {
    if ('left' in guard) return { index: this.variables.indexOf('budgets', guard.left), least: 1, most: Infinity };
    if ('more' in guard) return { index: this.variables.indexOf('lists', guard.more), least: 2, most: Infinity };
    const value = flagNumber(guard.is);
    return { index: this.variables.indexOf('flags', guard.flag), least: value, most: value };
  }

  #effect(edge: Pick<Edge, 'state' | 'signal' | 'move' | 'loaded' | 'assumed'>): Effect {
    const { variables } = this;
    const { state, signal, move, loaded, assumed } = edge;
    const { to = 'again', set = {}, spend, grant, renew, remember, finish } = move ?? {};
    const numberOf = (name: string): number => variables.states.indexOf(name);
    const sets = Object.entries(set).map(([flag, value]) => ({
      index: variables.indexOf('flags', flag),
      value: flagNumber(value),
    }));
    if (loaded) sets.push({ index: variables.indexOf('lists', loaded.list), value: loaded.items });
    if (move && forgetsAddress(this.#machine, move)) sets.push({ index: returnAt, value: 0 });
    if (remember !== undefined) {
      const address = entryOf(this.#machine, remember === true ? state : remember);
      sets.push({ index: returnAt, value: numberOf(address) + 1 });
    }
    const budgetEffect = (name: string): BudgetEffect => ({
      renewed:
        move !== null && isRenewed(this.#machine.budgets[name]?.scope ?? 'run', this.#machine, { state, signal, move }),
      filled: renew === name,
      plus: (grant === name ? 1 : 0) - (spend === name ? 1 : 0),
    });
    const budgets = variables.budgets.map((name, at) => ({ index: variables.controls + at, ...budgetEffect(name) }));
    const needed = spend === grant || spend === renew ? undefined : spend;
    return {
      to: to === 'return' ? -1 : numberOf(to === 'again' ? entryOf(this.#machine, state) : to),
      sets,
      finishes: finish ? this.workedThrough(state) : -1,
      budgets: budgets.filter(({ renewed, filled, plus }) => renewed || filled || plus !== 0),
      symbolic: this.#symbolic.map(budgetEffect),
      needs: needed === undefined ? -1 : variables.indexOf('budgets', needed),
      isBroke: needed !== undefined && assumed[needed] === 0,
    };
  }
}

export function areMet(conditions: readonly Condition[], values: Values): boolean {
  for (let at = 0; at < conditions.length; at += 1) {
    const { index = 0, least = 0, most = 0, expected = true } = conditions[at] ?? {};
    const value = values[index] ?? 0;
    if ((value >= least && value <= most) !== expected) return false;
  }
  return true;
}

/** Why an edge whose conditions are met cannot be taken all the same; undefined when it can. */
export function obstacle({ effect }: Edge, values: Values): 'no_return_address' | 'budget_spent' | undefined {
  if (effect.to === -1 && values[returnAt] === 0) return 'no_return_address';
  return effect.isBroke || (effect.needs !== -1 && (values[effect.needs] ?? 0) <= 0) ? 'budget_spent' : undefined;
}

/** The values after an edge was taken; `limits`: by index. */
export function valuesAfter({ effect }: Edge, values: Values, limits: Values): number[] {
  const after = values.slice();
  after[stateAt] = effect.to === -1 ? (values[returnAt] ?? 0) - 1 : effect.to;
  if (effect.finishes !== -1) after[effect.finishes] = Math.max(0, (values[effect.finishes] ?? 0) - 1);
  for (const { index, value } of effect.sets) after[index] = value;
  for (const { index, renewed, filled, plus } of effect.budgets) {
    const limit = limits[index] ?? 0;
    const before = renewed ? limit : (values[index] ?? 0);
    after[index] = (filled ? Math.max(before, limit, 1) : before) + plus;
  }
  return after;
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
