/** The phase of a run: what a person sees of where it is. */

import type { Machine } from './machine.ts';
import type { Snapshot } from './snapshot.ts';
import { holds, stateOf } from './transition.ts';

/** Null before there is anything to show. */
export function phaseOf(machine: Machine, snapshot: Snapshot): string | null {
  const { state, returnTo } = snapshot;
  const { phase = state, showsReturn } = stateOf(machine, state);
  if (showsReturn && returnTo !== null && returnTo !== state)
    return phaseOf(machine, { ...snapshot, state: returnTo, returnTo: null });
  if (phase === null || typeof phase === 'string') return phase;
  const found = phase.find((branch) => typeof branch === 'string' || holds(branch.when, snapshot));
  return typeof found === 'object' ? found.is : (found ?? null);
}

/** Whether a run is over that shows this phase: nobody gets there with an editor. */
export function isFinalPhase({ states }: Machine, phase: string): boolean {
  return Object.entries(states).some(([name, { kind, phase: shown = name }]) => kind === 'final' && shown === phase);
}
