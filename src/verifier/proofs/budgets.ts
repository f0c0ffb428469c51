/** Budgets are really read: each is spent somewhere, runs out somewhere, and only a person adds to it. */

import { armsOf, stateOf } from '../../engine/transition.ts';
import { isPersons } from '../receivable.ts';
import type { Space, SpaceStep } from '../space.ts';
import { pathTo, senderOf, traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

export function budgetsCount(space: Space): readonly Refutation[] {
  const spent = new Set<string>();
  const ranOut = new Set<string>();
  const granted = new Map<string, SpaceStep>();
  for (const step of space.situations.flatMap(({ steps }) => steps)) {
    const { state } = step.from.snapshot;
    const budgets = { ...step.from.snapshot.budgets, ...step.assumed };
    const route = stateOf(space.machine, state).on[step.signal];
    const arms = route ? armsOf(route) : [];
    const taken = arms[step.arm];
    if (taken && !('refuse' in taken)) {
      if (taken.spend !== undefined) spent.add(taken.spend);
      for (const name of isPersons(space.machine, state, step.signal) ? [] : [taken.grant, taken.renew])
        if (name !== undefined && !granted.has(name)) granted.set(name, step);
    }
    for (const { when } of arms.slice(0, step.arm))
      if (when && 'left' in when && (budgets[when.left] ?? 0) <= 0) ranOut.add(when.left);
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
        fix: `guard the arm that spends it with { left: '${name}' } and add an arm for when it is empty`,
        trace: [],
      },
    ];
  return [];
}

function grantedByOthers({ machine }: Space, name: string, step: SpaceStep): Refutation {
  const by = senderOf(machine, step.from.snapshot.state, step.signal);
  return {
    what: `${step.from.snapshot.state}.${step.signal} adds to the budget ${name}, but it is sent by ${by}, not by a person`,
    fix: 'only a command or an answer may grant another round',
    trace: traceOf(machine, [...pathTo(step.from), step]),
  };
}
