/**
 * The one step of every workflow: snapshot and signal in, delta and effect out.
 *
 * T1. Pure: the same snapshot and signal give the same step; nothing outside is read or touched.
 * T2. A refusal is a value and changes nothing.
 * T3. A budget never goes below zero: a branch that spends an empty budget is refused.
 * T4. The effect follows from the snapshot alone, so after a crash the last snapshot says what to do.
 * T5. A dispatch that runs after a check is never repeated without it.
 * T6. Every run that is not over can be abandoned; nothing leads on from there.
 * T7. A return address is used once, and a run that rests because it is done has none: how it got there leaves no trace.
 */

import type { QuestionBatch, Resolution } from './decision.ts';
import { isRest } from './machine.ts';
import type { Branch, BudgetScope, Guard, Machine, Move, Outcome, Route, State } from './machine.ts';
import {
  currentItem,
  evolve,
  leftIn,
  type Delta,
  type Json,
  type Problem,
  type Snapshot,
  type WorkItem,
} from './snapshot.ts';

export interface Signal {
  readonly name: string;
  /** Kept in the snapshot for prompts and reports; no guard looks at it. */
  readonly data?: Readonly<Record<string, Json>>;
  /** Why the run stops, where it does. */
  readonly problem?: Problem;
  /** The questions of the decide state it leads to; without it the same are asked again. */
  readonly asks?: QuestionBatch;
  /** Resolutions of the pending questions. */
  readonly resolves?: readonly Resolution[];
  /** Items for a route that loads a work list. */
  readonly items?: readonly WorkItem[];
  /** New limits, which take effect before the route's budgets are renewed. Only with commands. */
  readonly limits?: Readonly<Record<string, number>>;
}

export interface DispatchEffect {
  readonly type: 'dispatch';
  readonly role: string;
  /** The advisor's role. */
  readonly beside?: string;
  readonly step: string;
  readonly item?: WorkItem;
}

/** The next task of the runtime, which answers with a signal. */
export type Effect =
  | DispatchEffect
  | { readonly type: 'check'; readonly check: string; readonly item?: WorkItem }
  | { readonly type: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly type: 'rest'; readonly outcome: Outcome };

export interface Step {
  readonly kind: 'step';
  readonly delta: Delta;
  readonly snapshot: Snapshot;
  readonly effect: Effect;
}

export interface Refusal {
  readonly kind: 'refusal';
  readonly reason: string;
  readonly outcome: Outcome;
}

export function transition(machine: Machine, snapshot: Snapshot, signal: Signal): Step | Refusal {
  const state = stateOf(machine, snapshot.state);
  const on: Readonly<Record<string, Route>> = state.on;
  const route = Object.hasOwn(on, signal.name) ? on[signal.name] : routeOfEvery(machine, snapshot.state, signal.name);
  if (!route) return { kind: 'refusal', reason: 'UnexpectedSignal', outcome: 'not_ready' };
  const branch = chooseBranch(route, snapshot);
  if ('refuse' in branch) return { kind: 'refusal', reason: branch.refuse, outcome: branch.outcome };
  const { spend, grant, renew } = branch;
  // A person gives what the branch spends where it also grants or renews it.
  if (spend !== undefined && spend !== grant && spend !== renew && (snapshot.budgets[spend] ?? 0) <= 0)
    return { kind: 'refusal', reason: 'BudgetSpent', outcome: 'over_budget' };
  const delta = deltaOf(machine, snapshot, signal, branch);
  const next = evolve(snapshot, delta);
  return { kind: 'step', delta, snapshot: next, effect: effectOf(machine, next) };
}

/** The signal of a step that was cut off, or found again by another process, where a check comes before it. */
export const repeated = 'repeated';

/** How another process goes on with a step: by the move that its state names, or through its check. */
export function repeatedRoute(machine: Machine, name: string): Route | undefined {
  const state = stateOf(machine, name);
  if ('resume' in state && state.resume) return state.resume;
  return entryOf(machine, name) === name ? undefined : { to: 'again' };
}

function routeOfEvery(machine: Machine, name: string, signal: string): Route | undefined {
  if (signal === repeated) return repeatedRoute(machine, name);
  return signal === abandoned && stateOf(machine, name).kind !== 'final' ? giveUp : undefined;
}

/** T6: the state that every machine has beside its own, and the signal of a person that leads there. */
export const abandoned = 'abandoned';
const giveUp = { to: abandoned } as const;
const abandonedState: State = { kind: 'final', outcome: 'done', on: {} };

/** The state through which a state is entered: its check, or itself. */
export function entryOf(machine: Machine, name: string): string {
  const state = stateOf(machine, name);
  return state.kind === 'dispatch' ? (state.after ?? name) : name;
}

/** The task in a snapshot, whether just entered or found again after a crash. */
export function effectOf(machine: Machine, snapshot: Snapshot): Effect {
  const state = stateOf(machine, snapshot.state);
  switch (state.kind) {
    case 'dispatch':
      return { type: 'dispatch', ...besideOf(state), step: snapshot.state, ...itemOf(state, snapshot) };
    case 'check':
      return { type: 'check', check: state.check, ...itemOf(state, snapshot) };
    case 'decide':
      return { type: 'ask', question: state.question, options: openOptions(state.on, snapshot) };
    case 'parked':
    case 'final':
      return { type: 'rest', outcome: snapshot.outcome ?? state.outcome };
  }
}

function besideOf({ role, beside }: Pick<DispatchEffect, 'role' | 'beside'>): Pick<DispatchEffect, 'role' | 'beside'> {
  return beside === undefined ? { role } : { role, beside };
}

function itemOf({ each }: { readonly each?: string }, snapshot: Snapshot): { readonly item?: WorkItem } {
  const item = each === undefined ? undefined : currentItem(snapshot.lists[each]);
  return item ? { item } : {};
}

/** The signals a state answers with a move just now; the rest it would refuse. */
export function openOptions(on: Readonly<Record<string, Route>>, snapshot: Snapshot): string[] {
  return Object.keys(on).filter(
    (name) => name !== 'withdrawn' && !('refuse' in chooseBranch(on[name] as Route, snapshot)),
  );
}

export function stateOf(machine: Machine, name: string): State {
  const state = Object.hasOwn(machine.states, name) ? machine.states[name] : undefined;
  if (!state && name === abandoned) return abandonedState;
  if (!state) throw new Error(`the machine has no state "${name}"`);
  return state;
}

export function branchesOf(route: Route): readonly Branch[] {
  return Array.isArray(route) ? (route as readonly Branch[]) : [route as Branch];
}

/** The branch a route takes in a snapshot. */
export function chooseBranch(route: Route, snapshot: Snapshot): Branch {
  for (const branch of branchesOf(route)) if (branch.when === undefined || holds(branch.when, snapshot)) return branch;
  throw new Error('a route must end with a branch that has no guard');
}

export function holds(guard: Guard, snapshot: Snapshot): boolean {
  if ('left' in guard) return (snapshot.budgets[guard.left] ?? 0) > 0;
  if ('more' in guard) return leftIn(snapshot.lists[guard.more]) > 1;
  return snapshot.flags[guard.flag] === guard.is;
}

function deltaOf(machine: Machine, snapshot: Snapshot, signal: Signal, branch: Move): Delta {
  const target = targetOf(machine, snapshot, branch);
  const entered = stateOf(machine, target);
  const budgets = budgetsOf(machine, snapshot, signal, branch);
  const item = branch.finish && finishedItem(machine, snapshot);
  const delta: { -readonly [Field in keyof Delta]: Delta[Field] } = {};
  if (target !== snapshot.state) delta.state = target;
  if (budgets) delta.budgets = budgets;
  if (signal.limits) delta.limits = signal.limits;
  if (branch.set) delta.flags = branch.set as Readonly<Record<string, string>>;
  if (branch.load !== undefined) delta.load = { list: branch.load, items: signal.items ?? [] };
  if (item) delta.finish = item;
  if (branch.remember !== undefined)
    delta.returnTo = entryOf(machine, branch.remember === true ? snapshot.state : branch.remember);
  delta.outcome = isRest(entered) ? (branch.outcome ?? entered.outcome) : null;
  if (snapshot.returnTo !== null && forgetsAddress(machine, branch)) delta.returnTo = null;
  if (signal.problem) delta.problem = signal.problem;
  // A command clears the problem of an earlier one.
  else if (snapshot.problem !== null && machine.commands.includes(signal.name)) delta.problem = null;
  if (signal.data) delta.data = signal.data;
  return delta;
}

/** T7. */
export function forgetsAddress(machine: Machine, { to, remember, outcome }: Move): boolean {
  if (remember !== undefined || to === 'again') return false;
  if (to === 'return') return true;
  const entered = stateOf(machine, to);
  return isRest(entered) && (outcome ?? entered.outcome) === 'done';
}

function targetOf(machine: Machine, snapshot: Snapshot, branch: Move): string {
  if (branch.to === 'again') return entryOf(machine, snapshot.state);
  if (branch.to !== 'return') return branch.to;
  if (snapshot.returnTo === null) throw new Error(`no return address in state "${snapshot.state}"`);
  return entryOf(machine, snapshot.returnTo);
}

function finishedItem(machine: Machine, snapshot: Snapshot): Delta['finish'] {
  const state = stateOf(machine, snapshot.state);
  if (!('each' in state) || state.each === undefined) return undefined;
  const { item } = itemOf(state, snapshot);
  return item && { list: state.each, item: item.id };
}

/** Undefined when all stay as they are. */
function budgetsOf(machine: Machine, snapshot: Snapshot, signal: Signal, branch: Move): Delta['budgets'] {
  let budgets: Record<string, number> | undefined;
  const item = itemAfter(machine, snapshot, signal, branch);
  for (const name of Object.keys(machine.budgets)) {
    const scope = machine.budgets[name]?.scope ?? 'run';
    const isNamed = branch.spend === name || branch.grant === name || branch.renew === name;
    const renewed = isRenewed(scope, machine, { state: snapshot.state, signal: signal.name, move: branch });
    if (!isNamed && !renewed && snapshot.budgets[name] !== undefined) continue;
    const limit = signal.limits?.[name] ?? snapshot.limits[name] ?? 0;
    const left = scope === 'item' ? Math.max(0, limit - (item?.spent?.[name] ?? 0)) : limit;
    const before = renewed ? left : (snapshot.budgets[name] ?? 0);
    const filled = branch.renew === name ? Math.max(before, limit, 1) : before;
    const after = filled + (branch.grant === name ? 1 : 0) - (branch.spend === name ? 1 : 0);
    if (after !== snapshot.budgets[name]) (budgets ??= {})[name] = after;
  }
  return budgets;
}

/** The item that is current once a step has loaded its list or finished one of its items. */
function itemAfter(machine: Machine, snapshot: Snapshot, signal: Signal, branch: Move): WorkItem | undefined {
  if (branch.load !== undefined) return currentItem({ items: signal.items ?? [], done: [] });
  const finished = branch.finish && finishedItem(machine, snapshot);
  const list = finished && snapshot.lists[finished.list];
  return list && currentItem({ items: list.items, done: [...list.done, finished.item] });
}

/** Whether a step renews the budgets of a scope. */
export function isRenewed(
  scope: BudgetScope,
  machine: Machine,
  { state, signal, move }: { readonly state: string; readonly signal: string; readonly move: Move },
): boolean {
  switch (scope) {
    case 'run':
      return false;
    case 'command':
      return machine.commands.includes(signal);
    case 'item':
      return move.load !== undefined || move.finish === true;
    case 'visit':
      if (move.to === 'again') return false;
      // A check and the dispatch behind it are one visit.
      return move.to === 'return' || move.to === state || entryOf(machine, move.to) !== state;
  }
}
