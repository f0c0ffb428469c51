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
  for (let via = situation.via; via; via = via.from.via) steps.push(via);
  return steps.toReversed();
}

export function traceOf(machine: Machine, steps: readonly SpaceStep[]): readonly TraceStep[] {
  return steps.map((step) => ({
    state: step.edge.state,
    signal: step.edge.signal,
    to: step.to.state,
    by: senderOf(machine, step.edge.state, step.edge.signal),
    does: effectsOf(step),
  }));
}

export function senderOf(machine: Machine, name: string, signal: string): string {
  if (isPersons(machine, name, signal)) return 'person';
  const state = stateOf(machine, name);
  if (state.kind !== 'dispatch') return 'check';
  return isFault(machine, name, signal) ? 'fault' : state.role;
}

function effectsOf({ from, to, edge }: SpaceStep): string[] {
  const { move, loaded, refused, assumed } = edge;
  if (refused !== null) return [`refused: ${refused}`];
  const does: string[] = [];
  // What is left of a budget that is open is not known, only what was taken for granted.
  for (const [name, left] of Object.entries(assumed)) {
    if (move?.spend === name) does.push(`spends ${name}`);
    else if (left === 0) does.push(`${name} is spent`);
  }
  const spent = move?.spend;
  if (spent !== undefined && !Object.hasOwn(assumed, spent)) {
    const [before, after] = [from.snapshot.budgets[spent] ?? 0, to.snapshot.budgets[spent] ?? 0];
    if (after < before) does.push(`${spent} ${before} → ${after}`);
  }
  // The move tells, not the snapshots: a situation keeps only what makes a difference.
  for (const [flag, value] of Object.entries(move?.set ?? {}))
    if (value !== from.snapshot.flags[flag]) does.push(`${flag}: ${String(value)}`);
  if (loaded !== null) does.push(`${loaded.list}: ${loaded.items}`);
  return does;
}
