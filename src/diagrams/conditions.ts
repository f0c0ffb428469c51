/** When each branch of a route is taken, in words: its own guard, and that of none before it. */

import type { Guard, Machine, Route } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';

/** One list of conditions for each branch; all in a list must hold. */
export function conditionsOf(machine: Machine, route: Route): readonly (readonly string[])[] {
  const before: Guard[] = [];
  return branchesOf(route).map(({ when }) => {
    // What a flag is tells what it is not.
    const open = before.filter((guard) => !(when && 'flag' in guard && 'flag' in when && guard.flag === when.flag));
    const words = [...open.map((guard) => notInWords(machine, guard)), ...(when ? [inWords(when)] : [])];
    if (when) before.push(when);
    return [...new Set(words)];
  });
}

function inWords(guard: Guard): string {
  if ('left' in guard) return `${guard.left} left`;
  if ('more' in guard) return `more ${guard.more}`;
  return `${guard.flag}: ${guard.is}`;
}

function notInWords(machine: Machine, guard: Guard): string {
  if ('left' in guard) return `${guard.left} spent`;
  if ('more' in guard) return `last of ${guard.more}`;
  const [other, ...more] = valuesOf(machine, guard.flag).filter((value) => value !== guard.is);
  return other !== undefined && more.length === 0 ? `${guard.flag}: ${other}` : `${guard.flag}: not ${guard.is}`;
}

/** The values a table knows of a flag. */
function valuesOf(machine: Machine, flag: string): readonly string[] {
  const values = new Set<string>();
  const note = (value: unknown): void => void (typeof value === 'string' && values.add(value));
  note(machine.flags[flag]);
  for (const { on } of Object.values(machine.states)) {
    for (const branch of Object.values(on).flatMap(branchesOf)) {
      if (branch.when && 'flag' in branch.when && branch.when.flag === flag) note(branch.when.is);
      if (!('refuse' in branch)) note(branch.set?.[flag]);
    }
  }
  return [...values];
}
