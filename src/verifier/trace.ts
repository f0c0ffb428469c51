/** A way through a workflow, told so that a reader can follow it in the table. */

import type { Machine } from '../engine/machine.ts';
import { stateOf } from '../engine/transition.ts';
import { isFault, isPersons } from './receivable.ts';
import type { Situation, SpaceStep } from './space.ts';

export interface TraceStep {
  readonly state: string;
  readonly signal: string;
  readonly to: string;
  /** Who sends the signal. */
  readonly by: string;
  /** What it does to budgets and flags on the way, and how many items it brings. */
  readonly does: readonly string[];
}

/** The shortest way from the start to a situation. */
export function pathTo(situation: Situation): readonly SpaceStep[] {
  const steps: SpaceStep[] = [];
  for (let via = situation.via; via; via = via.from.via) steps.unshift(via);
  return steps;
}

export function traceOf(machine: Machine, steps: readonly SpaceStep[]): readonly TraceStep[] {
  return steps.map((step) => ({
    state: step.from.snapshot.state,
    signal: step.signal,
    to: step.to.snapshot.state,
    by: senderOf(machine, step.from.snapshot.state, step.signal),
    does: effectsOf(machine, step),
  }));
}

export function senderOf(machine: Machine, name: string, signal: string): string {
  if (isPersons(machine, name, signal)) return 'person';
  const state = stateOf(machine, name);
  if (state.kind !== 'dispatch') return 'check';
  return isFault(machine, name, signal) ? 'fault' : state.role;
}

function effectsOf(machine: Machine, { from, to, loaded, refused }: SpaceStep): string[] {
  if (refused !== null) return [`refused: ${refused}`];
  const does: string[] = [];
  for (const name of Object.keys(machine.budgets)) {
    const [before, after] = [from.snapshot.budgets[name] ?? 0, to.snapshot.budgets[name] ?? 0];
    if (after < before) does.push(`${name} ${before} → ${after}`);
  }
  for (const name of Object.keys(machine.flags)) {
    const [before, after] = [from.snapshot.flags[name], to.snapshot.flags[name]];
    if (after !== before) does.push(`${name}: ${after}`);
  }
  if (loaded !== null) does.push(`${loaded.list}: ${loaded.items}`);
  return does;
}
