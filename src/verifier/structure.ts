/**
 * Names in a table that do not exist.
 *
 * The compiler finds them in a table written in TypeScript; one that was read from a file, or cast, is checked here.
 */

import type { Branch, Machine } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { receivable } from './receivable.ts';
import type { Refutation } from './refutation.ts';

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
      const branches = branchesOf(route);
      for (const branch of branches) checkBranch(machine, branch, (...found) => known(...found, `${name}.${signal}`));
      if (branches.at(-1)?.when !== undefined || branches.length === 0)
        problems.push(`${name}.${signal}: the last branch has a guard, so the signal may lead nowhere`);
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

function checkBranch(
  machine: Machine,
  branch: Branch,
  known: (kind: string, name: string, names: readonly string[]) => void,
): void {
  const budgets = Object.keys(machine.budgets);
  const flags = Object.keys(machine.flags);
  const { when } = branch;
  if (when && 'left' in when) known('budget', when.left, budgets);
  else if (when && 'more' in when) known('list', when.more, machine.lists);
  else if (when) known('flag', when.flag, flags);
  if ('refuse' in branch) return;
  const states = Object.keys(machine.states);
  if (branch.to !== 'again' && branch.to !== 'return') known('state', branch.to, states);
  if (typeof branch.remember === 'string') known('state', branch.remember, states);
  for (const budget of [branch.spend, branch.grant, branch.renew])
    if (budget !== undefined) known('budget', budget, budgets);
  if (branch.load !== undefined) known('list', branch.load, machine.lists);
  for (const flag of Object.keys(branch.set ?? {})) known('flag', flag, flags);
}

function suggestion(names: readonly string[]): string {
  return names.length > 0 && names.length <= 8 ? ` (there is ${names.join(', ')})` : '';
}
