/** Every state handles every signal it can receive, and no others. */

import { stateOf } from '../../engine/transition.ts';
import { receivable } from '../receivable.ts';
import type { Space, Stuck } from '../space.ts';
import { pathTo, senderOf, traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

export function handled(space: Space): readonly Refutation[] {
  return [...stuckSignals(space), ...foreignSignals(space)];
}

/** One refutation for each state and signal, with the shortest way there. */
function stuckSignals({ machine, stuck }: Space): Refutation[] {
  const first = new Map<string, Stuck>();
  for (const one of stuck) {
    const step = `${one.at.state}.${one.signal}`;
    if (!first.has(step)) first.set(step, one);
  }
  return [...first].map(([step, { at, signal, why }]) => {
    const { state } = at;
    const by = senderOf(machine, state, signal);
    const told = {
      unhandled: [`${state} has no route for "${signal}", which it can receive`, `add ${step} to the table`],
      budget_spent: [
        `${step} spends a budget that is already empty`,
        'guard it with `left`, and add a branch for the rest',
      ],
      no_return_address: [`${step} returns, but nothing was remembered`, 'set `remember` on every way into it'],
    }[why];
    return {
      what: told[0] ?? why,
      fix: told[1] ?? '',
      trace: [...traceOf(machine, pathTo(at)), { state, signal, to: '?', by, does: [] }],
    };
  });
}

/** A route nobody can take is a misspelt signal more often than a precaution. */
function foreignSignals({ machine }: Space): Refutation[] {
  return Object.keys(machine.states).flatMap((name) => {
    const known = receivable(machine, name);
    return Object.keys(stateOf(machine, name).on)
      .filter((signal) => !known.includes(signal))
      .map((signal) => ({
        what: `${name} has a route for "${signal}", which it never receives`,
        fix: `it receives ${known.join(', ') || 'nothing'}; remove the route or declare the signal`,
        trace: [],
      }));
  });
}
