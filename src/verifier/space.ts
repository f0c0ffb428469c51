/**
 * The complete space of situations a workflow can get into, explored with the engine's own `transition`.
 *
 * S1. Two situations are one when their futures cannot differ: what is not read again makes no difference,
 *     and the items of a list count only by their number.
 * S2. Breadth first, so the way back to the start from any situation is a shortest one.
 * S3. Nothing is cut off silently: a space larger than `situationsMax` says so.
 * S4. Budgets of an item are left open: no situation knows what is left of one, and where a route asks, it is followed
 *     with some left and with none. So what holds on every way holds whatever their limits are, and four of them do
 *     not multiply the situations. An exact exploration counts them like all others.
 */

import type { Arm, Machine, Move, Route } from '../engine/machine.ts';
import { initialSnapshot, type Snapshot, type WorkItem, type WorkList } from '../engine/snapshot.ts';
import { armsOf, chooseArm, stateOf, transition, type Signal } from '../engine/transition.ts';
import { liveness } from './liveness.ts';
import { isPersons, receivable } from './receivable.ts';

/** A situation and all ways on from it. */
export interface Situation {
  readonly snapshot: Snapshot;
  /** The step it was found by first; null at the start. */
  readonly via: SpaceStep | null;
  readonly steps: SpaceStep[];
}

export interface SpaceStep {
  readonly from: Situation;
  readonly signal: string;
  /** Which arm of the route was taken. */
  readonly arm: number;
  /** The list that was loaded, and how many items the signal brought. */
  readonly loaded: { readonly list: string; readonly items: number } | null;
  /** The situation itself when the signal is refused. */
  readonly to: Situation;
  readonly refused: string | null;
  /** What the step takes for granted about budgets that are left open: how much of each there is. */
  readonly assumed: Budgets;
}

type Budgets = Snapshot['budgets'];

/** A signal that has no way on. */
export interface Stuck {
  readonly at: Situation;
  readonly signal: string;
  readonly why: 'unhandled' | 'budget_spent' | 'no_return_address';
}

export interface Space {
  readonly machine: Machine;
  readonly situations: readonly Situation[];
  /** Where it was explored from. */
  readonly starts: readonly Situation[];
  readonly stuck: readonly Stuck[];
  /** The budgets that are left open. */
  readonly open: readonly string[];
  /** Situations that were found but not followed, because there were too many. */
  readonly unexplored: number;
}

export interface ExploreOptions {
  /** Where to start; a fresh run if not given. */
  readonly from?: Snapshot;
  /** Further starts, in the same state with the same flags and return address. */
  readonly beside?: readonly Snapshot[];
  readonly situationsMax?: number;
  /** Stop wherever the run rests for a person. */
  readonly untilRest?: boolean;
  /** Count the budgets of an item too. */
  readonly exact?: boolean;
}

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

export function explore(machine: Machine, options: ExploreOptions = {}): Space {
  const { from, beside = [], situationsMax = 50_000, untilRest = false, exact = false } = options;
  const start = from ?? initialSnapshot(machine);
  const open = exact ? [] : itemBudgets(machine);
  const live = liveness(machine, start, { leftOpen: open, untilRest });
  const found = new Map<string, Situation>();
  const situations: Situation[] = [];
  const stuck: Stuck[] = [];

  const find = (snapshot: Snapshot, via: SpaceStep | null): Situation => {
    const key = keyOf(snapshot, live(snapshot));
    const known = found.get(key);
    if (known) return known;
    const situation: Situation = { snapshot, via, steps: [] };
    found.set(key, situation);
    situations.push(situation);
    return situation;
  };

  const starts = [start, ...beside].map((one) => find(one, null));
  const asBefore = Object.fromEntries(open.map((name) => [name, start.budgets[name] ?? 0]));
  let explored = 0;
  for (const at of situations) {
    if (explored === situationsMax) break;
    explored += 1;
    const { state } = at.snapshot;
    for (const signal of receivable(machine, state))
      if (!untilRest || !isPersons(machine, state, signal)) follow(machine, at, signal, { find, stuck, asBefore });
  }
  return { machine, situations, starts, stuck, open, unexplored: situations.length - explored };
}

/** The budgets that are renewed with every item. */
export function itemBudgets(machine: Machine): readonly string[] {
  return Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
}

interface Findings {
  readonly find: (snapshot: Snapshot, via: SpaceStep) => Situation;
  readonly stuck: Stuck[];
  /** What situations say about budgets that are left open: always the same. */
  readonly asBefore: Budgets;
}

function follow(machine: Machine, at: Situation, signal: string, findings: Findings): void {
  const route = stateOf(machine, at.snapshot.state).on[signal];
  if (!route) return void findings.stuck.push({ at, signal, why: 'unhandled' });
  const followed = new Set<string>();
  for (const assumed of assumptionsOf(route, findings.asBefore)) {
    const snapshot = assuming(at.snapshot, assumed);
    const chosen = chooseArm(route, snapshot);
    const way = `${armsOf(route).indexOf(chosen)} ${'spend' in chosen && chosen.spend !== undefined ? assumed[chosen.spend] : ''}`;
    if (followed.has(way)) continue;
    followed.add(way);
    followArm(machine, { at, snapshot, signal, assumed }, chosen, findings);
  }
}

/** Some left and none left of every budget that is left open and that the route looks at or spends. */
function assumptionsOf(route: Route, open: Budgets): readonly Budgets[] {
  const asked = new Set<string>();
  for (const arm of armsOf(route)) {
    if (arm.when && 'left' in arm.when) asked.add(arm.when.left);
    if ('spend' in arm && arm.spend !== undefined) asked.add(arm.spend);
  }
  let assumptions: Budgets[] = [{}];
  for (const name of asked)
    if (Object.hasOwn(open, name))
      assumptions = assumptions.flatMap((one) => [1, 0].map((left) => ({ ...one, [name]: left })));
  return assumptions;
}

/** A snapshot in which so much is left of budgets that are left open. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  return { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
}

interface Followed {
  readonly at: Situation;
  /** The situation's, with what is assumed. */
  readonly snapshot: Snapshot;
  readonly signal: string;
  readonly assumed: Budgets;
}

function followArm(machine: Machine, followed: Followed, chosen: Arm, { find, stuck, asBefore }: Findings): void {
  const { at, snapshot, signal, assumed } = followed;
  const route = stateOf(machine, snapshot.state).on[signal];
  const arm = route ? armsOf(route).indexOf(chosen) : 0;
  if ('refuse' in chosen) {
    at.steps.push({ from: at, signal, arm, loaded: null, to: at, refused: chosen.refuse, assumed });
    return;
  }
  if (chosen.to === 'return' && snapshot.returnTo === null) {
    return void stuck.push({ at, signal, why: 'no_return_address' });
  }
  for (const loaded of chosen.load === undefined ? [null] : loadsOf(machine, chosen.to, chosen.load)) {
    const sent: Signal = loaded === null ? { name: signal } : { name: signal, items: itemsOf(loaded.items) };
    const step = transition(machine, snapshot, sent);
    if (step.kind === 'refusal') return void stuck.push({ at, signal, why: 'budget_spent' });
    const taken = { from: at, signal, arm, loaded, to: at, refused: null, assumed };
    taken.to = find(assuming(step.snapshot, asBefore), taken);
    at.steps.push(taken);
  }
}

/** A list that is loaded on the way into the state that works through it has something in it; any other may be empty. */
function loadsOf(machine: Machine, target: string, list: string): readonly NonNullable<SpaceStep['loaded']>[] {
  const entered = machine.states[target];
  const worked = entered !== undefined && 'each' in entered && entered.each === list;
  const loads = Array.from({ length: itemsMax + 1 }, (_, items) => ({ list, items }));
  return worked ? loads.slice(1) : loads;
}

function itemsOf(size: number): readonly WorkItem[] {
  return Array.from({ length: size }, (_, index) => ({ id: `${index + 1}`, after: [] }));
}

/** The move a step makes; undefined when it is refused. */
export function moveOf(machine: Machine, { from, signal, arm }: SpaceStep): Move | undefined {
  const route = stateOf(machine, from.snapshot.state).on[signal];
  const taken = route && armsOf(route)[arm];
  return !taken || 'refuse' in taken ? undefined : taken;
}

/** How much of a list is left to do. */
export function leftIn(list: WorkList | undefined): number {
  return list ? list.items.length - list.done.length : 0;
}

export function keyOf({ state, budgets, flags, lists, returnTo }: Snapshot, live: readonly string[]): string {
  let key = state;
  for (const name of live) {
    const [kind, what = ''] = name.split(':');
    const value =
      kind === 'budget'
        ? budgets[what]
        : kind === 'flag'
          ? flags[what]
          : kind === 'list'
            ? leftIn(lists[what])
            : returnTo;
    key += `|${name}=${value}`;
  }
  return key;
}
