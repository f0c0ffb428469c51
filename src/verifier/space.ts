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
import { futureKeys } from './liveness.ts';

/** A situation and all ways on from it. */
export interface Situation {
  /** Its place among the situations of the space. */
  readonly number: number;
  readonly snapshot: Snapshot;
  /** The step it was found by first; null at the start. */
  readonly via: SpaceStep | null;
  readonly steps: SpaceStep[];
}

export interface SpaceStep {
  readonly from: Situation;
  readonly branch: Branch;
  /** The situation itself when the signal is refused. */
  readonly to: Situation;
}

/** A signal that has no way on. */
export interface Stuck {
  readonly at: Situation;
  readonly signal: string;
  readonly why: 'unhandled' | 'budget_spent' | 'no_return_address';
}

export interface Space {
  readonly machine: Machine;
  readonly branches: Branches;
  readonly situations: readonly Situation[];
  /** Where it was explored from. */
  readonly starts: readonly Situation[];
  /** The first step by each branch that is taken. */
  readonly firsts: ReadonlyMap<Branch, SpaceStep>;
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
  const open = options.exact ? [] : itemBudgets(machine);
  return new Explorer(options.onto ?? emptySpace(machine, open), options).explored();
}

export function emptySpace(machine: Machine, open: readonly string[] = []): Space {
  const branches = new Branches(machine, open);
  return { machine, branches, situations: [], starts: [], firsts: new Map(), stuck: [], open, unexplored: 0 };
}

/** The budgets that are renewed with every item. */
export function itemBudgets(machine: Machine): readonly string[] {
  return Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
}

class Explorer {
  readonly #before: Space;
  readonly #options: ExploreOptions;
  readonly #start: Snapshot;
  readonly #keyOf: ReturnType<typeof futureKeys>;
  readonly #found = new Map<string, Situation>();
  readonly #situations: Situation[];
  readonly #firsts: Map<Branch, SpaceStep>;
  readonly #stuck: Stuck[];
  /** What situations say about budgets that are left open: always the same. */
  readonly #asBefore: Budgets;

  constructor(before: Space, options: ExploreOptions) {
    this.#before = before;
    this.#options = options;
    this.#start = options.from ?? initialSnapshot(before.machine);
    const { untilRest = false } = options;
    this.#keyOf = futureKeys(before.machine, this.#start, { leftOpen: before.open, untilRest });
    this.#situations = [...before.situations];
    this.#firsts = new Map(before.firsts);
    this.#stuck = [...before.stuck];
    this.#asBefore = Object.fromEntries(before.open.map((name) => [name, this.#start.budgets[name] ?? 0]));
  }

  explored(): Space {
    const { situationsMax = 50_000, beside = [] } = this.#options;
    const situations = this.#situations;
    const starts = [this.#start, ...beside].map((one) => this.#find(one, null));
    const end = this.#before.situations.length + situationsMax;
    let next = this.#before.situations.length;
    for (let at = situations[next]; at && next < end; at = situations[next]) {
      this.#follow(at);
      next += 1;
    }
    return {
      ...this.#before,
      situations,
      starts: [...this.#before.starts, ...starts],
      firsts: this.#firsts,
      stuck: this.#stuck,
      unexplored: this.#before.unexplored + situations.length - next,
    };
  }

  #find(snapshot: Snapshot, via: SpaceStep | null): Situation {
    const key = this.#keyOf(snapshot);
    const known = this.#found.get(key);
    if (known) return known;
    const situation: Situation = { number: this.#situations.length, snapshot, via, steps: [] };
    this.#found.set(key, situation);
    this.#situations.push(situation);
    return situation;
  }

  #follow(at: Situation): void {
    /** By effect. */
    const targets: (Situation | Stuck['why'])[] = [];
    for (const { signal, by, route, branches } of this.#before.branches.from(at.snapshot.state)) {
      if (by === 'person' && this.#options.untilRest) continue;
      if (!route) this.#stuck.push({ at, signal, why: 'unhandled' });
      for (const branch of branches) {
        const snapshot = assuming(at.snapshot, branch.assumed);
        if (route && branches.length > 1 && chooseArm(route, snapshot) !== branch.chosen) continue;
        const step = { from: at, branch, to: at };
        const to = (targets[branch.effect] ??= branch.move ? this.#after(snapshot, step) : at);
        if (typeof to === 'string') {
          this.#stuck.push({ at, signal, why: to });
          continue;
        }
        step.to = to;
        at.steps.push(step);
        if (!this.#firsts.has(branch)) this.#firsts.set(branch, step);
      }
    }
  }

  /** Where a step leads, or why nowhere. */
  #after(snapshot: Snapshot, step: SpaceStep): Situation | Stuck['why'] {
    if (step.branch.move?.to === 'return' && snapshot.returnTo === null) return 'no_return_address';
    const answer = transition(this.#before.machine, snapshot, step.branch.sent);
    if (answer.kind === 'refusal') return 'budget_spent';
    return this.#find(assuming(answer.snapshot, this.#asBefore), step);
  }
}

/** A snapshot in which so much is left of budgets that are left open. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  const isSo = Object.keys(assumed).every((name) => snapshot.budgets[name] === assumed[name]);
  return isSo ? snapshot : { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
}
