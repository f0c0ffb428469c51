/** What a state can receive, and who sends it. */

import { faults, type Machine } from '../engine/machine.ts';
import { stateOf } from '../engine/transition.ts';

const faultNames: readonly string[] = faults;

/** Every signal that can reach a state: its own, and those its kind brings with it. */
export function receivable(machine: Machine, name: string): readonly string[] {
  const own = machine.signals[name] ?? [];
  switch (stateOf(machine, name).kind) {
    case 'dispatch':
      return [...own, ...faultNames];
    case 'check':
      return own;
    case 'decide':
      return [...own, 'withdrawn'];
    case 'parked':
    case 'final':
      return [...own, ...machine.commands];
  }
}

/** Whether a person sent the signal: an answer, or a command to a run at rest. */
export function isPersons(machine: Machine, state: string, signal: string): boolean {
  const { kind } = stateOf(machine, state);
  return kind === 'decide' || (kind === 'parked' && machine.commands.includes(signal));
}

export function isFault(machine: Machine, state: string, signal: string): boolean {
  return stateOf(machine, state).kind === 'dispatch' && faultNames.includes(signal);
}
