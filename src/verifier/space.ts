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
import { Branches, type Branch, type Budgets, type Outlet } from './branches.ts';
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
  const { from: start = initialSnapshot(machine), beside = [], onto, situationsMax = 50_000 } = options;
  const { untilRest = false, exact = false } = options;
  const open = exact ? [] : itemBudgets(machine);
  const { branches, ...before } = onto ?? emptySpace(machine, open);
  const keyOf = futureKeys(machine, start, { leftOpen: open, untilRest });
  const found = new Map<string, Situation>();
  const situations = [...before.situations];
  const firsts = new Map(before.firsts);
  const stuck = [...before.stuck];

  const find = (snapshot: Snapshot, via: SpaceStep | null): Situation => {
    const key = keyOf(snapshot);
    const known = found.get(key);
    if (known) return known;
    const situation: Situation = { number: situations.length, snapshot, via, steps: [] };
    found.set(key, situation);
    situations.push(situation);
    return situation;
  };

  const starts = [start, ...beside].map((one) => find(one, null));
  const asBefore = Object.fromEntries(open.map((name) => [name, start.budgets[name] ?? 0]));
  const end = before.situations.length + situationsMax;
  let next = before.situations.length;
  for (let at = situations[next]; at && next < end; at = situations[(next += 1)])
    for (const outlet of branches.from(at.snapshot.state))
      if (!untilRest || outlet.by !== 'person') follow(machine, at, outlet, { find, firsts, stuck, asBefore });
  const unexplored = before.unexplored + situations.length - next;
  return { machine, branches, situations, starts: [...before.starts, ...starts], firsts, stuck, open, unexplored };
}

export function emptySpace(machine: Machine, open: readonly string[] = []): Space {
  const branches = new Branches(machine, open);
  return { machine, branches, situations: [], starts: [], firsts: new Map(), stuck: [], open, unexplored: 0 };
}

/** The budgets that are renewed with every item. */
export function itemBudgets(machine: Machine): readonly string[] {
  return Object.keys(machine.budgets).filter((name) => machine.budgets[name]?.scope === 'item');
}

interface Findings {
  readonly find: (snapshot: Snapshot, via: SpaceStep) => Situation;
  readonly firsts: Map<Branch, SpaceStep>;
  readonly stuck: Stuck[];
  /** What situations say about budgets that are left open: always the same. */
  readonly asBefore: Budgets;
}

function follow(machine: Machine, at: Situation, { signal, route, branches }: Outlet, findings: Findings): void {
  const { find, firsts, stuck, asBefore } = findings;
  if (!route) return void stuck.push({ at, signal, why: 'unhandled' });
  for (const branch of branches) {
    const snapshot = assuming(at.snapshot, branch.assumed);
    if (chooseArm(route, snapshot) !== branch.chosen) continue;
    const why = branch.move?.to === 'return' && snapshot.returnTo === null ? 'no_return_address' : 'budget_spent';
    const answer = branch.move && why === 'budget_spent' ? transition(machine, snapshot, branch.sent) : null;
    if (branch.move && answer?.kind !== 'step') {
      stuck.push({ at, signal, why });
      continue;
    }
    const step = { from: at, branch, to: at };
    if (answer?.kind === 'step') step.to = find(assuming(answer.snapshot, asBefore), step);
    at.steps.push(step);
    if (!firsts.has(branch)) firsts.set(branch, step);
  }
}

/** A snapshot in which so much is left of budgets that are left open. */
export function assuming(snapshot: Snapshot, assumed: Budgets): Snapshot {
  const isSo = Object.keys(assumed).every((name) => snapshot.budgets[name] === assumed[name]);
  return isSo ? snapshot : { ...snapshot, budgets: { ...snapshot.budgets, ...assumed } };
}
