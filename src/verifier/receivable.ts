/** The signals that a state can receive, and their senders. */

import { crewOf, faults, isFault, type Machine } from '../engine/machine.ts';
import { repeated, stateOf } from '../engine/transition.ts';

/** Every signal that can reach a state: its own, and those its kind brings with it. */
export function receivable(machine: Machine, name: string): readonly string[] {
  const own = machine.signals[name] ?? [];
  const { kind } = stateOf(machine, name);
  if (kind === 'dispatch') return [...own, ...faults];
  if (kind === 'decide') return [...own, 'withdrawn'];
  return kind === 'check' ? own : [...own, ...machine.commands];
}

export type Sender = 'agent' | 'check' | 'person' | 'fault';

export function senderOf(machine: Machine, name: string, signal: string): Sender {
  const { kind } = stateOf(machine, name);
  // Somebody takes the run up again.
  if (signal === repeated) return 'person';
  if (kind === 'dispatch') return isFault(signal) ? 'fault' : 'agent';
  return kind === 'check' || (kind === 'parked' && !machine.commands.includes(signal)) ? 'check' : 'person';
}

export function rolesOf({ states }: Machine): readonly string[] {
  return [...new Set(Object.values(states).flatMap(crewOf))];
}
