/** A machine of ours rendered for XState v5: an independent reading of the same table, to compare with. */

import { assign, createMachine, transition as next, type AnyStateMachine, type EventObject } from 'xstate';
import type { Guard, Machine, Move, Route, State } from '../../src/engine/machine.ts';
import { branchesOf } from '../../src/engine/transition.ts';
import type { ExploredState } from '../../src/verifier/space.ts';

export interface Context {
  readonly budgets: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly flags: Readonly<Record<string, string>>;
  /** How much of each list is left. */
  readonly lists: Readonly<Record<string, number>>;
  readonly returnTo: string | null;
}

interface Sent extends EventObject {
  readonly items?: number;
}

type Condition = (inside: { readonly context: Context }) => boolean;

/** Where XState says a signal leads. */
export function steppedByXstate(
  machine: AnyStateMachine,
  from: { readonly state: string; readonly context: Context },
  sent: Sent,
): { readonly state: string; readonly context: Context } {
  const [after] = next(machine, machine.resolveState({ value: from.state, context: from.context }), sent);
  return { state: String(after.value), context: after.context as Context };
}

export function contextOf({ snapshot }: Pick<ExploredState, 'snapshot'>, machine: Machine): Context {
  const lists = machine.lists.map((name) => {
    const list = snapshot.lists[name];
    return [name, list ? list.items.length - list.done.length : 0];
  });
  const { budgets, limits, flags, returnTo } = snapshot;
  return { budgets, limits, flags, lists: Object.fromEntries(lists), returnTo };
}

export function renderForXstate(machine: Machine): AnyStateMachine {
  const addresses = Object.keys(machine.states);
  const states = Object.entries(machine.states).map(([name, state]) => [
    name,
    {
      on: Object.fromEntries(
        [...Object.entries(state.on), ...resumedBy(state)].map(([signal, route]) => [
          signal,
          branchesOf(route).flatMap((branch) => {
            const guard = condition(branch.when);
            // Without a target and actions nothing happens, and no later branch is tried.
            if ('refuse' in branch) return [{ guard }];
            const actions = assign<Context, Sent, undefined, Sent, never>(({ context, event }) =>
              moved(machine, name, { context, event, branch, signal }),
            );
            if (branch.to === 'again') return [{ guard, actions, ...(checkOf(state) && { target: checkOf(state) }) }];
            if (branch.to !== 'return') return [{ guard, actions, target: branch.to, reenter: true }];
            // XState has no computed targets: one transition for every address there can be.
            return addresses.map((target) => ({
              guard: (inside: { context: Context }) => guard(inside) && inside.context.returnTo === target,
              actions,
              target,
              reenter: true,
            }));
          }),
        ]),
      ),
    },
  ]);
  return createMachine({ initial: machine.initial, states: Object.fromEntries(states) } as never);
}

function condition(when: Guard | undefined): Condition {
  if (!when) return () => true;
  if ('left' in when) return ({ context }) => (context.budgets[when.left] ?? 0) > 0;
  if ('more' in when) return ({ context }) => (context.lists[when.more] ?? 0) > 1;
  return ({ context }) => context.flags[when.flag] === when.is;
}

interface Taken {
  readonly context: Context;
  readonly event: Sent;
  readonly branch: Move;
  readonly signal: string;
}

function moved(machine: Machine, name: string, { context, event, branch, signal }: Taken): Context {
  const budgets = { ...context.budgets };
  for (const [budget, { scope }] of Object.entries(machine.budgets)) {
    const isNewVisit = branch.to !== 'again' && checkOf(machine.states[branch.to]) !== name;
    if (scope === 'visit' && isNewVisit) budgets[budget] = context.limits[budget] ?? 0;
    if (scope === 'command' && machine.commands.includes(signal)) budgets[budget] = context.limits[budget] ?? 0;
    if (scope === 'item' && (branch.load !== undefined || branch.finish)) budgets[budget] = context.limits[budget] ?? 0;
  }
  if (branch.renew !== undefined)
    budgets[branch.renew] = Math.max(budgets[branch.renew] ?? 0, context.limits[branch.renew] ?? 0, 1);
  if (branch.grant !== undefined) budgets[branch.grant] = (budgets[branch.grant] ?? 0) + 1;
  if (branch.spend !== undefined) budgets[branch.spend] = (budgets[branch.spend] ?? 0) - 1;
  const lists = { ...context.lists };
  const addressOf = (target: string): string => checkOf(machine.states[target]) ?? target;
  const state = machine.states[name];
  const each = state !== undefined && 'each' in state ? state.each : undefined;
  if (branch.finish && each !== undefined && (lists[each] ?? 0) > 0) lists[each] = (lists[each] ?? 0) - 1;
  if (branch.load !== undefined) lists[branch.load] = event.items ?? 0;
  return {
    budgets,
    limits: context.limits,
    flags: { ...context.flags, ...(branch.set as Context['flags']) },
    lists,
    returnTo:
      branch.remember !== undefined
        ? addressOf(branch.remember === true ? name : branch.remember)
        : branch.to === 'return' || isDone(machine.states[branch.to], branch)
          ? null
          : context.returnTo,
  };
}

/** Whether a run rests there because it is done. */
function isDone(state: State | undefined, { outcome }: { readonly outcome?: string }): boolean {
  return state !== undefined && 'outcome' in state && (outcome ?? state.outcome) === 'done';
}

/** What takes a run up again that was left in a state. */
function resumedBy(state: State): readonly (readonly [string, Route])[] {
  if (!('resume' in state) || state.resume === undefined) return [];
  return [['repeated', state.resume]];
}

/** The check that comes before every dispatch of a state. */
function checkOf(state: State | undefined): string | undefined {
  return state?.kind === 'dispatch' ? state.after : undefined;
}
