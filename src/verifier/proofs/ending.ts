/**
 * Every run can end, and none goes on for ever by itself.
 *
 * Budgets are part of a situation, so spending one is not a circle; those that are left open are not, and need more:
 *
 * E1. A situation can end when some signal leads on to one that can, *whatever* is left of the budgets that are open.
 * E2. Whatever goes on for ever without a person stays, from some step on, among steps that it takes again and again;
 *     they lie in one group of situations that all reach one another. A budget that some of them spend and none of
 *     the group renews would run out: so those steps are not among them and are taken out, until no circle is left.
 * E3. Finishing an item renews budgets, yet is progress: how much is left of the list is part of the situation, so a
 *     circle with it loads the list again (and is one), or finishes nothing.
 */

import { isRenewed, stateOf, type Signal } from '../../engine/transition.ts';
import { components, shortestWay } from '../graph.ts';
import { isPersons } from '../receivable.ts';
import type { Situation, Space, SpaceStep } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import type { PersonsLoop, Refutation } from '../verification.ts';

/** From every situation a final state can be reached. */
export function ends({ machine, situations }: Space): readonly Refutation[] {
  /** By situation: the choices that may lead to it. */
  const before: Choice[][] = situations.map(() => []);
  for (const from of situations) {
    const choices = new Map<Signal, Choice>();
    for (const { branch, to } of from.steps) {
      const choice = choices.get(branch.sent) ?? { from, open: 0 };
      choices.set(branch.sent, choice);
      choice.open += 1;
      before[to.number]?.push(choice);
    }
  }
  const canEnd = new Set(situations.filter(({ snapshot }) => stateOf(machine, snapshot.state).kind === 'final'));
  for (const { number } of canEnd)
    for (const choice of before[number] ?? []) {
      choice.open -= 1;
      if (choice.open === 0) canEnd.add(choice.from);
    }

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

/** E1: a signal; so many of the steps it may turn out to be are not yet known to lead to an end. */
interface Choice {
  readonly from: Situation;
  open: number;
}

/** Without a person there is no way round in a circle. */
export function terminates(space: Space): readonly Refutation[] {
  const { machine, situations } = space;
  const ways = situations.map(({ steps }) => steps.filter(({ branch }) => branch.move && branch.by !== 'person'));
  return endlessGroups(space, situations, ways).flatMap((group) => {
    const inOrder = group.toSorted((one, other) => one.number - other.number);
    const cycle = endlessCircle(space, inOrder, ways);
    const first = cycle?.[0]?.from;
    if (!cycle || !first) return [];
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

/** So many are tried as the beginning of a circle: the shortest reads best, any will do. */
const beginningsMax = 200;

/** A short circle that can be gone round for ever: it spends no open budget, or renews it on the way. */
function endlessCircle(space: Space, group: readonly Situation[], ways: Ways): SpaceStep[] | undefined {
  const members = new Set(group);
  const within = (at: Situation): readonly SpaceStep[] => ways[at.number]?.filter(({ to }) => members.has(to)) ?? [];
  const free = (at: Situation): readonly SpaceStep[] => within(at).filter((step) => !isBounded(space, step, new Set()));
  const renewing = group.flatMap(within).filter((step) => renewedBy(space, step).length > 0);
  const circles = [
    ...group.slice(0, beginningsMax).flatMap((first) => {
      const circle = wayBetween(first, first, free);
      return circle ? [circle] : [];
    }),
    ...renewing.slice(0, beginningsMax).flatMap((step) => {
      const back = step.to === step.from ? [] : wayBetween(step.to, step.from, within);
      return back ? [[step, ...back]] : [];
    }),
  ];
  const [first] = group;
  const [shortest] = circles.toSorted((one, other) => one.length - other.length);
  return shortest ?? (first && wayBetween(first, first, within));
}

function wayBetween(
  from: Situation,
  to: Situation,
  steps: (at: Situation) => readonly SpaceStep[],
): SpaceStep[] | undefined {
  return shortestWay(
    from,
    (at) => at === to,
    steps,
    (step) => step.to,
  );
}

/** By situation: the steps that need no person. */
type Ways = (readonly SpaceStep[])[];

/** E2: groups with a circle that no budget ends. Takes the steps out of `ways` that cannot be taken for ever. */
function endlessGroups(space: Space, situations: readonly Situation[], ways: Ways): Situation[][] {
  const groups = components(situations, ({ number }) => (ways[number] ?? []).map(({ to }) => to));
  return groups.flatMap((group) => {
    const members = new Set(group);
    const within = group.flatMap(({ number }) => (ways[number] ?? []).filter(({ to }) => members.has(to)));
    if (within.length === 0) return [];
    const renewed = new Set(within.flatMap((step) => renewedBy(space, step)));
    const bounded = new Set(within.filter((step) => isBounded(space, step, renewed)));
    if (bounded.size === 0) return [group];
    for (const { number } of group) ways[number] = (ways[number] ?? []).filter((step) => !bounded.has(step));
    return endlessGroups(space, group, ways);
  });
}

/** Whether it spends a budget that is left open and is not renewed. */
function isBounded({ open }: Space, { branch }: SpaceStep, renewed: ReadonlySet<string>): boolean {
  const spent = branch.move?.spend;
  return spent !== undefined && open.includes(spent) && !renewed.has(spent);
}

function renewedBy({ machine, open }: Space, { branch: { signal, move } }: SpaceStep): readonly string[] {
  if (!move) return [];
  return open.filter(
    (name) =>
      move.grant === name ||
      move.renew === name ||
      isRenewed(machine.budgets[name]?.scope ?? 'item', machine, signal, move),
  );
}

/** Loops through a person, by state: allowed, but worth knowing. Each is the shortest round from one thing a person can do. */
export function personsLoops({ machine, situations, firsts }: Space): readonly PersonsLoop[] {
  const ways = new Map<string, Map<string, Set<string>>>();
  for (const { snapshot, steps } of situations) {
    const { state } = snapshot;
    const from = ways.get(state) ?? new Map<string, Set<string>>();
    ways.set(state, from);
    for (const step of steps) {
      const { signal, move } = step.branch;
      // Only to return leads elsewhere than the first time.
      if (!move || (move.to !== 'return' && firsts.get(step.branch) !== step)) continue;
      from.set(signal, (from.get(signal) ?? new Set()).add(step.to.snapshot.state));
    }
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
