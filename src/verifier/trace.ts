/** A path through a workflow, told so that a reader can follow it in the table. */

import type { Guard, Machine } from '../engine/machine.ts';
import { stateOf } from '../engine/transition.ts';
import { senderOf } from './receivable.ts';
import type { ExploredState, SpaceStep } from './space.ts';

export interface TraceStep {
  readonly state: string;
  readonly signal: string;
  readonly to: string;
  /** A role, or what else sends the signal. */
  readonly by: string;
  /** Its effects on budgets and flags, and the number of items it brings. */
  readonly does: readonly string[];
}

/** The shortest path from the start. */
export function pathTo(state: ExploredState): readonly SpaceStep[] {
  const steps: SpaceStep[] = [];
  for (let { via } = state; via; { via } = via.from) steps.push(via);
  return steps.toReversed();
}

export function traceOf(machine: Machine, steps: readonly SpaceStep[]): readonly TraceStep[] {
  return steps.map((step) => {
    const { state, signal } = step.edge;
    return { state, signal, to: step.to.state, by: actorOf(machine, state, signal), does: effectsOf(step) };
  });
}

/** The sender of a signal, an agent by its role. */
export function actorOf(machine: Machine, name: string, signal: string): string {
  const state = stateOf(machine, name);
  const sender = senderOf(machine, name, signal);
  return sender === 'agent' && state.kind === 'dispatch' ? state.role : sender;
}

function effectsOf({ from, to, edge }: SpaceStep): string[] {
  const { move, loaded, refused, assumed } = edge;
  if (refused !== null) return [`refused: ${refused}`];
  const does: string[] = [];
  // The rest of a symbolic budget is not known, only assumed.
  for (const [name, left] of Object.entries(assumed)) {
    if (move?.spend === name) does.push(`spends ${name}`);
    else if (left === 0) does.push(`${name} is spent`);
  }
  const spent = move?.spend;
  if (spent !== undefined && !Object.hasOwn(assumed, spent)) {
    const [before, after] = [from.snapshot.budgets[spent] ?? 0, to.snapshot.budgets[spent] ?? 0];
    if (after < before) does.push(`${spent} ${before} → ${after}`);
  }
  // The move tells, not the snapshots: an explored state keeps only what makes a difference.
  for (const [flag, value] of Object.entries(move?.set ?? {}))
    if (value !== from.snapshot.flags[flag]) does.push(`${flag}: ${String(value)}`);
  if (loaded !== null) does.push(`${loaded.list}: ${loaded.items}`);
  return does;
}

export function guardText(guard: Guard): string {
  if ('left' in guard) return `${guard.left} left`;
  if ('more' in guard) return `more ${guard.more}`;
  return `${guard.flag}: ${guard.is}`;
}
