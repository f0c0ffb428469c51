/** Which parts a workflow falls into: what each command sets off, until the run rests again. */

import type { Machine } from '../engine/machine.ts';
import { branchesOf, stateOf } from '../engine/transition.ts';

/** States at work, each with the first command that can lead to it. */
export function areasOf(machine: Machine): ReadonlyMap<string, string> {
  const areas = new Map<string, string>();
  for (const command of machine.commands) {
    const open = Object.keys(machine.states).flatMap((name) =>
      isAtWork(machine, name) ? [] : targetsOf(machine, name, command),
    );
    for (const name of open) {
      if (areas.has(name) || !isAtWork(machine, name)) continue;
      areas.set(name, command);
      open.push(...targetsOf(machine, name));
    }
  }
  return areas;
}

function isAtWork(machine: Machine, name: string): boolean {
  const { kind } = stateOf(machine, name);
  return kind !== 'parked' && kind !== 'final';
}

function targetsOf(machine: Machine, name: string, signal?: string): string[] {
  const routes = Object.entries(stateOf(machine, name).on).filter(([each]) => signal === undefined || each === signal);
  return routes
    .flatMap(([, route]) => branchesOf(route))
    .flatMap((branch) => ('refuse' in branch || !Object.hasOwn(machine.states, branch.to) ? [] : [branch.to]));
}
