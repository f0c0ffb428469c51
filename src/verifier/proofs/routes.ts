/** Every part of the table exists and has its use: names are known, signals have routes, states and branches are reached, budgets count. */

import type { Branch, Machine } from '../../engine/machine.ts';
import { branchesOf, stateOf } from '../../engine/transition.ts';
import { receivable } from '../receivable.ts';
import type { Space, SpaceStep, Stuck } from '../space.ts';
import { actorOf, guardText, pathTo, traceOf } from '../trace.ts';
import { refutation, type Refutation } from '../refutation.ts';

/** Every state handles every signal it can receive, and no others. */
export function handled(space: Space): readonly Refutation[] {
  return [...stuckSignals(space), ...foreignSignals(space)];
}

/** One refutation for each state and signal, with the shortest path there. */
function stuckSignals({ machine, stuck }: Space): readonly Refutation[] {
  const first = new Map<string, Stuck>();
  for (const one of stuck)
    if (!first.has(`${one.at.state}.${one.signal}`)) first.set(`${one.at.state}.${one.signal}`, one);
  return [...first].map(([step, { at, signal, why }]) => {
    const { state } = at;
    const last = { state, signal, to: '?', by: actorOf(machine, state, signal), does: [] };
    const [what, fix] = {
      unhandled: [`${state} has no route for "${signal}", which it can receive`, `add ${step} to the table`],
      budget_spent: [
        `${step} spends a budget that is already empty`,
        'guard it with `left`, and add a branch for the rest',
      ],
      no_return_address: [`${step} returns, but nothing was remembered`, 'set `remember` on every path into it'],
    }[why];
    return refutation(what ?? '', fix ?? '', [...traceOf(machine, pathTo(at)), last]);
  });
}

/** A route nobody can take is a misspelt signal more often than a precaution. */
function foreignSignals({ machine }: Space): readonly Refutation[] {
  return Object.keys(machine.states).flatMap((name) => {
    const known = receivable(machine, name);
    const foreign = Object.keys(stateOf(machine, name).on).filter((signal) => !known.includes(signal));
    const fix = `it receives ${known.join(', ') || 'nothing'}; remove the route or declare the signal`;
    return foreign.map((signal) => refutation(`${name} has a route for "${signal}", which it never receives`, fix));
  });
}

/** No state that is never entered, no branch that is never taken. */
export function reachable({ machine, states, firsts }: Space): readonly Refutation[] {
  const entered = new Set(states.map(({ state }) => state));
  const taken = new Set(firsts.map(({ edge }) => `${edge.state}.${edge.signal}#${edge.branch}`));
  const unentered: Refutation[] = [];
  const untaken: Refutation[] = [];
  for (const [name, { on }] of Object.entries(machine.states)) {
    if (!entered.has(name))
      unentered.push(refutation(`nothing leads to ${name}`, 'lead a route there, or remove the state'));
    for (const [signal, route] of entered.has(name) ? Object.entries(on) : [])
      for (const [index, branch] of branchesOf(route).entries()) {
        if (taken.has(`${name}.${signal}#${index}`)) continue;
        const guard = branch.when ? `"${guardText(branch.when)}"` : 'without a guard';
        const target = 'refuse' in branch ? `refuse ${branch.refuse}` : `to ${branch.to}`;
        const fix = 'its guard cannot be true there, or one before it always is: remove it or correct the guards';
        untaken.push(refutation(`${name}.${signal} never takes the branch ${guard} (${target})`, fix));
      }
  }
  return [...unentered, ...untaken];
}

/** Each budget is spent somewhere, runs out somewhere, and only a person adds to it. */
export function budgetsCount({ machine, firsts }: Space): readonly Refutation[] {
  const spent = new Set<string>();
  const ranOut = new Set<string>();
  const granted = new Map<string, SpaceStep>();
  for (const step of firsts) {
    const { state, signal, branch, move, by } = step.edge;
    if (move?.spend !== undefined) spent.add(move.spend);
    for (const name of by === 'person' ? [] : [move?.grant, move?.renew])
      if (name !== undefined && !granted.has(name)) granted.set(name, step);
    const route = stateOf(machine, state).on[signal];
    // Branches that were passed over to get here: whatever they look for was not there.
    for (const { when } of route ? branchesOf(route).slice(0, branch) : [])
      if (when && 'left' in when) ranOut.add(when.left);
  }
  const unread = Object.keys(machine.budgets).flatMap((name) => {
    if (!spent.has(name))
      return refutation(`the budget ${name} is never spent`, 'spend it on the loop it bounds, or remove it');
    if (ranOut.has(name)) return [];
    return refutation(
      `no route looks at the budget ${name} when it is empty, so it bounds nothing`,
      `guard the branch that spends it with { left: '${name}' } and add a branch for when it is empty`,
    );
  });
  const grantedByOthers = [...granted].map(([name, step]) => {
    const { state, signal } = step.edge;
    return refutation(
      `${state}.${signal} adds to the budget ${name}, but it is sent by ${actorOf(machine, state, signal)}, not by a person`,
      'only a command or an answer may grant another round',
      traceOf(machine, [...pathTo(step.from), step]),
    );
  });
  return [...unread, ...grantedByOthers];
}

/** Names that do not exist. The compiler finds them in a table written in TypeScript, not in one that was read from a file. */
export function misnamed(machine: Machine): readonly Refutation[] {
  const problems: string[] = [];
  const known = (kind: string, name: string, names: readonly string[], where: string): void => {
    if (!names.includes(name)) problems.push(`${where}: there is no ${kind} "${name}"${suggestion(names)}`);
  };
  const states = Object.keys(machine.states);
  known('state', machine.initial, states, 'initial');
  for (const [name, state] of Object.entries(machine.states)) {
    if ('each' in state && state.each !== undefined) known('list', state.each, machine.lists, name);
    if ('after' in state && state.after !== undefined) {
      known('state', state.after, states, name);
      if ((machine.states[state.after]?.kind ?? 'check') !== 'check')
        problems.push(`${name}: ${state.after}, which it is to come after, is no check`);
    }
    for (const [signal, route] of Object.entries(state.on)) {
      const branches = branchesOf(route);
      for (const branch of branches) checkBranch(machine, branch, (...found) => known(...found, `${name}.${signal}`));
      if (branches.at(-1)?.when !== undefined || branches.length === 0)
        problems.push(`${name}.${signal}: the last branch has a guard, so the signal may lead nowhere`);
    }
  }
  if (problems.length === 0) {
    const steps = new Set(states.flatMap((state) => receivable(machine, state).map((signal) => `${state}.${signal}`)));
    const knownStep = (step: string, where: string): void => {
      if (!steps.has(step)) problems.push(`${where}: there is no step "${step}"`);
    };
    for (const [name, gate] of Object.entries(machine.gates)) {
      const where = `gate ${name}`;
      for (const guarded of gate.guards) known('state', guarded, states, where);
      const { passedBy, waivedBy = [], foundBy = [], confirmedBy = [], voidedBy = [], keptBy = [] } = gate;
      for (const step of [...passedBy, ...waivedBy, ...foundBy, ...confirmedBy, ...voidedBy, ...keptBy])
        knownStep(step, where);
    }
    for (const [name, invariant] of Object.entries(machine.invariants ?? {})) {
      const where = `invariant ${name}`;
      if ('shrinks' in invariant) {
        known('budget', invariant.shrinks, Object.keys(machine.budgets), where);
        continue;
      }
      for (const each of 'never' in invariant ? invariant.never : invariant.only)
        if (!states.includes(each)) knownStep(each, where);
      if ('never' in invariant) {
        const { flag, is } = invariant.while;
        known('flag', flag, Object.keys(machine.flags), where);
        known(`value of ${flag}`, is, flagValues(machine, flag), where);
      } else for (const step of [...invariant.after, ...(invariant.since ?? [])]) knownStep(step, where);
    }
  }
  return problems.map((what) => refutation(what, 'correct the name'));
}

type Known = (kind: string, name: string, names: readonly string[]) => void;

/** The values a table knows of a flag. */
export function flagValues({ flags, states }: Machine, flag: string): readonly string[] {
  const values = new Set([flags[flag]]);
  for (const branch of Object.values(states).flatMap(({ on }) => Object.values(on).flatMap(branchesOf))) {
    if (branch.when && 'flag' in branch.when && branch.when.flag === flag) values.add(branch.when.is);
    if ('set' in branch) values.add(branch.set?.[flag]);
  }
  return [...values].filter((value) => value !== undefined);
}

function checkBranch(machine: Machine, branch: Branch, known: Known): void {
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
