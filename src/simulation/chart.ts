/**
 * The states that simulated runs get into, and how likely each transition from there is.
 *
 * C1. Every transition is one of the engine's, by the edges of the verifier; walks after the first only follow it.
 * C2. A signal that would be refused is never taken.
 * C3. States whose futures cannot differ are one, as in the verifier's space.
 */

import { crewOf, type Outcome, type State } from '../engine/machine.ts';
import { stateOf } from '../engine/transition.ts';
import { areMet, edgesOf, itemsMax, obstacle, valuesAfter, type Edge, type Edges } from '../verifier/edges.ts';
import { futureKeys, type FutureKey } from '../verifier/liveness.ts';
import { remembered } from '../verifier/pairs.ts';
import type { Space } from '../verifier/space.ts';
import { stateAt, type Values } from '../verifier/variables.ts';
import { drawItems, usualItems, type ItemOdds, type Odds } from './odds.ts';
import type { Random } from './random.ts';

export interface Spot {
  readonly values: Values;
  readonly state: string;
  readonly kind: State['kind'];
  readonly crew: readonly string[];
  /** At the end of a run, what its caller is told. */
  readonly outcome: Outcome | null;
  /** Undefined until a walk gets here. */
  transitions: readonly ChanceTransition[] | undefined;
}

export interface ChanceTransition {
  readonly from: Spot;
  readonly edge: Edge;
  /** The upper end of its share of the numbers from 0 to 1. */
  readonly upTo: number;
  readonly load: { readonly odds: ItemOdds; readonly least: number } | null;
  /** The target, by the number of items that come along. */
  readonly to: (Spot | undefined)[];
}

export interface Witness {
  dispatched(role: string): void;
  acted(transition: ChanceTransition, label: string): void;
}

/** `stuck` where every signal would be refused, `unended` after `stepsMax` steps. */
export interface WalkEnd {
  readonly how: 'ended' | 'stuck' | 'unended';
  readonly at: Spot;
}

/** Long before that, a run that gets anywhere has got there. */
export const stepsMax = 10_000;

type Share = readonly [edge: Edge, share: number];

export class Chart {
  readonly start: Spot;
  readonly #odds: Odds;
  readonly #faults: boolean;
  readonly #space: Space;
  readonly #edges: Edges;
  readonly #keyOf: FutureKey;
  /** By the index of a budget. */
  readonly #limits: Values;
  readonly #spots = new Map<number, Spot>();
  #distance: ((values: Values) => number) | undefined;

  /** Starts where the space does. */
  constructor(space: Space, { odds, faults }: { readonly odds: Odds; readonly faults: boolean }) {
    const [first] = space.states;
    if (!first) throw new Error('a space has a start');
    this.#odds = odds;
    this.#faults = faults;
    this.#space = space;
    this.#edges = edgesOf(space.machine, []);
    const { variables } = this.#edges;
    const values = variables.of(first.snapshot);
    this.#limits = variables.of({ ...first.snapshot, budgets: first.snapshot.limits });
    this.#keyOf = futureKeys(this.#edges, values);
    this.start = this.#spot(values, null);
  }

  /** One run as chance leads it, from the start to an end, or as far as a walk may go. */
  walk(random: Random, witness: Witness): WalkEnd {
    let at = this.start;
    for (let steps = 0; steps < stepsMax; steps += 1) {
      for (const role of at.crew) witness.dispatched(role);
      const open = this.transitionsFrom(at);
      const fraction = open.length > 1 ? random.fraction() : 0;
      // The last one where rounding leaves a gap below 1.
      const transition = open.find(({ upTo }) => fraction < upTo) ?? open.at(-1);
      if (!transition) return { how: at.kind === 'final' ? 'ended' : 'stuck', at };
      const { edge, load } = transition;
      if (edge.label !== null) witness.acted(transition, edge.label);
      at = this.follow(transition, load ? drawItems(load.odds, load.least, random) : 0);
    }
    return { how: 'unended', at };
  }

  /** None at the end, and where every signal would be refused. */
  transitionsFrom(spot: Spot): readonly ChanceTransition[] {
    return (spot.transitions ??= this.#transitionsFrom(spot));
  }

  follow({ from, edge, to }: ChanceTransition, items: number): Spot {
    return (to[items] ??= this.#spot(this.#after(from.values, edge, items), edge));
  }

  #transitionsFrom(spot: Spot): readonly ChanceTransition[] {
    const open = this.#openIn(spot);
    const shares = spot.kind === 'dispatch' ? this.#dispatchShares(open) : this.#shares(spot, open);
    const transitions: ChanceTransition[] = [];
    let upTo = 0;
    for (const [edge, share] of shares) {
      if (share <= 0) continue;
      upTo += share;
      const { loaded } = edge;
      const load = loaded && { odds: this.#odds.items[loaded.list] ?? usualItems, least: loaded.items };
      transitions.push({ from: spot, edge, upTo, load, to: [] });
    }
    return transitions;
  }

  /** C2. One edge for each signal; where it loads a list, the one with the fewest items. */
  #openIn({ values }: Spot): readonly Edge[] {
    const { edges } = this.#edges.from(values[stateAt] ?? 0);
    const open = new Map<string, Edge>();
    for (const edge of edges)
      if (edge.move && !open.has(edge.signal) && areMet(edge.conditions, values) && !obstacle(edge, values))
        open.set(edge.signal, edge);
    return [...open.values()];
  }

  #dispatchShares(open: readonly Edge[]): readonly Share[] {
    const failures = open
      .filter(({ by }) => by === 'fault')
      .map((edge): Share => [edge, this.#faults ? (this.#odds.faults[edge.signal] ?? 0) : 0]);
    const rest = 1 - failures.reduce((sum, [, share]) => sum + share, 0);
    const reports = this.#weighed(open.filter(({ by }) => by !== 'fault'));
    return [...reports.map(([edge, share]): Share => [edge, share * rest]), ...failures];
  }

  #shares({ values, kind }: Spot, open: readonly Edge[]): readonly Share[] {
    const isAtRest = kind === 'parked' || kind === 'decide';
    return isAtRest && open.every((edge) => this.#weightOf(edge) === 0)
      ? this.#shortest(values, open)
      : this.#weighed(open);
  }

  /** By their weights; equally where none of those that are open has any. */
  #weighed(open: readonly Edge[]): readonly Share[] {
    const sum = open.reduce((total, edge) => total + this.#weightOf(edge), 0);
    return open.map((edge) => [edge, sum === 0 ? 1 / open.length : this.#weightOf(edge) / sum]);
  }

  #weightOf({ state, signal }: Edge): number {
    return this.#odds.weights[state]?.[signal] ?? 0;
  }

  /** A question is withdrawn only where there is no answer to give. */
  #shortest(values: Values, open: readonly Edge[]): readonly Share[] {
    const distance = (this.#distance ??= this.#distances());
    const answers = open.filter(({ signal }) => signal !== 'withdrawn');
    const choices = answers.length > 0 ? answers : open;
    const steps = choices.map((edge) => distance(this.#after(values, edge, 1)));
    const least = Math.min(...steps);
    const best = least === Infinity ? undefined : choices[steps.indexOf(least)];
    return best === undefined ? choices.map((edge) => [edge, 1 / choices.length]) : [[best, 1]];
  }

  /**
   * Steps to the nearest end, when all goes well; infinite where none is known. People mostly know where they want to
   * go: without other odds, they do what leads there soonest.
   */
  #distances(): (values: Values) => number {
    const { states, edges, first, to, by, symbolic } = this.#space;
    const isTaken = edges.all.map((edge) => {
      const given = this.#odds.weights[edge.state];
      const comes = given ? (given[edge.signal] ?? 0) > 0 : edge.signal !== 'withdrawn';
      return edge.move !== null && edge.by !== 'fault' && comes;
    });
    const distances = states.map(({ state }) => (stateOf(this.#space.machine, state).kind === 'final' ? 0 : Infinity));
    for (let isNew = true; isNew;) {
      isNew = false;
      for (let from = states.length - 1; from >= 0; from -= 1)
        for (let step = first[from] ?? 0; step < (first[from + 1] ?? 0); step += 1) {
          const distance = (distances[to[step] ?? 0] ?? 0) + 1;
          if (distance >= (distances[from] ?? 0) || !isTaken[by[step] ?? 0]) continue;
          distances[from] = distance;
          isNew = true;
        }
    }
    const { variables } = edges;
    const keyOf = futureKeys(edges, states[0]?.values ?? []);
    const known = new Map(states.map(({ values, number }) => [keyOf(values), distances[number] ?? 0]));
    const isSymbolic = new Set(symbolic.map((name) => this.#edges.variables.indexOf('budgets', name)));
    const firstList = variables.size - variables.lists.length;
    return (values) => {
      // The space knows lists of few items, and not what is left of symbolic budgets.
      const own = values.filter((_, index) => !isSymbolic.has(index));
      return known.get(keyOf(own.map((value, at) => (at < firstList ? value : Math.min(value, itemsMax))))) ?? Infinity;
    };
  }

  #after(values: Values, edge: Edge, items: number): Values {
    const after = valuesAfter(edge, values, this.#limits);
    if (edge.loaded) after[this.#edges.variables.indexOf('lists', edge.loaded.list)] = items;
    return after;
  }

  #spot(values: Values, via: Edge | null): Spot {
    return remembered(this.#spots, this.#keyOf(values), () => {
      const name = this.#edges.variables.states[values[stateAt] ?? 0] ?? '';
      const state = stateOf(this.#space.machine, name);
      const outcome = state.kind === 'final' ? (via?.move?.outcome ?? state.outcome) : null;
      return { values, state: name, kind: state.kind, crew: crewOf(state), outcome, transitions: undefined };
    });
  }
}
