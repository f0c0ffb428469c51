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

import { isRenewed, stateOf } from '../../engine/transition.ts';
import { components, groupsOf, shortestWay } from '../graph.ts';
import { isPersons } from '../receivable.ts';
import type { Situation, Space, SpaceStep } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import type { PersonsLoop, Refutation } from '../verification.ts';

/** From every situation a final state can be reached. */
export function ends(space: Space): readonly Refutation[] {
  const { machine, situations } = space;
  const canEnd = Uint8Array.from(situations, ({ state }) => Number(stateOf(machine, state).kind === 'final'));
  // Backwards, because most steps lead on to situations that were found later.
  for (let isNew = true; isNew;) {
    isNew = false;
    for (let from = situations.length - 1; from >= 0; from -= 1) {
      if (canEnd[from] === 1 || !hasWayOut(space, from, canEnd)) continue;
      canEnd[from] = 1;
      isNew = true;
    }
  }
  const trapped = situations.find(({ number }) => canEnd[number] === 0);
  if (!trapped) return [];
  return [
    {
      what: `from ${trapped.state} no final state can be reached any more`,
      fix: 'add a way out, or make the state final',
      trace: traceOf(machine, pathTo(trapped)),
    },
  ];
}

/** E1: whether everything that some signal may turn out to be leads on to an end. */
function hasWayOut({ edges, first, to, by }: Space, from: number, canEnd: Uint8Array): boolean {
  const begin = first[from] ?? 0;
  const end = first[from + 1] ?? 0;
  for (let step = begin; step < end; step += 1) {
    if (canEnd[to[step] ?? 0] === 0) continue;
    const sent = edges.all[by[step] ?? 0]?.sent;
    let isSure = true;
    for (let other = begin; other < end && isSure; other += 1)
      isSure = canEnd[to[other] ?? 0] === 1 || edges.all[by[other] ?? 0]?.sent !== sent;
    if (isSure) return true;
  }
  return false;
}

/** Without a person there is no way round in a circle. */
export function terminates(space: Space): readonly Refutation[] {
  const { machine } = space;
  return circularGroups(space).flatMap((circular) => {
    const ways = new Map(circular.map((situation) => [situation, situation.steps.filter(isAlone)]));
    return endlessGroups(space, circular, ways).flatMap((group) => {
      const inOrder = group.toSorted((one, other) => one.number - other.number);
      const cycle = endlessCircle(space, inOrder, ways);
      const first = cycle?.[0]?.from;
      if (!cycle || !first) return [];
      const names = [...new Set(cycle.map(({ from }) => from.state))];
      return [
        {
          what: `${names.join(' → ')} → ${names[0]} can go on for ever: no budget is spent on it and no person asked`,
          fix: 'spend a budget on one of its steps, and say where it leads when that is empty',
          trace: traceOf(machine, pathTo(first)),
          cycle: traceOf(machine, cycle),
        },
      ];
    });
  });
}

/** Situations that all reach one another without a person, where there is a way round at all. */
function circularGroups({ edges, situations, first, to, by }: Space): readonly (readonly Situation[])[] {
  const isTaken = Uint8Array.from(edges.all, (edge) => Number(isAlone({ edge })));
  const begins: number[] = [0];
  const ways: number[] = [];
  const isRound = new Uint8Array(situations.length);
  for (let from = 0; from < situations.length; from += 1) {
    for (let step = first[from] ?? 0; step < (first[from + 1] ?? 0); step += 1) {
      const target = to[step] ?? 0;
      if (isTaken[by[step] ?? 0] === 0) continue;
      if (target === from) isRound[from] = 1;
      if (target !== ways.at(-1) || ways.length === begins.at(-1)) ways.push(target);
    }
    begins.push(ways.length);
  }
  return groupsOf(begins, ways)
    .filter(([one = 0, other]) => other !== undefined || isRound[one] === 1)
    .map((group) => group.flatMap((number) => situations[number] ?? []));
}

function isAlone({ edge }: Pick<SpaceStep, 'edge'>): boolean {
  return edge.move !== null && edge.by !== 'person';
}

/** So many are tried as the beginning of a circle: the shortest reads best, any will do. */
const beginningsMax = 200;

/** A short circle that can be gone round for ever: it spends no open budget, or renews it on the way. */
function endlessCircle(space: Space, group: readonly Situation[], ways: Ways): SpaceStep[] | undefined {
  const members = new Set(group);
  const within = (at: Situation): readonly SpaceStep[] => (ways.get(at) ?? []).filter(({ to }) => members.has(to));
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

/** The steps that need no person. */
type Ways = Map<Situation, readonly SpaceStep[]>;

/** E2: groups with a circle that no budget ends. Takes the steps out of `ways` that cannot be taken for ever. */
function endlessGroups(space: Space, situations: readonly Situation[], ways: Ways): Situation[][] {
  const groups = components(situations, (situation) => (ways.get(situation) ?? []).map(({ to }) => to));
  return groups.flatMap((group) => {
    const members = new Set(group);
    const within = group.flatMap((situation) => (ways.get(situation) ?? []).filter(({ to }) => members.has(to)));
    if (within.length === 0) return [];
    const renewed = new Set(within.flatMap((step) => renewedBy(space, step)));
    const bounded = new Set(within.filter((step) => isBounded(space, step, renewed)));
    if (bounded.size === 0) return [group];
    for (const situation of group)
      ways.set(
        situation,
        (ways.get(situation) ?? []).filter((step) => !bounded.has(step)),
      );
    return endlessGroups(space, group, ways);
  });
}

/** Whether it spends a budget that is left open and is not renewed. */
function isBounded({ open }: Space, { edge }: SpaceStep, renewed: ReadonlySet<string>): boolean {
  const spent = edge.move?.spend;
  return spent !== undefined && open.includes(spent) && !renewed.has(spent);
}

function renewedBy({ machine, open }: Space, { edge: { signal, move } }: SpaceStep): readonly string[] {
  if (!move) return [];
  return open.filter(
    (name) =>
      move.grant === name ||
      move.renew === name ||
      isRenewed(machine.budgets[name]?.scope ?? 'item', machine, signal, move),
  );
}

/** Loops through a person, by state: allowed, but worth knowing. Each is the shortest round from one thing a person can do. */
export function personsLoops({ machine, edges, situations, first, to, by }: Space): readonly PersonsLoop[] {
  const ways = new Map<string, Map<string, Set<string>>>();
  const isKnown: boolean[] = [];
  for (const { number, state } of situations) {
    const from = ways.get(state) ?? new Map<string, Set<string>>();
    ways.set(state, from);
    for (let step = first[number] ?? 0; step < (first[number + 1] ?? 0); step += 1) {
      const edge = by[step] ?? 0;
      if (isKnown[edge]) continue;
      const { signal, move } = edges.all[edge] ?? {};
      const target = situations[to[step] ?? 0]?.state;
      if (signal !== undefined && target !== undefined && move)
        from.set(signal, (from.get(signal) ?? new Set()).add(target));
      // Only a return may lead elsewhere the next time.
      isKnown[edge] = move?.to !== 'return';
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
