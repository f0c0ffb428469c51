/**
 * The complete state space of a workflow, explored with the engine's own `transition`.
 *
 * S1. Two explored states are one when their futures cannot differ: what is not read again makes no difference,
 *     and the items of a list count only by their number.
 * S2. Breadth first, so the path back to the start from any explored state is a shortest one.
 * S3. Nothing is cut off silently: a space larger than `statesMax` says so.
 * S4. Budgets of an item are symbolic: no explored state knows what is left of one, and where a route asks, it is
 *     followed with some left and with none. So what holds on every path holds whatever their limits are, and four of
 *     them do not multiply the states. An exact exploration counts them like all others.
 */

import type { Machine } from '../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { transition } from '../engine/transition.ts';
import { areMet, edgesOf, obstacle, valuesAfter, type Edge, type Edges, type Budgets } from './edges.ts';
import { futureKeys } from './liveness.ts';
import { stateAt, type Values } from './variables.ts';

/** Values that a run can have, and all steps from there. */
export class ExploredState {
  readonly number: number;
  readonly values: Values;
  /** The step it was found by first; null at the start. */
  readonly via: SpaceStep | null;
  readonly #graph: Graph;
  #snapshot: Snapshot | null;

  constructor(graph: Graph, values: Values, origin: Snapshot | Omit<SpaceStep, 'to'>) {
    this.#graph = graph;
    this.number = graph.states.length;
    this.values = values;
    // Spelled out: a spread is slow, and there are thousands.
    this.via = 'edge' in origin ? { from: origin.from, edge: origin.edge, to: this } : null;
    this.#snapshot = 'edge' in origin ? null : origin;
  }

  get state(): string {
    return this.#graph.edges.variables.states[this.values[stateAt] ?? 0] ?? '';
  }

  /** The engine's, on the path it was found by. */
  get snapshot(): Snapshot {
    this.#snapshot ??= this.via && snapshotAfter(this.#graph, this.via);
    return this.#snapshot ?? initialSnapshot(this.#graph.machine);
  }

  get steps(): readonly SpaceStep[] {
    const { first } = this.#graph;
    const steps: SpaceStep[] = [];
    for (let step = first[this.number] ?? 0; step < (first[this.number + 1] ?? 0); step += 1)
      steps.push(stepAt(this.#graph, step));
    return steps;
  }
}

export interface SpaceStep {
  readonly from: ExploredState;
  readonly edge: Edge;
  /** The state itself when the signal is refused. */
  readonly to: ExploredState;
}

export function stepAt({ states, edges, first, to, by }: Graph, step: number): SpaceStep {
  let least = 0;
  for (let most = states.length - 1; least < most;) {
    const middle = (least + most + 1) >> 1;
    if ((first[middle] ?? 0) <= step) least = middle;
    else most = middle - 1;
  }
  const [from, edge, target] = [states[least], edges.all[by[step] ?? -1], states[to[step] ?? -1]];
  if (!from || !edge || !target) throw new Error(`internal error: the space has no step ${step}`);
  return { from, edge, to: target };
}

/** Steps are numbers, too: those from a state are from `first[state]` on and below `first[state + 1]`. */
interface Graph {
  readonly machine: Machine;
  readonly symbolic: readonly string[];
  readonly edges: Edges;
  readonly states: readonly ExploredState[];
  readonly first: Int32Array;
  /** By step: the number of the state it leads to, and that of its edge. */
  readonly to: Int32Array;
  readonly by: Int32Array;
}

/** A signal that leads nowhere. */
export interface Stuck {
  readonly at: ExploredState;
  readonly signal: string;
  readonly why: 'unhandled' | 'budget_spent' | 'no_return_address';
}

export interface Space extends Graph {
  readonly starts: readonly ExploredState[];
  /** The first step by each edge that is taken. */
  readonly firsts: readonly SpaceStep[];
  readonly stuck: readonly Stuck[];
  /** States that were found but not followed, because there were too many. */
  readonly unexplored: number;
}

export interface ExploreOptions {
  readonly from?: Snapshot;
  /** Further starts, in the same state with the same flags and return address. */
  readonly beside?: readonly Snapshot[];
  /** A space with other limits that this one is added to. */
  readonly onto?: Space;
  readonly statesMax?: number;
  /** Stop wherever the run rests for a person. */
  readonly untilRest?: boolean;
  /** Count the budgets of an item too. */
  readonly exact?: boolean;
}

export function explore(machine: Machine, options: ExploreOptions = {}): Space {
  const { from: start = initialSnapshot(machine), beside = [], statesMax = 50_000, untilRest } = options;
  const itemBudgets = Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
  const before = options.onto ?? emptySpace(machine, options.exact ? [] : itemBudgets);
  const { edges } = before;
  const { variables } = edges;
  const limits = variables.of({ ...start, budgets: start.limits });
  const keyOf = futureKeys(edges, variables.of(start), untilRest);
  const space = copyOf(before);
  const { states, firsts, stuck } = space;
  const [first, to, by]: [number[], number[], number[]] = [[], [], []];
  const isKnown: boolean[] = [];
  for (const { edge } of firsts) isKnown[edge.number] = true;
  const found = new Map<number, ExploredState>();
  /** By edge: where it led the last time. */
  const targets: (ExploredState | Stuck['why'])[] = [];

  const find = (values: Values, origin: Snapshot | Omit<SpaceStep, 'to'>): ExploredState => {
    const key = keyOf(values);
    const known = found.get(key);
    if (known) return known;
    const state = new ExploredState(space, values, origin);
    found.set(key, state);
    states.push(state);
    return state;
  };
  const after = (from: ExploredState, edge: Edge): ExploredState | Stuck['why'] =>
    edge.move ? (obstacle(edge, from.values) ?? find(valuesAfter(edge, from.values, limits), { from, edge })) : from;
  const follow = (from: ExploredState): void => {
    const outlets = edges.from(from.values[stateAt] ?? 0);
    for (const signal of outlets.unhandled) stuck.push({ at: from, signal, why: 'unhandled' });
    for (const edge of outlets.edges) {
      if ((edge.by === 'person' && untilRest) || !areMet(edge.conditions, from.values)) continue;
      const target = (edge.twin && targets[edge.twin.number]) ?? after(from, edge);
      targets[edge.number] = target;
      if (typeof target === 'string') {
        stuck.push({ at: from, signal: edge.signal, why: target });
        continue;
      }
      to.push(target.number);
      by.push(edge.number);
      if (!isKnown[edge.number]) firsts.push({ from, edge, to: target });
      isKnown[edge.number] = true;
    }
  };

  const starts = [start, ...beside].map((one) => find(variables.of(one), one));
  const end = before.states.length + statesMax;
  for (let at = starts[0]; at && at.number < end; at = states[at.number + 1]) {
    follow(at);
    first.push(before.to.length + to.length);
  }
  space.unexplored += states.length - before.states.length - first.length;
  while (before.states.length + first.length < states.length) first.push(before.to.length + to.length);
  space.starts.push(...starts);
  space.first = appended(before.first, first);
  space.to = appended(before.to, to);
  space.by = appended(before.by, by);
  return space;
}

export function emptySpace(machine: Machine, symbolic: readonly string[] = []): Space {
  const edges = edgesOf(machine, symbolic);
  const [first, to, by] = [new Int32Array(1), new Int32Array(), new Int32Array()];
  return { machine, symbolic, edges, states: [], first, to, by, starts: [], firsts: [], stuck: [], unexplored: 0 };
}

/** Spelled out: spaces of one form are read faster. */
function copyOf(before: Space) {
  const { machine, symbolic, edges, first, to, by, unexplored } = before;
  const [states, starts] = [[...before.states], [...before.starts]];
  const [firsts, stuck] = [[...before.firsts], [...before.stuck]];
  return { machine, symbolic, edges, states, first, to, by, starts, firsts, stuck, unexplored };
}

function appended(before: Int32Array, more: readonly number[]): Int32Array {
  const all = new Int32Array(before.length + more.length);
  all.set(before);
  all.set(more, before.length);
  return all;
}

function snapshotAfter({ machine, symbolic }: Graph, { from, edge }: SpaceStep): Snapshot {
  const answer = transition(machine, assuming(from.snapshot, edge.assumed), edge.sent);
  if (answer.kind === 'refusal') throw new Error(`internal error: the engine refuses ${edge.state}.${edge.signal}`);
  const asBefore = Object.fromEntries(symbolic.map((name) => [name, from.snapshot.budgets[name] ?? 0]));
  return assuming(answer.snapshot, asBefore);
}

/** A snapshot in which so much is left of symbolic budgets. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  return { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
}
