/** No state that is never entered, no branch that is never taken. */

import type { Branch } from '../../engine/machine.ts';
import { branchesOf } from '../../engine/transition.ts';
import type { Space } from '../space.ts';
import type { Refutation } from '../verification.ts';

export function reachable({ machine, situations, firsts }: Space): readonly Refutation[] {
  const entered = new Set(situations.map(({ state }) => state));
  const taken = new Set(firsts.map(({ edge }) => `${edge.state}.${edge.signal}#${edge.branch}`));
  const unentered = Object.keys(machine.states).filter((name) => !entered.has(name));
  const untaken = Object.entries(machine.states)
    .filter(([name]) => entered.has(name))
    .flatMap(([name, state]) =>
      Object.entries(state.on).flatMap(([signal, route]) =>
        branchesOf(route).flatMap((branch, index) =>
          taken.has(`${name}.${signal}#${index}`) ? [] : [{ name, signal, branch }],
        ),
      ),
    );
  return [
    ...unentered.map((name) => ({
      what: `nothing leads to ${name}`,
      fix: 'lead a route there, or remove the state',
      trace: [],
    })),
    ...untaken.map(({ name, signal, branch }) => ({
      what: `${name}.${signal} never takes the branch ${inWords(branch)}`,
      fix: 'its guard cannot be true there, or one before it always is: remove it or correct the guards',
      trace: [],
    })),
  ];
}

function inWords(branch: Branch): string {
  const { when } = branch;
  const guard =
    when === undefined
      ? 'without a guard'
      : 'left' in when
        ? `"${when.left} left"`
        : 'more' in when
          ? `"more ${when.more}"`
          : `"${when.flag} is ${when.is}"`;
  return `${guard} (${'refuse' in branch ? `refuse ${branch.refuse}` : `to ${branch.to}`})`;
}
