/**
 * Names in a table that do not exist.
 *
 * The compiler finds them in a table written in TypeScript; one that was read from a file, or cast, is checked here.
 */

import type { Arm, Machine } from '../engine/machine.ts';
import { armsOf } from '../engine/transition.ts';
import { receivable } from './receivable.ts';
import type { Refutation } from './verification.ts';

export function misnamed(machine: Machine): readonly Refutation[] {
  const problems: string[] = [];
  const known = (kind: string, name: string, names: readonly string[], where: string): void => {
    if (!names.includes(name)) problems.push(`${where}: there is no ${kind} "${name}"${suggestion(names)}`);
  };
  const states = Object.keys(machine.states);
  known('state', machine.initial, states, 'initial');
  for (const [name, state] of Object.entries(machine.states)) {
    if ('each' in state && state.each !== undefined) known('list', state.each, machine.lists, name);
    for (const [signal, route] of Object.entries(state.on)) {
      const arms = armsOf(route);
      for (const arm of arms) checkArm(machine, arm, (...found) => known(...found, `${name}.${signal}`));
      if (arms.at(-1)?.when !== undefined || arms.length === 0)
        problems.push(`${name}.${signal}: the last arm has a guard, so the signal may lead nowhere`);
    }
  }
  if (problems.length === 0) {
    for (const [name, gate] of Object.entries(machine.gates)) {
      const where = `gate ${name}`;
      for (const guarded of gate.guards) known('state', guarded, states, where);
      const steps = states.flatMap((state) => receivable(machine, state).map((signal) => `${state}.${signal}`));
      for (const step of [...gate.passedBy, ...(gate.confirmedBy ?? []), ...(gate.voidedBy ?? [])])
        if (!steps.includes(step)) problems.push(`${where}: there is no step "${step}"`);
    }
  }
  return problems.map((what) => ({ what, fix: 'correct the name', trace: [] }));
}

function checkArm(
  machine: Machine,
  arm: Arm,
  known: (kind: string, name: string, names: readonly string[]) => void,
): void {
  const budgets = Object.keys(machine.budgets);
  const flags = Object.keys(machine.flags);
  const { when } = arm;
  if (when && 'left' in when) known('budget', when.left, budgets);
  else if (when && 'more' in when) known('list', when.more, machine.lists);
  else if (when) known('flag', when.flag, flags);
  if ('refuse' in arm) return;
  const states = Object.keys(machine.states);
  if (arm.to !== 'again' && arm.to !== 'return') known('state', arm.to, states);
  if (typeof arm.remember === 'string') known('state', arm.remember, states);
  for (const budget of [arm.spend, arm.grant, arm.renew]) if (budget !== undefined) known('budget', budget, budgets);
  if (arm.load !== undefined) known('list', arm.load, machine.lists);
  for (const flag of Object.keys(arm.set ?? {})) known('flag', flag, flags);
}

function suggestion(names: readonly string[]): string {
  return names.length > 0 && names.length <= 8 ? ` (there is ${names.join(', ')})` : '';
}
