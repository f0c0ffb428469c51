/**
 * The situations that walks get into, and how likely each way on is.
 *
 * C1. Every way is the engine's own `transition`; it is worked out once, walks after that only follow it.
 * C2. A signal that would be refused is never a way.
 * C3. Situations whose futures cannot differ are one, as in the verifier's space.
 */

import type { Machine, Move } from '../engine/machine.ts';
import type { Snapshot, WorkItem } from '../engine/snapshot.ts';
import { chooseBranch, stateOf, transition } from '../engine/transition.ts';
import { edgesOf, type Edges } from '../verifier/edges.ts';
import { futureKeys, type FutureKeys } from '../verifier/liveness.ts';
import { isFault, isPersons, receivable } from '../verifier/receivable.ts';
import type { Space } from '../verifier/space.ts';
import { usualItems, type ItemOdds, type Odds } from './odds.ts';
import { distanceToEnd } from './shortest-way.ts';

export interface Spot {
  readonly snapshot: Snapshot;
  readonly kind: 'dispatch' | 'check' | 'decide' | 'parked' | 'final';
  readonly role: string | null;
  /** Undefined until somebody gets here. */
  ways: readonly Way[] | undefined;
}

export interface Way {
  readonly from: Spot;
  readonly signal: string;
  /** The upper end of its share of the numbers from 0 to 1. */
  readonly upTo: number;
  /** What the person did: a command, or the state and the answer given in it; null when it was no person. */
  readonly person: string | null;
  readonly load: { readonly odds: ItemOdds; readonly least: number } | null;
  /** Where it leads, by the number of items that come along. */
  readonly to: (Spot | undefined)[];
}

export interface ChartOptions {
  readonly odds: Odds;
  readonly faults: boolean;
}

export class Chart {
  readonly start: Spot;
  readonly #machine: Machine;
  readonly #options: ChartOptions;
  readonly #space: Space;
  readonly #edges: Edges;
  readonly #keys: FutureKeys;
  readonly #spots = new Map<number, Spot>();
  #distance: ReturnType<typeof distanceToEnd> | undefined;

  /** Starts where the space does. */
  constructor(space: Space, options: ChartOptions) {
    const [first] = space.situations;
    if (!first) throw new Error('a space has a start');
    this.#machine = space.machine;
    this.#options = options;
    this.#space = space;
    this.#edges = edgesOf(space.machine, []);
    this.#keys = futureKeys(this.#edges, this.#edges.variables.of(first.snapshot));
    this.start = this.#spot(first.snapshot);
  }

  /** None at the end, and where every signal would be refused. */
  waysFrom(spot: Spot): readonly Way[] {
    return (spot.ways ??= this.#waysFrom(spot));
  }

  follow(way: Way, items: number): Spot {
    return (way.to[items] ??= this.#spot(this.#after(way.from.snapshot, way.signal, items)));
  }

  #waysFrom(spot: Spot): readonly Way[] {
    if (spot.kind === 'final') return [];
    const { snapshot } = spot;
    const open = receivable(this.#machine, snapshot.state).filter((signal) => this.#move(snapshot, signal));
    const shares = spot.kind === 'dispatch' ? this.#dispatchShares(snapshot.state, open) : this.#shares(spot, open);
    const ways: Way[] = [];
    let upTo = 0;
    for (const [signal, share] of shares) {
      if (share <= 0) continue;
      upTo += share;
      ways.push({ from: spot, signal, upTo, person: this.#person(snapshot.state, signal), ...this.#way(spot, signal) });
    }
    return ways;
  }

  #dispatchShares(state: string, open: readonly string[]): [string, number][] {
    const { odds, faults } = this.#options;
    const failing = open.filter((signal) => isFault(this.#machine, state, signal));
    const failures = failing.map((signal): [string, number] => [signal, faults ? (odds.faults[signal] ?? 0) : 0]);
    const rest = 1 - failures.reduce((sum, [, share]) => sum + share, 0);
    const reports = this.#weighed(
      state,
      open.filter((signal) => !failing.includes(signal)),
    );
    return [...reports.map(([signal, share]): [string, number] => [signal, share * rest]), ...failures];
  }

  #shares(spot: Spot, open: readonly string[]): [string, number][] {
    const { state } = spot.snapshot;
    const given = this.#options.odds.weights[state] ?? {};
    const atRest = spot.kind === 'parked' || spot.kind === 'decide';
    return atRest && open.every((signal) => (given[signal] ?? 0) === 0)
      ? this.#shortest(spot.snapshot, open)
      : this.#weighed(state, open);
  }

  /** By their weights; equally where none of those that are open has any. */
  #weighed(state: string, open: readonly string[]): [string, number][] {
    const given = this.#options.odds.weights[state];
    const weights = open.map((signal) => given?.[signal] ?? 0);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return open.map((signal, index) => [signal, sum === 0 ? 1 / open.length : (weights[index] ?? 0) / sum]);
  }

  /** A question is withdrawn only where there is no answer to give. */
  #shortest(snapshot: Snapshot, open: readonly string[]): [string, number][] {
    this.#distance ??= distanceToEnd(this.#space, (state, signal) => this.#comes(state, signal));
    const answers = open.filter((signal) => signal !== 'withdrawn');
    const choices = answers.length > 0 ? answers : open;
    let best: string | undefined;
    let least = Infinity;
    for (const signal of choices) {
      const distance = this.#distance(this.#after(snapshot, signal, 1));
      if (distance >= least) continue;
      best = signal;
      least = distance;
    }
    return best === undefined ? choices.map((signal) => [signal, 1 / choices.length]) : [[best, 1]];
  }

  #comes(state: string, signal: string): boolean {
    const given = this.#options.odds.weights[state];
    if (given) return (given[signal] ?? 0) > 0;
    return signal !== 'withdrawn';
  }

  #person(state: string, signal: string): string | null {
    if (!isPersons(this.#machine, state, signal)) return null;
    return this.#machine.commands.includes(signal) ? signal : `${state}.${signal}`;
  }

  #way({ snapshot }: Spot, signal: string): Pick<Way, 'load' | 'to'> {
    const move = this.#move(snapshot, signal);
    if (move?.load === undefined) return { load: null, to: [] };
    const entered = this.#machine.states[move.to];
    const worked = entered !== undefined && 'each' in entered && entered.each === move.load;
    const odds = this.#options.odds.items[move.load] ?? usualItems;
    return { load: { odds, least: worked ? 1 : 0 }, to: [] };
  }

  /** C2: what the signal does, if the engine lets it. */
  #move(snapshot: Snapshot, signal: string): Move | undefined {
    const route = stateOf(this.#machine, snapshot.state).on[signal];
    const branch = route && chooseBranch(route, snapshot);
    if (!branch || 'refuse' in branch || (branch.to === 'return' && snapshot.returnTo === null)) return undefined;
    return transition(this.#machine, snapshot, { name: signal }).kind === 'step' ? branch : undefined;
  }

  /** C1. */
  #after(snapshot: Snapshot, name: string, items: number): Snapshot {
    const step = transition(this.#machine, snapshot, { name, items: itemsOf(items) });
    if (step.kind === 'refusal') throw new Error(`${snapshot.state}.${name} was open and is refused`);
    return step.snapshot;
  }

  #spot(snapshot: Snapshot): Spot {
    const key = this.#keys.of(this.#edges.variables.of(snapshot));
    const known = this.#spots.get(key);
    if (known) return known;
    const state = stateOf(this.#machine, snapshot.state);
    const role = state.kind === 'dispatch' ? state.role : null;
    const spot: Spot = { snapshot, kind: state.kind, role, ways: undefined };
    this.#spots.set(key, spot);
    return spot;
  }
}

function itemsOf(size: number): readonly WorkItem[] {
  return Array.from({ length: size }, (_, index) => ({ id: `${index + 1}`, after: [] }));
}
