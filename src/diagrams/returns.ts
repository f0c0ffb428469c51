/** Where `return` can lead: the table does not say, the explored space does. */

import type { Machine } from '../engine/machine.ts';
import { armsOf } from '../engine/transition.ts';
import { explore } from '../verifier/space.ts';

export function returnsOf(machine: Machine): (from: string, signal: string, arm: number) => readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const { steps } of hasReturns(machine) ? explore(machine).situations : []) {
    for (const { branch, to } of steps) {
      const key = keyOf(branch.state, branch.signal, branch.arm);
      found.set(key, (found.get(key) ?? new Set()).add(to.state));
    }
  }
  const order = Object.keys(machine.states);
  return (from, signal, arm) => {
    const targets = found.get(keyOf(from, signal, arm));
    return order.filter((name) => targets?.has(name));
  };
}

function hasReturns(machine: Machine): boolean {
  const arms = Object.values(machine.states).flatMap(({ on }) => Object.values(on).flatMap(armsOf));
  return arms.some((arm) => !('refuse' in arm) && arm.to === 'return');
}

function keyOf(state: string, signal: string, arm: number): string {
  return `${state}.${signal}.${arm}`;
}
