/** Where a run stands in its workflow's machine. */

import type { Machine, Outcome } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { branchesOf, effectOf } from '../engine/transition.ts';
import type { WorkflowReader } from '../workflows/workflow.ts';

/** The run is where its workflow no longer has anything: a person mends the workflow. */
export class UnknownState extends Error {
  readonly code = 'UnknownState';

  constructor(run: string, where: string, workflow: string) {
    super(`${run} ${where}, which the workflow ${workflow} does not have: put the state back`);
  }
}

/** A workflow may have been changed since the run was last at work. */
export function requireKnownState({ name, machine }: WorkflowReader, run: string, { state, returnTo }: Snapshot): void {
  const known = Object.hasOwn(machine.states, state) ? machine.states[state] : undefined;
  if (!known) throw new UnknownState(run, `is in the state "${state}"`, name);
  if (returnTo === null || Object.hasOwn(machine.states, returnTo)) return;
  const returns = Object.values(known.on).some((route) =>
    branchesOf(route).some((branch) => 'to' in branch && branch.to === 'return'),
  );
  if (returns) throw new UnknownState(run, `is to go back to the state "${returnTo}"`, name);
}

/** What a run that stands still tells its caller; null while it is under way, or still waits for its first command. */
export function restingOutcome(machine: Machine, snapshot: Snapshot): Outcome | null {
  if (snapshot.state === machine.initial) return null;
  const effect = effectOf(machine, snapshot);
  return effect.type === 'rest' ? effect.outcome : effect.type === 'ask' ? 'needs_person' : null;
}
