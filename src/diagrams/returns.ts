/** Where `return` can lead: the table does not say, the explored space does. */

import type { Machine } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { explore } from '../verifier/space.ts';

export function returnsOf(machine: Machine): (from: string, signal: string, branch: number) => readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const { steps } of hasReturns(machine) ? explore(machine).states : []) {
    for (const { edge, to } of steps) {
      const key = keyOf(edge.state, edge.signal, edge.branch);
      found.set(key, (found.get(key) ?? new Set()).add(to.state));
    }
  }
  const order = Object.keys(machine.states);
  return (from, signal, branch) => {
    const targets = found.get(keyOf(from, signal, branch));
    return order.filter((name) => targets?.has(name));
  };
}

function hasReturns(machine: Machine): boolean {
  const branches = Object.values(machine.states).flatMap(({ on }) => Object.values(on).flatMap(branchesOf));
  return branches.some((branch) => !('refuse' in branch) && branch.to === 'return');
}

function keyOf(state: string, signal: string, branch: number): string {
  return `${state}.${signal}.${branch}`;
}
