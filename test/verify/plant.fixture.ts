/** Copies of a machine with one thing changed, past the compiler, which would not have it. */

import type { Budget, Machine, Route, State } from '../../src/engine/machine.ts';
import { machine as change } from '../../src/workflows/change/transition-table.ts';

export type StateEdit = Partial<Record<'kind' | 'role' | 'makes' | 'each' | 'outcome' | 'check', string | undefined>>;

/** `state.signal` → its new route, or `null` to remove it. */
export function withRoutes(edits: Readonly<Record<string, Route | null>>, machine: Machine = change): Machine {
  const states = { ...machine.states };
  for (const [step, route] of Object.entries(edits)) {
    const [name = '', signal = ''] = step.split('.');
    const { [signal]: _, ...rest } = states[name]?.on ?? {};
    const on = route === null ? rest : { ...rest, [signal]: route };
    states[name] = { ...states[name], on } as State;
  }
  return { ...machine, states };
}

export function withState(name: string, edit: StateEdit | State, machine: Machine = change): Machine {
  const state = Object.fromEntries(
    Object.entries({ ...machine.states[name], ...edit }).filter(([, value]) => value !== undefined),
  );
  return {
    ...machine,
    signals: { [name]: ['kind' in edit && edit.kind === 'dispatch' ? 'reported' : []].flat(), ...machine.signals },
    states: { ...machine.states, [name]: state as unknown as State },
  };
}

export function withBudget(name: string, budget: Budget, machine: Machine = change): Machine {
  return { ...machine, budgets: { ...machine.budgets, [name]: budget } };
}
