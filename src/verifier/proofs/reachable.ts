/** No state that is never entered, no arm that is never taken. */

import type { Arm } from '../../engine/machine.ts';
import { armsOf } from '../../engine/transition.ts';
import type { Space } from '../space.ts';
import type { Refutation } from '../verification.ts';

export function reachable({ machine, situations, firsts }: Space): readonly Refutation[] {
  const entered = new Set(situations.map(({ state }) => state));
  const taken = new Set(firsts.map(({ branch }) => `${branch.state}.${branch.signal}#${branch.arm}`));
  const unentered = Object.keys(machine.states).filter((name) => !entered.has(name));
  const untaken = Object.entries(machine.states)
    .filter(([name]) => entered.has(name))
    .flatMap(([name, state]) =>
      Object.entries(state.on).flatMap(([signal, route]) =>
        armsOf(route).flatMap((arm, index) => (taken.has(`${name}.${signal}#${index}`) ? [] : [{ name, signal, arm }])),
      ),
    );
  return [
    ...unentered.map((name) => ({
      what: `nothing leads to ${name}`,
      fix: 'lead a route there, or remove the state',
      trace: [],
    })),
    ...untaken.map(({ name, signal, arm }) => ({
      what: `${name}.${signal} never takes the arm ${inWords(arm)}`,
      fix: 'its guard cannot be true there, or one before it always is: remove it or correct the guards',
      trace: [],
    })),
  ];
}

function inWords(arm: Arm): string {
  const { when } = arm;
  const guard =
    when === undefined
      ? 'without a guard'
      : 'left' in when
        ? `"${when.left} left"`
        : 'more' in when
          ? `"more ${when.more}"`
          : `"${when.flag} is ${when.is}"`;
  return `${guard} (${'refuse' in arm ? `refuse ${arm.refuse}` : `to ${arm.to}`})`;
}
