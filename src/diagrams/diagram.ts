/** What a machine looks like from outside: its states, and every way from one to another, in words. Every format shows this. */

import type { Branch, BudgetScope, Gate, Machine, Move, Outcome, State } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { senderOf } from '../verifier/receivable.ts';
import { areasOf } from './areas.ts';
import { conditionsOf } from './conditions.ts';
import { returnsOf } from './returns.ts';

export interface Diagram {
  readonly workflow: string;
  readonly initial: string;
  readonly commands: readonly string[];
  readonly states: readonly DiagramState[];
  readonly ways: readonly Way[];
  readonly budgets: readonly { readonly name: string; readonly scope: BudgetScope; readonly limit: number }[];
  readonly gates: readonly (Gate & { readonly name: string })[];
}

export interface DiagramState {
  readonly name: string;
  readonly kind: State['kind'];
  /** The role at work, the check that runs, or the question that is asked; null at rest. */
  readonly what: string | null;
  /** The list it works through. */
  readonly each: string | null;
  /** The artifact it makes. */
  readonly makes: string | null;
  /** What a run that comes to rest here tells its caller. */
  readonly outcome: Outcome | null;
  /** The gates without which it is not entered. */
  readonly gates: readonly string[];
  /** The first command that can lead here without a rest in between; null at rest. */
  readonly area: string | null;
}

/** One branch of a route: a signal, what must hold, and where it leads. */
export interface Way {
  readonly from: string;
  readonly signal: string;
  /** Which branch of the route, from 0. */
  readonly branch: number;
  readonly by: 'agent' | 'check' | 'person' | 'fault';
  /** All that must hold. */
  readonly conditions: readonly string[];
  readonly leads: 'on' | 'again' | 'back' | 'refused';
  /** The states it leads to: one, or for `back` every state it can lead back to; none when refused. */
  readonly to: readonly string[];
  /** What it does on the way. */
  readonly does: readonly string[];
  readonly spends: string | null;
  /** The state it keeps as the return address. */
  readonly remembers: string | null;
  /** Why it is refused. */
  readonly refusal: string | null;
  /** What the caller is told, where that is not the usual outcome of the state it leads to. */
  readonly outcome: Outcome | null;
  /** The gates it passes. */
  readonly passes: readonly string[];
}

export function diagramOf(workflow: string, machine: Machine): Diagram {
  const areas = areasOf(machine);
  const gates = Object.entries(machine.gates).map(([name, gate]) => ({ name, ...gate }));
  return {
    workflow,
    initial: machine.initial,
    commands: machine.commands,
    states: Object.entries(machine.states).map(([name, state]) => ({
      name,
      kind: state.kind,
      what: whatOf(state),
      each: 'each' in state ? (state.each ?? null) : null,
      makes: state.kind === 'dispatch' ? (state.makes ?? null) : null,
      outcome: isRest(state) ? state.outcome : null,
      gates: gates.filter(({ guards }) => guards.includes(name)).map((gate) => gate.name),
      area: areas.get(name) ?? null,
    })),
    ways: waysOf(machine),
    budgets: Object.entries(machine.budgets).map(([name, { scope, limit }]) => ({ name, scope, limit })),
    gates,
  };
}

/** Whether a run waits in the state for somebody outside. */
export function isRest<S extends { readonly kind: State['kind'] }>(
  state: S,
): state is S & { readonly kind: 'parked' | 'final' } {
  return state.kind === 'parked' || state.kind === 'final';
}

function whatOf(state: State): string | null {
  if (state.kind === 'dispatch') return state.role;
  if (state.kind === 'check') return state.check;
  return state.kind === 'decide' ? state.question : null;
}

function waysOf(machine: Machine): Way[] {
  const returns = returnsOf(machine);
  return Object.entries(machine.states).flatMap(([from, state]) =>
    Object.entries(state.on).flatMap(([signal, route]) => {
      const conditions = conditionsOf(machine, route);
      return branchesOf(route).map((branch, index) => ({
        from,
        signal,
        branch: index,
        by: senderOf(machine, from, signal),
        conditions: conditions[index] ?? [],
        ...endOf(branch, from, returns(from, signal, index)),
        passes: Object.entries(machine.gates)
          .filter(([, { passedBy }]) => !('refuse' in branch) && passedBy.includes(`${from}.${signal}`))
          .map(([name]) => name),
      }));
    }),
  );
}

function endOf(
  branch: Branch,
  from: string,
  returns: readonly string[],
): Pick<Way, 'leads' | 'to' | 'does' | 'spends' | 'remembers' | 'refusal' | 'outcome'> {
  if ('refuse' in branch)
    return {
      leads: 'refused',
      to: [],
      does: [],
      spends: null,
      remembers: null,
      refusal: branch.refuse,
      outcome: branch.outcome,
    };
  const remembers = branch.remember === true ? from : (branch.remember ?? null);
  const rest = {
    does: doesOf(branch, remembers),
    spends: branch.spend ?? null,
    remembers,
    refusal: null,
    outcome: branch.outcome ?? null,
  };
  if (branch.to === 'again') return { leads: 'again', to: [from], ...rest };
  if (branch.to === 'return') return { leads: 'back', to: returns, ...rest };
  return { leads: 'on', to: [branch.to], ...rest };
}

function doesOf(move: Move, remembers: string | null): string[] {
  const flags = Object.entries(move.set ?? {}).map(([flag, value]) => `${flag}: ${String(value)}`);
  return [
    ...(move.grant === undefined ? [] : [`grants ${move.grant}`]),
    ...(move.renew === undefined ? [] : [`renews ${move.renew}`]),
    ...(move.spend === undefined ? [] : [`spends ${move.spend}`]),
    ...(move.load === undefined ? [] : [`loads ${move.load}`]),
    ...(move.finish ? ['finishes the item'] : []),
    ...(remembers === null ? [] : [`remembers ${remembers}`]),
    ...(flags.length === 0 ? [] : [`sets ${flags.join(' and ')}`]),
  ];
}
