/** A way through a workflow, signal by signal, without agents, files or time. */

import type { Machine } from '../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { chooseBranch, stateOf, transition, type Signal } from '../engine/transition.ts';

/** A signal by name; with `items` where its route loads a list (one item if not said). */
export type Sent = string | Signal;

/**
 * The states a run goes through, the first included.
 * A signal that cannot come there, or that is refused, ends the walk with an error that says so.
 */
export function walk(workflow: { readonly machine: Machine }, signals: readonly Sent[]): readonly string[] {
  return snapshotsOn(workflow, signals).map(({ state }) => state);
}

/** The same with everything a guard or a projection looks at. */
export function snapshotsOn(workflow: { readonly machine: Machine }, signals: readonly Sent[]): readonly Snapshot[] {
  const { machine } = workflow;
  let snapshot = initialSnapshot(machine);
  const snapshots = [snapshot];
  for (const [index, sent] of signals.entries()) {
    const signal = withItems(machine, snapshot, typeof sent === 'string' ? { name: sent } : sent);
    const step = transition(machine, snapshot, signal);
    if (step.kind === 'refusal') {
      const open = Object.keys(stateOf(machine, snapshot.state).on);
      throw new Error(
        `signal ${index + 1}: ${snapshot.state} refuses "${signal.name}" (${step.reason}); it takes ${open.join(', ')}`,
      );
    }
    snapshot = step.snapshot;
    snapshots.push(snapshot);
  }
  return snapshots;
}

function withItems(machine: Machine, snapshot: Snapshot, signal: Signal): Signal {
  const route = stateOf(machine, snapshot.state).on[signal.name];
  if (!route || signal.items) return signal;
  const branch = chooseBranch(route, snapshot);
  const isLoading = 'load' in branch && branch.load !== undefined;
  return isLoading ? { ...signal, items: [{ id: '1', after: [] }] } : signal;
}
