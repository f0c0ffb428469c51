/** The way a run took through its machine. */

import type { Machine, Outcome } from '../engine/machine.ts';
import { evolve, type Delta, type Snapshot } from '../engine/snapshot.ts';
import { branchesOf, chooseBranch } from '../engine/transition.ts';
import type { Way } from './diagram.ts';

/** A step as a journal tells it; one without a signal is a hand edit of the state file. */
export interface WalkedStep {
  readonly signal?: string;
  readonly change: Delta;
}

/** One way, and how often it was taken. */
export interface Taken {
  readonly from: string;
  /** Null for a hand edit of the state file. */
  readonly signal: string | null;
  /** Which branch of the route; null where today's table has no such way. */
  readonly branch: number | null;
  readonly to: string;
  readonly times: number;
}

export interface Walk {
  readonly run: string;
  /** Where the run is. */
  readonly state: string;
  readonly outcome: Outcome | null;
  /** What is left of each budget. */
  readonly budgets: Readonly<Record<string, number>>;
  /** Every state it was in, in order. */
  readonly path: readonly string[];
  /** In the order of the first time. */
  readonly taken: readonly Taken[];
}

export function walkOf(machine: Machine, run: string, start: Snapshot, steps: readonly WalkedStep[]): Walk {
  const taken = new Map<string, Taken>();
  const path = [start.state];
  let snapshot = start;
  for (const { signal = null, change } of steps) {
    const next = evolve(snapshot, change);
    const way = {
      from: snapshot.state,
      signal,
      branch: branchOf(machine, snapshot, signal, next.state),
      to: next.state,
    };
    const key = JSON.stringify(way);
    taken.set(key, { ...way, times: (taken.get(key)?.times ?? 0) + 1 });
    path.push(next.state);
    snapshot = next;
  }
  const { state, outcome, budgets } = snapshot;
  return { run, state, outcome, budgets, path, taken: [...taken.values()] };
}

/** Whether a step went this way. */
export function isOf({ from, signal, branch }: Taken, way: Pick<Way, 'from' | 'signal' | 'branch'>): boolean {
  return from === way.from && signal === way.signal && branch === way.branch;
}

/** The branch the table takes today, if it leads where the run went: the journal may be older than the table. */
function branchOf(machine: Machine, before: Snapshot, signal: string | null, to: string): number | null {
  const route = signal === null ? undefined : machine.states[before.state]?.on[signal];
  if (!route) return null;
  const branch = chooseBranch(route, before);
  if ('refuse' in branch) return null;
  const target = branch.to === 'again' ? before.state : branch.to === 'return' ? before.returnTo : branch.to;
  return target === to ? branchesOf(route).indexOf(branch) : null;
}
