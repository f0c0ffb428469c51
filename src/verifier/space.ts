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
import { transition } from '../engine/transition.ts';
import { areMet, edgesOf, valuesAfter, type Edge, type Edges, type Budgets } from './edges.ts';
import { futureKeys, type FutureKeys } from './liveness.ts';
import { returnAt, stateAt, type Values } from './variables.ts';

/** A situation and all ways on from it. */
export class Situation {
  /** Its place among the situations of the space. */
  readonly number: number;
  readonly values: Values;
  /** The step it was found by first; null at the start. */
  readonly via: SpaceStep | null;
  readonly #graph: Graph;
  #snapshot: Snapshot | null;

  constructor(graph: Graph, values: Values, found: Snapshot | Omit<SpaceStep, 'to'>) {
    this.#graph = graph;
    this.number = graph.situations.length;
    this.values = values;
    this.via = 'edge' in found ? { ...found, to: this } : null;
    this.#snapshot = 'edge' in found ? null : found;
  }

  get state(): string {
    return this.#graph.edges.variables.states[this.values[stateAt] ?? 0] ?? '';
  }

  /** The engine's, on the way it was found by. */
  get snapshot(): Snapshot {
    this.#snapshot ??= this.via && snapshotAfter(this.#graph, this.via);
    return this.#snapshot ?? initialSnapshot(this.#graph.machine);
  }

  get steps(): readonly SpaceStep[] {
    const { edges, situations, first, to, by } = this.#graph;
    const steps: SpaceStep[] = [];
    for (let step = first[this.number] ?? 0; step < (first[this.number + 1] ?? 0); step += 1) {
      const edge = edges.all[by[step] ?? 0];
      const target = situations[to[step] ?? 0];
      if (edge && target) steps.push({ from: this, edge, to: target });
    }
    return steps;
  }
}

export interface SpaceStep {
  readonly from: Situation;
  readonly edge: Edge;
  /** The situation itself when the signal is refused. */
  readonly to: Situation;
}

/** Steps are numbers, too: those from a situation are from `first[situation]` on and below `first[situation + 1]`. */
interface Graph {
  readonly machine: Machine;
  /** The budgets that are left open. */
  readonly open: readonly string[];
  readonly edges: Edges;
  readonly situations: readonly Situation[];
  readonly first: readonly number[];
  /** By step: the number of the situation it leads to, and that of its edge. */
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
  /** Where it was explored from. */
  readonly starts: readonly Situation[];
  /** The first step by each edge that is taken. */
  readonly firsts: readonly SpaceStep[];
  readonly stuck: readonly Stuck[];
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
  const graph = { machine, open, edges: edgesOf(machine, open), situations: [], first: [0], to: [], by: [] };
  return { ...graph, starts: [], firsts: [], stuck: [], unexplored: 0 };
}

/** The budgets that are renewed with every item. */
export function itemBudgets(machine: Machine): readonly string[] {
  return Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
}

class Explorer {
  readonly #before: Space;
  readonly #options: ExploreOptions;
  readonly #start: Snapshot;
  /** By the place of a budget. */
  readonly #limits: Values;
  readonly #keys: FutureKeys;
  readonly #found = new Map<number, Situation>();
  readonly #graph: Graph & Record<'first' | 'to' | 'by', number[]> & { readonly situations: Situation[] };
  readonly #firsts: SpaceStep[];
  readonly #stuck: Stuck[];
  /** By edge: where it led the last time. */
  readonly #targets: (Situation | Stuck['why'])[] = [];
  readonly #isKnown: boolean[] = [];

  constructor(before: Space, options: ExploreOptions) {
    const { machine, open, edges, situations, first, to, by } = before;
    this.#before = before;
    this.#options = options;
    this.#start = options.from ?? initialSnapshot(machine);
    this.#limits = edges.variables.of({ ...this.#start, budgets: this.#start.limits });
    this.#keys = futureKeys(edges, edges.variables.of(this.#start), options.untilRest);
    const steps = { first: [...first], to: [...to], by: [...by] };
    this.#graph = { machine, open, edges, situations: [...situations], ...steps };
    this.#firsts = [...before.firsts];
    for (const { edge } of before.firsts) this.#isKnown[edge.number] = true;
    this.#stuck = [...before.stuck];
  }

  space(): Space {
    const { situationsMax = 50_000, beside = [] } = this.#options;
    const { edges, situations, first, to } = this.#graph;
    const starts = [this.#start, ...beside].map((one) => this.#find(edges.variables.of(one), one));
    const end = this.#before.situations.length + situationsMax;
    for (let at = starts[0]; at && at.number < end; at = situations[at.number + 1]) {
      this.#follow(at);
      first.push(to.length);
    }
    const unexplored = situations.length + 1 - first.length;
    while (first.length <= situations.length) first.push(to.length);
    return {
      ...this.#graph,
      starts: [...this.#before.starts, ...starts],
      firsts: this.#firsts,
      stuck: this.#stuck,
      unexplored: this.#before.unexplored + unexplored,
    };
  }

  #find(values: Values, found: Snapshot | Omit<SpaceStep, 'to'>): Situation {
    const key = this.#keys.of(values);
    const known = this.#found.get(key);
    if (known) return known;
    const situation = new Situation(this.#graph, values, found);
    this.#found.set(key, situation);
    this.#graph.situations.push(situation);
    return situation;
  }

  #follow(from: Situation): void {
    const { edges, unhandled } = this.#graph.edges.from(from.values[stateAt] ?? 0);
    for (const signal of unhandled) this.#stuck.push({ at: from, signal, why: 'unhandled' });
    for (const edge of edges) {
      if (edge.by === 'person' && this.#options.untilRest) continue;
      if (!areMet(edge.conditions, from.values)) continue;
      const to = (edge.twin && this.#targets[edge.twin.number]) ?? this.#after(from, edge);
      this.#targets[edge.number] = to;
      if (typeof to === 'string') this.#stuck.push({ at: from, signal: edge.signal, why: to });
      else this.#add(from, edge, to);
    }
  }

  #add(from: Situation, edge: Edge, to: Situation): void {
    this.#graph.to.push(to.number);
    this.#graph.by.push(edge.number);
    if (this.#isKnown[edge.number]) return;
    this.#isKnown[edge.number] = true;
    this.#firsts.push({ from, edge, to });
  }

  /** Where a edge leads, or why nowhere. */
  #after(from: Situation, edge: Edge): Situation | Stuck['why'] {
    const { to, needs, isBroke } = edge.effect;
    if (!edge.move) return from;
    if (to === -1 && from.values[returnAt] === 0) return 'no_return_address';
    if (isBroke || (needs !== -1 && (from.values[needs] ?? 0) <= 0)) return 'budget_spent';
    return this.#find(valuesAfter(edge, from.values, this.#limits), { from, edge });
  }
}

function snapshotAfter({ machine, open }: Graph, { from, edge }: SpaceStep): Snapshot {
  const answer = transition(machine, assuming(from.snapshot, edge.assumed), edge.sent);
  if (answer.kind === 'refusal') throw new Error(`internal error: the engine refuses ${edge.state}.${edge.signal}`);
  const asBefore = Object.fromEntries(open.map((name) => [name, from.snapshot.budgets[name] ?? 0]));
  return assuming(answer.snapshot, asBefore);
}

/** A snapshot in which so much is left of budgets that are left open. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  return { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
}
