/** Every run can end, and none goes on for ever by itself. */

import { stateOf } from '../../engine/transition.ts';
import { components, shortestWay } from '../graph.ts';
import { isPersons } from '../receivable.ts';
import type { Situation, Space, SpaceStep } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import type { PersonsLoop, Refutation } from '../verification.ts';

/** From every situation a final state can be reached. */
export function ends({ machine, situations }: Space): readonly Refutation[] {
  const before = new Map<Situation, Situation[]>();
  for (const { steps } of situations)
    for (const { from, to } of steps) before.set(to, [...(before.get(to) ?? []), from]);
  const canEnd = new Set(situations.filter(({ snapshot }) => stateOf(machine, snapshot.state).kind === 'final'));
  for (const situation of canEnd) for (const earlier of before.get(situation) ?? []) canEnd.add(earlier);

  const trapped = situations.find((situation) => !canEnd.has(situation));
  if (!trapped) return [];
  return [
    {
      what: `from ${trapped.snapshot.state} no final state can be reached any more`,
      fix: 'add a way out, or make the state final',
      trace: traceOf(machine, pathTo(trapped)),
    },
  ];
}

/** Without a person there is no way round in a circle: budgets are part of the situation, so spending one is not a circle. */
export function terminates({ machine, situations }: Space): readonly Refutation[] {
  const alone = (situation: Situation): readonly SpaceStep[] =>
    situation.steps.filter(
      ({ signal, refused }) => refused === null && !isPersons(machine, situation.snapshot.state, signal),
    );
  const groups = components(situations, (situation) => alone(situation).map(({ to }) => to));
  return groups.flatMap((group) => {
    const members = new Set(group);
    const first = situations.find((situation) => members.has(situation));
    if (!first) return [];
    const within = (situation: Situation): readonly SpaceStep[] => alone(situation).filter(({ to }) => members.has(to));
    const cycle = shortestWay(
      first,
      (at) => at === first,
      within,
      ({ to }) => to,
    );
    if (!cycle) return [];
    const names = [...new Set(cycle.map(({ from }) => from.snapshot.state))];
    return [
      {
        what: `${names.join(' → ')} → ${names[0]} can go on for ever: no budget is spent on it and no person asked`,
        fix: 'spend a budget on one of its steps, and say where it leads when that is empty',
        trace: traceOf(machine, pathTo(first)),
        cycle: traceOf(machine, cycle),
      },
    ];
  });
}

/** Loops through a person, by state: allowed, but worth knowing. Each is the shortest round from one thing a person can do. */
export function personsLoops({ machine, situations }: Space): readonly PersonsLoop[] {
  const ways = new Map<string, Map<string, Set<string>>>();
  for (const { snapshot, steps } of situations) {
    const { state } = snapshot;
    const from = ways.get(state) ?? new Map<string, Set<string>>();
    ways.set(state, from);
    for (const { signal, to, refused } of steps)
      if (refused === null) from.set(signal, (from.get(signal) ?? new Set()).add(to.snapshot.state));
  }
  const next = (name: string): readonly string[] => [...(ways.get(name)?.values() ?? [])].flatMap((to) => [...to]);
  return [...ways].flatMap(([state, signals]) =>
    [...signals].flatMap(([signal, targets]) => {
      if (!isPersons(machine, state, signal)) return [];
      const rounds = [...targets].flatMap((target) => {
        const back =
          target === state
            ? []
            : shortestWay(
                target,
                (name) => name === state,
                next,
                (name) => name,
              );
        return back ? [[state, target, ...back].slice(0, -1)] : [];
      });
      const [shortest] = rounds.toSorted((a, b) => a.length - b.length);
      return shortest ? [{ by: `${state}.${signal}`, states: shortest }] : [];
    }),
  );
}
