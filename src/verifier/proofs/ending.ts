/**
 * Every run can end, and none goes on for ever by itself.
 *
 * Budgets are part of an explored state, so spending one is no cycle; symbolic ones are not, and need more:
 *
 * E1. A state can end when some signal leads on to one that can, *whatever* is left of the symbolic budgets.
 * E2. A run that goes on for ever without a person stays, from some step on, among steps that it takes again and again;
 *     they lie in one group of states that all reach one another. A budget that some of them spend and none of
 *     the group renews would run out: so those steps are not among them and are taken out, until no cycle is left.
 * E3. Finishing an item renews budgets, yet is progress: how much is left of the list is part of the state, so a
 *     cycle with it loads the list again (and is one), or finishes nothing.
 */

import { initialSnapshot } from '../../engine/snapshot.ts';
import { abandoned, repeated, stateOf, transition } from '../../engine/transition.ts';
import type { Edge } from '../edges.ts';
import { groupsOf, shortestPath } from '../graph.ts';
import { remembered } from '../pairs.ts';
import { senderOf } from '../receivable.ts';
import { stepAt, type ExploredState, type Space, type SpaceStep } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import { refutation, type PersonsLoop, type Refutation } from '../refutation.ts';

/** From every state a final one can be reached. */
export function ends(space: Space): readonly Refutation[] {
  const { machine, states } = space;
  const canEnd = Uint8Array.from(states, ({ state }) => Number(stateOf(machine, state).kind === 'final'));
  // Backwards, because most steps lead on to states that were found later.
  for (let isNew = true; isNew;) {
    isNew = false;
    for (let from = states.length - 1; from >= 0; from -= 1) {
      if (canEnd[from] === 1 || !hasWayOut(space, from, canEnd)) continue;
      canEnd[from] = 1;
      isNew = true;
    }
  }
  const trapped = states.find(({ number }) => canEnd[number] === 0);
  if (!trapped) return [];
  const what = `from ${trapped.state} no final state can be reached any more`;
  const fix = 'add a route that leads to an end, or make the state final';
  return [refutation(what, fix, traceOf(machine, pathTo(trapped)))];
}

/** A person can end every run that is not over, and nothing leads on from there. */
export function abandonable({ machine }: Space): readonly Refutation[] {
  const end = stateOf(machine, abandoned);
  const onward = machine.commands.filter((command) => Object.hasOwn(end.on, command));
  const trapped = Object.keys(machine.states).filter((state) => {
    if (stateOf(machine, state).kind === 'final') return false;
    const step = transition(machine, { ...initialSnapshot(machine), state }, { name: abandoned });
    return step.kind === 'refusal' || step.snapshot.state !== abandoned;
  });
  const rename = `use another name than "${abandoned}", which every workflow has`;
  return [
    ...(end.kind === 'final' && onward.length === 0
      ? []
      : [refutation(`${abandoned} is not the end of a run`, rename)]),
    ...trapped.map((state) => refutation(`a run in ${state} cannot be abandoned`, rename)),
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

/** Without a person there is no cycle. */
export function terminates(space: Space): readonly Refutation[] {
  const { machine } = space;
  return endlessGroups(space).flatMap((steps) => {
    const cycle = endlessCycle(space, steps);
    const first = cycle?.[0]?.from;
    if (!cycle || !first) return [];
    const names = [...new Set(cycle.map(({ from }) => from.state))];
    const what = `${names.join(' → ')} → ${names[0]} is not bounded: it spends no budget and asks no person`;
    const fix = 'spend a budget on one of its steps, and add a route for when it is empty';
    return { ...refutation(what, fix, traceOf(machine, pathTo(first))), cycle: traceOf(machine, cycle) };
  });
}

/** So many are tried as the beginning of a cycle: the shortest reads best, any will do. */
const beginningsMax = 200;

/** A short cycle that can be repeated for ever: it spends no symbolic budget, or renews it on the way. */
function endlessCycle(space: Space, steps: readonly SpaceStep[]): readonly SpaceStep[] | undefined {
  const within = new Map<ExploredState, SpaceStep[]>();
  for (const step of steps) remembered(within, step.from, (): SpaceStep[] => []).push(step);
  const all = (at: ExploredState): readonly SpaceStep[] => within.get(at) ?? [];
  const free = (at: ExploredState): readonly SpaceStep[] =>
    all(at).filter(({ edge }) => !isBounded(space, edge, new Set()));
  const beginnings = [...within.keys()];
  const renewing = steps.filter(({ edge }) => renewedBy(space, edge).length > 0);
  const cycles = [
    ...beginnings.slice(0, beginningsMax).map((first) => shortestPath(first, (at) => at === first, free)),
    ...renewing.slice(0, beginningsMax).map((step) => {
      const back = step.to === step.from ? [] : shortestPath(step.to, (at) => at === step.from, all);
      return back && [step, ...back];
    }),
  ];
  const [shortest] = cycles.flatMap((cycle) => (cycle ? [cycle] : [])).toSorted((a, b) => a.length - b.length);
  const [first] = beginnings;
  return shortest ?? (first && shortestPath(first, (at) => at === first, all));
}

/** E2: the steps within each group of states that has a cycle which no budget ends. */
function endlessGroups(space: Space): readonly (readonly SpaceStep[])[] {
  const { edges, by } = space;
  const isAlone = edges.all.map(({ move, by: sender }) => move !== null && sender !== 'person');
  const isTaken = Uint8Array.from(by, (edge) => Number(isAlone[edge]));
  for (;;) {
    const groups = stepsByGroup(space, isTaken);
    const bounded = groups.flatMap((steps) => {
      const own = new Set<number>();
      for (const step of steps) own.add(by[step] ?? 0);
      const renewed = new Set([...own].flatMap((edge) => renewedBy(space, edges.all[edge])));
      const isEnding = edges.all.map((edge) => isBounded(space, edge, renewed));
      return steps.filter((step) => isEnding[by[step] ?? 0]);
    });
    if (bounded.length === 0) return groups.map((steps) => steps.map((step) => stepAt(space, step)));
    for (const step of bounded) isTaken[step] = 0;
  }
}

/** Of each group that has any, the steps that do not leave it. */
function stepsByGroup({ states, first, to }: Space, isTaken: Uint8Array): readonly (readonly number[])[] {
  const groupOf = groupsOf(first, to, isTaken);
  const groups: number[][] = [];
  const stepsOf: number[][] = [];
  for (let from = 0; from < states.length; from += 1)
    for (let step = first[from] ?? 0; step < (first[from + 1] ?? 0); step += 1) {
      const group = groupOf[from] ?? 0;
      if (isTaken[step] === 0 || groupOf[to[step] ?? 0] !== group) continue;
      const steps = stepsOf[group];
      if (steps) steps.push(step);
      else groups.push((stepsOf[group] = [step]));
    }
  return groups;
}

/** Whether it spends a symbolic budget that is not renewed. */
function isBounded({ symbolic }: Space, edge: Edge | undefined, renewed: ReadonlySet<string>): boolean {
  const spent = edge?.move?.spend;
  return spent !== undefined && symbolic.includes(spent) && !renewed.has(spent);
}

function renewedBy({ symbolic }: Space, edge: Edge | undefined): readonly string[] {
  const { grant, renew } = edge?.move ?? {};
  return symbolic.filter((name, at) => grant === name || renew === name || edge?.effect.symbolic[at]?.renewed);
}

/** Loops through a person, by state: allowed, but worth knowing. Each is the shortest round from one act of a person. */
export function personsLoops({ machine, edges, states, first, to, by }: Space): readonly PersonsLoop[] {
  const targets = new Map<string, Map<string, Set<string>>>();
  const isKnown: boolean[] = [];
  for (const { number, state } of states) {
    const from = remembered(targets, state, () => new Map<string, Set<string>>());
    for (let step = first[number] ?? 0; step < (first[number + 1] ?? 0); step += 1) {
      const edge = by[step] ?? 0;
      if (isKnown[edge]) continue;
      const { signal, move } = edges.all[edge] ?? {};
      const target = states[to[step] ?? 0]?.state;
      if (signal !== undefined && target !== undefined && move)
        remembered(from, signal, () => new Set<string>()).add(target);
      // Only a return may lead elsewhere the next time.
      isKnown[edge] = move?.to !== 'return';
    }
  }
  const next = (name: string): readonly { readonly to: string }[] =>
    [...(targets.get(name)?.values() ?? [])].flatMap((names) => [...names].map((each) => ({ to: each })));
  return [...targets].flatMap(([state, signals]) =>
    [...signals].flatMap(([signal, names]) => {
      if (senderOf(machine, state, signal) !== 'person' || signal === repeated) return [];
      const rounds = [...names].flatMap((target) => {
        const back = target === state ? [] : shortestPath(target, (name) => name === state, next);
        return back ? [[state, target, ...back.map((step) => step.to)].slice(0, -1)] : [];
      });
      const [shortest] = rounds.toSorted((a, b) => a.length - b.length);
      return shortest ? [{ by: `${state}.${signal}`, states: shortest }] : [];
    }),
  );
}
