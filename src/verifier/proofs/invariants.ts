/** What a workflow promises of itself: states and steps that are never reached while a flag is set, or only after others. */

import type { Invariant, Machine } from '../../engine/machine.ts';
import { isRenewed, stateOf } from '../../engine/transition.ts';
import { listed, refutation, type Refutation } from '../refutation.ts';
import type { Space } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import { breachesOf, type Monitor } from './watching.ts';

export function invariantHolds(space: Space, invariant: Invariant): readonly Refutation[] {
  if ('shrinks' in invariant) return neverGrows(space, invariant.shrinks);
  if ('never' in invariant) {
    const { flag, is } = invariant.while;
    return breachesOf(space, flagMonitor(space.machine, invariant)).map(({ at, trace }) =>
      refutation(`${reached(at)} while ${flag} is ${is}`, `set ${flag} to another value on the way`, trace),
    );
  }
  return breachesOf(space, orderMonitor(invariant)).map(({ at, trace }) =>
    refutation(`${reached(at)} before ${either(invariant.after)}`, 'lead every path there through one of them', trace),
  );
}

/** No step that is taken adds to the budget, nor fills it again. */
function neverGrows({ machine, firsts }: Space, budget: string): readonly Refutation[] {
  const scope = machine.budgets[budget]?.scope ?? 'run';
  const adding = firsts.find(({ edge: { state, signal, move } }) => {
    if (!move) return false;
    return move.grant === budget || move.renew === budget || isRenewed(scope, machine, { state, signal, move });
  });
  if (!adding) return [];
  const { state, signal } = adding.edge;
  const trace = traceOf(machine, [...pathTo(adding.from), adding]);
  return [
    refutation(`${state}.${signal} adds to the budget ${budget}`, 'give it the scope "run" and grant none', trace),
  ];
}

/** A workflow that says so asks nobody. */
export function asksNobody({ machine, states }: Space): readonly Refutation[] {
  const asking = states.find(({ state }) => stateOf(machine, state).kind === 'decide');
  if (!asking) return [];
  const trace = traceOf(machine, pathTo(asking));
  return [refutation(`${asking.state} asks a person`, 'lead to a check that records why the run ends', trace)];
}

/** Every dispatch with a check before it is entered from that check only. */
export function checkedFirst(space: Space): readonly Refutation[] {
  return Object.entries(space.machine.states).flatMap(([name, state]) => {
    if (state.kind !== 'dispatch' || state.after === undefined) return [];
    const { after } = state;
    return breachesOf(space, entryMonitor(name, after)).map(({ trace }) =>
      refutation(`${name} can be entered without ${after} before it`, `lead to ${after} instead`, trace),
    );
  });
}

/** Condition 1: the last step was taken elsewhere than in the check. */
function entryMonitor(name: string, check: string): Monitor {
  const after =
    ({ state }: { readonly state: string }) =>
    () =>
      Number(state !== check);
  return { size: 2, after, watched: [name], forbids: (_, condition) => condition === 1 };
}

/** Condition 1: the flag has another value than at the start. */
function flagMonitor({ flags }: Machine, invariant: Extract<Invariant, { never: unknown }>): Monitor {
  const { flag, is } = invariant.while;
  const startsSo = flags[flag] === is;
  return {
    size: 2,
    after: ({ move }) => {
      const value = move?.set?.[flag];
      const set = Number((value === is) !== startsSo);
      return (condition) => (value === undefined ? condition : set);
    },
    watched: invariant.never,
    forbids: (_, condition) => (condition === 1) !== startsSo,
  };
}

/** Condition 1: one of the steps was taken, and none since that takes this back. */
function orderMonitor({ only, after, since = [] }: Extract<Invariant, { only: unknown }>): Monitor {
  return {
    size: 2,
    after: ({ state, signal }) => {
      const step = `${state}.${signal}`;
      const set = after.includes(step) ? 1 : since.includes(step) ? 0 : null;
      return (condition) => set ?? condition;
    },
    watched: only,
    forbids: (_, condition) => condition === 0,
  };
}

export function invariantClaim(invariant: Invariant): string {
  if ('shrinks' in invariant) return `the budget ${invariant.shrinks} never grows`;
  if ('never' in invariant)
    return `${either(invariant.never)} never while ${invariant.while.flag} is ${invariant.while.is}`;
  const { only, after, since = [] } = invariant;
  const again = since.length === 0 ? '' : `, and again after ${either(since)}`;
  return `${either(only)} only after ${either(after)}${again}`;
}

function reached(at: string): string {
  return at.includes('.') ? `${at} can be taken` : `${at} can be entered`;
}

function either(names: readonly string[]): string {
  return listed(names, 'or');
}
