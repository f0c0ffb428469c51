/** The path of a run through its machine. */

import type { Machine, Outcome } from '../engine/machine.ts';
import { evolve, type Delta, type Snapshot } from '../engine/snapshot.ts';
import { branchesOf, chooseBranch, entryOf } from '../engine/transition.ts';
import type { Transition } from './diagram.ts';

/** A step as a journal tells it; one without a signal is a hand edit of the state file. */
export interface WalkedStep {
  readonly signal?: string;
  readonly change: Delta;
}

/** One transition, and how often it was taken. */
export interface WalkedTransition {
  readonly from: string;
  /** Null for a hand edit of the state file. */
  readonly signal: string | null;
  /** Which branch of the route; null where today's table has no such transition. */
  readonly branch: number | null;
  readonly to: string;
  readonly times: number;
}

export interface Walk {
  readonly run: string;
  readonly state: string;
  readonly outcome: Outcome | null;
  /** The rest of each budget. */
  readonly budgets: Readonly<Record<string, number>>;
  /** Every state it was in, in order. */
  readonly path: readonly string[];
  /** In the order of the first time. */
  readonly taken: readonly WalkedTransition[];
}

export function walkOf(machine: Machine, run: string, start: Snapshot, steps: readonly WalkedStep[]): Walk {
  const taken = new Map<string, WalkedTransition>();
  const path = [start.state];
  let snapshot = start;
  for (const { signal = null, change } of steps) {
    const next = evolve(snapshot, change);
    const branch = branchOf(machine, snapshot, signal, next.state);
    const transition = { from: snapshot.state, signal, branch, to: next.state };
    const key = JSON.stringify(transition);
    taken.set(key, { ...transition, times: (taken.get(key)?.times ?? 0) + 1 });
    path.push(next.state);
    snapshot = next;
  }
  const { state, outcome, budgets } = snapshot;
  return { run, state, outcome, budgets, path, taken: [...taken.values()] };
}

/** Whether this is the transition of the table that was taken. */
export function isOf({ from, signal, branch }: WalkedTransition, transition: Transition): boolean {
  return from === transition.from && signal === transition.signal && branch === transition.branch;
}

/** The branch the table takes today, if it leads where the run went: the journal may be older than the table. */
function branchOf(machine: Machine, before: Snapshot, signal: string | null, to: string): number | null {
  const route = signal === null ? undefined : machine.states[before.state]?.on[signal];
  if (!route) return null;
  const branch = chooseBranch(route, before);
  if ('refuse' in branch) return null;
  const named = branch.to === 'again' ? before.state : branch.to === 'return' ? before.returnTo : branch.to;
  const target = named === null || named === branch.to ? named : entryOf(machine, named);
  return target === to ? branchesOf(route).indexOf(branch) : null;
}
