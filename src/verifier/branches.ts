/** The branches of a table: all that a signal can do in a state, worked out once for every situation there. */

import type { Arm, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot, WorkItem } from '../engine/snapshot.ts';
import { armsOf, stateOf, type Signal } from '../engine/transition.ts';
import { isFault, isPersons, receivable } from './receivable.ts';

export type Budgets = Snapshot['budgets'];

export interface Branch {
  /** Its number among those of the table. */
  readonly number: number;
  /** The same branch of the same route, for a signal before this one: what they do cannot differ. */
  readonly twin: Branch | null;
  readonly signal: string;
  /** Which arm of the route it is. */
  readonly arm: number;
  readonly chosen: Arm;
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
}

/** A signal that a state can receive. */
export interface Outlet {
  readonly signal: string;
  readonly by: Branch['by'];
  /** Undefined when nobody handles the signal. */
  readonly route: Route | undefined;
  readonly branches: readonly Branch[];
}

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

export class Branches {
  readonly #machine: Machine;
  readonly #open: readonly string[];
  readonly #outlets = new Map<string, readonly Outlet[]>();
  readonly #all: Branch[] = [];

  /** `open`: the budgets that are left open. */
  constructor(machine: Machine, open: readonly string[]) {
    this.#machine = machine;
    this.#open = open;
  }

  /** By number, as far as states were asked for. */
  get all(): readonly Branch[] {
    return this.#all;
  }

  from(state: string): readonly Outlet[] {
    const known = this.#outlets.get(state);
    if (known) return known;
    const outlets: Outlet[] = [];
    for (const signal of receivable(this.#machine, state)) outlets.push(this.#outlet(state, signal, outlets));
    this.#outlets.set(state, outlets);
    return outlets;
  }

  #outlet(state: string, signal: string, before: readonly Outlet[]): Outlet {
    const machine = this.#machine;
    const by = senderOf(machine, state, signal);
    const route = stateOf(machine, state).on[signal];
    const isCommand = machine.commands.includes(signal);
    // A command renews budgets, whatever its route is.
    const twins = isCommand ? [] : (before.find((one) => one.route === route)?.branches ?? []);
    const bare = { name: signal };
    const bringing = Array.from({ length: itemsMax + 1 }, (_, items) => ({ name: signal, items: itemsOf(items) }));
    const arms = route ? armsOf(route) : [];
    const branches: Branch[] = [];
    for (const [arm, chosen] of arms.entries()) {
      const move = 'refuse' in chosen ? null : chosen;
      const refused = 'refuse' in chosen ? chosen.refuse : null;
      const label = by !== 'person' || !move ? null : isCommand ? signal : `${state}.${signal}`;
      for (const assumed of arms.indexOf(chosen) < arm ? [] : this.#assumptions(arms.slice(0, arm + 1)))
        for (const loaded of loadsOf(machine, move)) {
          const number = this.#all.length;
          const twin = twins[branches.length] ?? null;
          const sent = (loaded && bringing[loaded.items]) ?? bare;
          const branch = { number, twin, signal, arm, chosen, move, refused, by, label, loaded, assumed, sent };
          this.#all.push(branch);
          branches.push(branch);
        }
    }
    return { signal, by, route, branches };
  }

  /** For the last of some arms to be taken: none left where those before it look, some where it looks, both where it spends. */
  #assumptions(arms: readonly Arm[]): readonly Budgets[] {
    const assumed: Record<string, number> = {};
    const last = arms.at(-1);
    for (const arm of arms)
      if (arm.when && 'left' in arm.when && this.#open.includes(arm.when.left))
        assumed[arm.when.left] = arm === last ? 1 : 0;
    const spent = last && 'spend' in last ? last.spend : undefined;
    if (spent === undefined || !this.#open.includes(spent) || Object.hasOwn(assumed, spent)) return [assumed];
    return [1, 0].map((left) => ({ ...assumed, [spent]: left }));
  }
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
