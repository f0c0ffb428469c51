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

import type { Machine } from '../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { chooseArm, transition } from '../engine/transition.ts';
import { Branches, type Branch, type Budgets } from './branches.ts';
import { futureKeys, type FutureKeys } from './liveness.ts';

/** A situation and all ways on from it. */
export class Situation {
  /** Its place among the situations of the space. */
  readonly number: number;
  readonly snapshot: Snapshot;
  /** The step it was found by first; null at the start. */
  readonly via: SpaceStep | null;
  readonly #graph: Graph;

  constructor(graph: Graph, snapshot: Snapshot, via: Omit<SpaceStep, 'to'> | null) {
    this.#graph = graph;
    this.number = graph.situations.length;
    this.snapshot = snapshot;
    this.via = via && { ...via, to: this };
  }

  get steps(): readonly SpaceStep[] {
    const { branches, situations, first, to, by } = this.#graph;
    const steps: SpaceStep[] = [];
    for (let step = first[this.number] ?? 0; step < (first[this.number + 1] ?? 0); step += 1) {
      const branch = branches.all[by[step] ?? 0];
      const target = situations[to[step] ?? 0];
      if (branch && target) steps.push({ from: this, branch, to: target });
    }
    return steps;
  }
}

export interface SpaceStep {
  readonly from: Situation;
  readonly branch: Branch;
  /** The situation itself when the signal is refused. */
  readonly to: Situation;
}

/** Steps are numbers, too: those from a situation are from `first[situation]` on and below `first[situation + 1]`. */
export interface Graph {
  readonly branches: Branches;
  readonly situations: readonly Situation[];
  readonly first: readonly number[];
  /** By step: the number of the situation it leads to, and that of its branch. */
  readonly to: readonly number[];
  readonly by: readonly number[];
}

/** A signal that has no way on. */
export interface Stuck {
  readonly at: Situation;
  readonly signal: string;
  readonly why: 'unhandled' | 'budget_spent' | 'no_return_address';
}

export interface Space extends Graph {
  readonly machine: Machine;
  /** Where it was explored from. */
  readonly starts: readonly Situation[];
  /** The first step by each branch that is taken. */
  readonly firsts: readonly SpaceStep[];
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
  /** A space with other limits that this one is added to. */
  readonly onto?: Space;
  readonly situationsMax?: number;
  /** Stop wherever the run rests for a person. */
  readonly untilRest?: boolean;
  /** Count the budgets of an item too. */
  readonly exact?: boolean;
}

export function explore(machine: Machine, options: ExploreOptions = {}): Space {
  return new Explorer(options.onto ?? emptySpace(machine, options.exact ? [] : itemBudgets(machine)), options).space();
}

export function emptySpace(machine: Machine, open: readonly string[] = []): Space {
  const graph = { branches: new Branches(machine, open), situations: [], first: [0], to: [], by: [] };
  return { ...graph, machine, starts: [], firsts: [], stuck: [], open, unexplored: 0 };
}

/** The budgets that are renewed with every item. */
export function itemBudgets(machine: Machine): readonly string[] {
  return Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
}

class Explorer {
  readonly #before: Space;
  readonly #options: ExploreOptions;
  readonly #start: Snapshot;
  readonly #keys: FutureKeys;
  readonly #found = new Map<number, Situation>();
  readonly #graph: Graph & Record<'first' | 'to' | 'by', number[]> & { readonly situations: Situation[] };
  readonly #firsts: SpaceStep[];
  /** By branch: where it led the last time. */
  readonly #targets: (Situation | Stuck['why'])[] = [];
  readonly #isTaken: boolean[] = [];
  readonly #stuck: Stuck[];
  /** What situations say about budgets that are left open: always the same. */
  readonly #asBefore: Budgets;

  constructor(before: Space, options: ExploreOptions) {
    this.#before = before;
    this.#options = options;
    this.#start = options.from ?? initialSnapshot(before.machine);
    const { untilRest = false } = options;
    this.#keys = futureKeys(before.machine, this.#start, { leftOpen: before.open, untilRest });
    const { branches, situations, first, to, by } = before;
    this.#graph = { branches, situations: [...situations], first: [...first], to: [...to], by: [...by] };
    this.#firsts = [...before.firsts];
    for (const { branch } of before.firsts) this.#isTaken[branch.number] = true;
    this.#stuck = [...before.stuck];
    this.#asBefore = Object.fromEntries(before.open.map((name) => [name, this.#start.budgets[name] ?? 0]));
  }

  space(): Space {
    const { situationsMax = 50_000, beside = [] } = this.#options;
    const { situations, first, to } = this.#graph;
    const starts = [this.#start, ...beside].map((one) => this.#find(one, null));
    const end = this.#before.situations.length + situationsMax;
    for (let at = starts[0]; at && at.number < end; at = situations[at.number + 1]) {
      this.#follow(at);
      first.push(to.length);
    }
    const unexplored = situations.length + 1 - first.length;
    while (first.length <= situations.length) first.push(to.length);
    return {
      ...this.#before,
      ...this.#graph,
      starts: [...this.#before.starts, ...starts],
      firsts: this.#firsts,
      stuck: this.#stuck,
      unexplored: this.#before.unexplored + unexplored,
    };
  }

  #find(snapshot: Snapshot, via: Omit<SpaceStep, 'to'> | null): Situation {
    const key = this.#keys.of(snapshot);
    const known = this.#found.get(key);
    if (known) return known;
    const situation = new Situation(this.#graph, snapshot, via);
    this.#found.set(key, situation);
    this.#graph.situations.push(situation);
    return situation;
  }

  #follow(from: Situation): void {
    for (const { signal, by, route, branches } of this.#graph.branches.from(from.snapshot.state)) {
      if (by === 'person' && this.#options.untilRest) continue;
      if (!route) this.#stuck.push({ at: from, signal, why: 'unhandled' });
      for (const branch of branches) {
        const snapshot = assuming(from.snapshot, branch.assumed);
        if (route && branches.length > 1 && chooseArm(route, snapshot) !== branch.chosen) continue;
        const to = (branch.twin && this.#targets[branch.twin.number]) ?? this.#after(snapshot, { from, branch });
        this.#targets[branch.number] = to;
        if (typeof to === 'string') this.#stuck.push({ at: from, signal, why: to });
        else this.#add(from, branch, to);
      }
    }
  }

  #add(from: Situation, branch: Branch, to: Situation): void {
    this.#graph.to.push(to.number);
    this.#graph.by.push(branch.number);
    if (this.#isTaken[branch.number]) return;
    this.#isTaken[branch.number] = true;
    this.#firsts.push({ from, branch, to });
  }

  /** Where a step leads, or why nowhere. */
  #after(snapshot: Snapshot, step: Omit<SpaceStep, 'to'>): Situation | Stuck['why'] {
    const { move, sent } = step.branch;
    if (!move) return step.from;
    if (move.to === 'return' && snapshot.returnTo === null) return 'no_return_address';
    const answer = transition(this.#before.machine, snapshot, sent);
    if (answer.kind === 'refusal') return 'budget_spent';
    return this.#find(assuming(answer.snapshot, this.#asBefore), step);
  }
}

/** A snapshot in which so much is left of budgets that are left open. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  for (const name of Object.keys(assumed))
    if (snapshot.budgets[name] !== assumed[name]) return { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
  return snapshot;
}
