/**
 * The machine of a definition.
 *
 * M1. Every dispatch handles every fault: transient ones are repeated while `retries` are left, then the run stops.
 * M2. Where it stops, `retry` goes back to the step it stopped at; what needs an approval may say where instead.
 * M3. Every resting state answers every command: what its author does not mention is refused.
 */

import { withRefusals, faultRoutes } from '../../engine/define-machine.ts';
import type { Fault, Machine, Outcome, Route, State, Tone } from '../../engine/machine.ts';
import type { MoveDefinition, RoleState, RouteDefinition, StateDefinition, WorkflowDefinition } from './definition.ts';

export const stoppedState = 'stopped';
const newState = 'new';
/** Where a run rests or asks is its phase; in between it is at work. */
const atWork = 'working';
const retriesBudget = 'retries';
const retriesUsual = 2;

export function machineOf(definition: WorkflowDefinition): Machine {
  const { begin, budgets = {}, flags = {}, lists = [], gates = {}, retries = retriesUsual } = definition;
  const commands = [...new Set(['start', 'retry', 'undo', ...(definition.commands ?? [])])];
  const defined = Object.entries(definition.states);
  const dispatches = defined.some(([, state]) => 'role' in state);
  const states: Record<string, State> = {
    [newState]: { kind: 'parked', phase: null, outcome: 'not_ready', on: { start: { to: begin } } },
    ...Object.fromEntries(defined.map(([name, state]) => [name, stateOf(definition, name, state)])),
  };
  // A workflow without dispatches and questions never stops.
  if (dispatches || defined.some(([, state]) => 'ask' in state)) states[stoppedState] ??= stopped;
  const names = Object.keys(states);
  return {
    initial: newState,
    commands,
    signals: Object.fromEntries(names.map((name) => [name, signalsOf(definition, definition.states[name])])),
    budgets: { ...budgets, ...(retries > 0 && dispatches && { [retriesBudget]: { scope: 'visit', limit: retries } }) },
    flags: Object.fromEntries(Object.entries(flags).map(([name, [start = '']]) => [name, start])),
    lists,
    gates,
    ...(definition.invariants && { invariants: definition.invariants }),
    tones: tonesOf(definition),
    states: withRefusals(states, refusals(commands)),
  };
}

const stopped: State = { kind: 'parked', outcome: 'failed', on: { retry: { to: 'return' }, undo: { to: newState } } };

function tonesOf(definition: WorkflowDefinition): Readonly<Record<string, Tone>> {
  const good = { approved: 'good', passed: 'good' } as const;
  const usual: Readonly<Record<string, Tone>> = { ...good, rejected: 'bad', blocked: 'bad', invalid: 'bad' };
  const signals = Object.values(definition.states).flatMap((state) => signalsOf(definition, state));
  const wanting = signals.filter((signal) => signal.startsWith('needs_'));
  return { ...usual, ...Object.fromEntries(wanting.map((signal) => [signal, 'warn'] as const)) };
}

/** What a state can receive, beside what its kind brings with it. */
export function signalsOf(definition: WorkflowDefinition, state: StateDefinition | undefined): readonly string[] {
  if (!state) return [];
  if ('role' in state) return reportsOf(definition, state);
  if ('run' in state) {
    const loadsItems = branchesOf(state.on['passed'] ?? []).some(({ load }) => load !== undefined);
    return loadsItems ? ['passed', 'failed', 'empty'] : ['passed', 'failed'];
  }
  if ('check' in state) return state.signals;
  if ('unchanged' in state) return ['yes', 'no'];
  if ('ask' in state) return Object.keys(state.answers);
  return [];
}

export function reportsOf({ roles }: WorkflowDefinition, state: RoleState): readonly string[] {
  return state.reports ?? roles[state.role]?.reports ?? ['done'];
}

/** Checks and questions are named after their states. */
function stateOf(definition: WorkflowDefinition, name: string, state: StateDefinition): State {
  if ('ends' in state) return { kind: 'final', outcome: state.ends, on: {} };
  if ('rests' in state)
    return { kind: 'parked', outcome: state.rests, on: { undo: { to: newState }, ...routes(state.on ?? {}) } };
  const on = routes(state.on);
  if ('role' in state) {
    const { role, each, makes, after, beside } = state;
    const names = { each, makes, after, beside: beside?.role };
    const given = Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined));
    return { kind: 'dispatch', role, phase: atWork, ...given, on: { ...faultsOf(definition, state), ...on } };
  }
  if ('ask' in state) {
    const withdrawn: Route = { to: stoppedState, remember: true, outcome: 'needs_person' };
    return { kind: 'decide', question: name, on: { withdrawn, ...on } };
  }
  return { kind: 'check', check: name, phase: atWork, on };
}

/** M3. */
function refusals(commands: readonly string[]): Record<string, { refuse: string; outcome: Outcome }> {
  const reasons = new Map(Object.entries({ start: 'AlreadyStarted', retry: 'NothingToRetry', undo: 'NothingToUndo' }));
  return Object.fromEntries(
    commands.map((command) => [command, { refuse: reasons.get(command) ?? 'NotNow', outcome: 'not_ready' }]),
  );
}

/** M1, M2. */
function faultsOf({ retries }: WorkflowDefinition, { retryFrom }: RoleState): Record<Fault, Route> {
  const stop = (outcome: Outcome) => ({ to: stoppedState, remember: retryFrom ?? true, outcome }) as const;
  const again = { when: { left: retriesBudget }, to: 'again', spend: retriesBudget } as const;
  return faultRoutes<Route, Route>(retries === 0 ? stop('failed') : [again, stop('failed')], stop);
}

function routes(on: Readonly<Record<string, RouteDefinition>>): Record<string, Route> {
  return Object.fromEntries(
    Object.entries(on).map(([signal, route]) => {
      const branches = branchesOf(route);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whether the last one is unguarded, the verifier says
      return [signal, (branches.length === 1 ? branches[0] : branches) as Route];
    }),
  );
}

function branchesOf(route: RouteDefinition): readonly MoveDefinition[] {
  if (typeof route === 'string') return [{ to: route }];
  return 'to' in route ? [route] : route;
}
