/**
 * The complete space of situations a workflow can get into, explored with the engine's own `transition`.
 *
 * S1. Two situations are one when their futures cannot differ: what is not read again makes no difference,
 *     and the items of a list count only by their number.
 * S2. Breadth first, so the way back to the start from any situation is a shortest one.
 * S3. Nothing is cut off silently: a space larger than `situationsMax` says so.
 */

import type { Machine } from '../engine/machine.ts';
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
}

/** A signal that has no way on. */
export interface Stuck {
  readonly at: Situation;
  readonly signal: string;
  readonly why: 'unhandled' | 'budget_spent' | 'no_return_address';
}

export interface Space {
  readonly machine: Machine;
  readonly situations: readonly Situation[];
  readonly stuck: readonly Stuck[];
  /** Situations that were found but not followed, because there were too many. */
  readonly unexplored: number;
}

export interface ExploreOptions {
  /** Where to start; a fresh run if not given. */
  readonly from?: Snapshot;
  readonly situationsMax?: number;
  /** Stop wherever the run rests for a person. */
  readonly untilRest?: boolean;
}

/** Lists are explored with up to this many items: none, the last one, one in between, and a first one. */
export const itemsMax = 3;

export function explore(machine: Machine, options: ExploreOptions = {}): Space {
  const { from, situationsMax = 50_000, untilRest = false } = options;
  const start = from ?? initialSnapshot(machine);
  const live = liveness(machine, start);
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

  find(start, null);
  let explored = 0;
  for (const at of situations) {
    if (explored === situationsMax) break;
    explored += 1;
    const { state } = at.snapshot;
    for (const signal of receivable(machine, state))
      if (!untilRest || !isPersons(machine, state, signal)) follow(machine, at, signal, { find, stuck });
  }
  return { machine, situations, stuck, unexplored: situations.length - explored };
}

interface Findings {
  readonly find: (snapshot: Snapshot, via: SpaceStep) => Situation;
  readonly stuck: Stuck[];
}

function follow(machine: Machine, at: Situation, signal: string, { find, stuck }: Findings): void {
  const route = stateOf(machine, at.snapshot.state).on[signal];
  if (!route) return void stuck.push({ at, signal, why: 'unhandled' });
  const chosen = chooseArm(route, at.snapshot);
  const arm = armsOf(route).indexOf(chosen);
  if ('refuse' in chosen) {
    at.steps.push({ from: at, signal, arm, loaded: null, to: at, refused: chosen.refuse });
    return;
  }
  if (chosen.to === 'return' && at.snapshot.returnTo === null) {
    return void stuck.push({ at, signal, why: 'no_return_address' });
  }
  for (const loaded of chosen.load === undefined ? [null] : loadsOf(machine, chosen.to, chosen.load)) {
    const sent: Signal = loaded === null ? { name: signal } : { name: signal, items: itemsOf(loaded.items) };
    const step = transition(machine, at.snapshot, sent);
    if (step.kind === 'refusal') return void stuck.push({ at, signal, why: 'budget_spent' });
    const taken = { from: at, signal, arm, loaded, to: at, refused: null };
    taken.to = find(step.snapshot, taken);
    at.steps.push(taken);
  }
}

/** A list that is loaded on the way into the state that works through it has something in it; any other may be empty. */
function loadsOf(machine: Machine, target: string, list: string): readonly NonNullable<SpaceStep['loaded']>[] {
  const entered = machine.states[target];
  const worked = entered?.kind === 'dispatch' && entered.each === list;
  const loads = Array.from({ length: itemsMax + 1 }, (_, items) => ({ list, items }));
  return worked ? loads.slice(1) : loads;
}

function itemsOf(size: number): readonly WorkItem[] {
  return Array.from({ length: size }, (_, index) => ({ id: `${index + 1}`, after: [] }));
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
