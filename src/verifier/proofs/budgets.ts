/** Budgets are really read: each is spent somewhere, runs out somewhere, and only a person adds to it. */

import { branchesOf, stateOf } from '../../engine/transition.ts';
import type { Space, SpaceStep } from '../space.ts';
import { pathTo, senderOf, traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

export function budgetsCount(space: Space): readonly Refutation[] {
  const spent = new Set<string>();
  const ranOut = new Set<string>();
  const granted = new Map<string, SpaceStep>();
  for (const step of space.firsts) {
    const { state, signal, branch, move, by } = step.edge;
    if (move?.spend !== undefined) spent.add(move.spend);
    for (const name of by === 'person' ? [] : [move?.grant, move?.renew])
      if (name !== undefined && !granted.has(name)) granted.set(name, step);
    const route = stateOf(space.machine, state).on[signal];
    // Arms that were passed over to get here: whatever they look for was not there.
    for (const { when } of route ? branchesOf(route).slice(0, branch) : [])
      if (when && 'left' in when) ranOut.add(when.left);
  }
  return [
    ...Object.keys(space.machine.budgets).flatMap((name) => unread(name, spent.has(name), ranOut.has(name))),
    ...[...granted].map(([name, step]) => grantedByOthers(space, name, step)),
  ];
}

function unread(name: string, spent: boolean, ranOut: boolean): Refutation[] {
  if (!spent)
    return [
      { what: `the budget ${name} is never spent`, fix: 'spend it on the loop it bounds, or remove it', trace: [] },
    ];
  if (!ranOut)
    return [
      {
        what: `no route looks at the budget ${name} when it is empty, so it bounds nothing`,
        fix: `guard the branch that spends it with { left: '${name}' } and add a branch for when it is empty`,
        trace: [],
      },
    ];
  return [];
}

function grantedByOthers({ machine }: Space, name: string, step: SpaceStep): Refutation {
  const { state, signal } = step.edge;
  const by = senderOf(machine, state, signal);
  return {
    what: `${state}.${signal} adds to the budget ${name}, but it is sent by ${by}, not by a person`,
    fix: 'only a command or an answer may grant another round',
    trace: traceOf(machine, [...pathTo(step.from), step]),
  };
}
