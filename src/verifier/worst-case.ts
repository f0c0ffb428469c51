/**
 * The most that a workflow can make agents work.
 *
 * A run rests until a person's command or answer sets it going; from there the longest path to the next rest is exact,
 * because without a person there are no cycles. A whole run is at most the sum over the acts of the person.
 * With many attempts for every item the number is worked out from few (`path-lengths.ts`); a test holds it to be exact.
 */

import { crewOf } from '../engine/machine.ts';
import { addFormulas, type Formula } from './formula.ts';
import { pathLengths } from './path-lengths.ts';
import { rolesOf } from './receivable.ts';
import { stepAt, type Space, type SpaceStep } from './space.ts';
import type { TraceStep } from './trace.ts';

/** The cost of one dispatch of a role, in USD. */
export type Price = Readonly<Record<'typical' | 'most', number>>;
export type Prices = Readonly<Record<string, Price>>;

export interface WorstCase {
  /** The command, or the state and the answer given in it, that set the run going. */
  readonly after: string;
  /** Most dispatches until it rests again, when every one ends with a report. */
  readonly dispatches: Formula;
  /** The same with every fault there can be. */
  readonly withFaults: Formula;
  readonly byRole: Readonly<Record<string, Formula>>;
  /** A longest path without faults, with one item in each list and at most one attempt of each kind for it. */
  readonly path: readonly TraceStep[];
  readonly cost: { readonly expectedAtMost: Formula; readonly worst: Formula } | null;
}

export interface WorstCases {
  readonly steps: readonly WorstCase[];
  /** The shortest path from nothing to the end, and the most that the same commands can come to. */
  readonly run: WholeRun | null;
}

interface WholeRun extends Pick<WorstCase, 'dispatches' | 'withFaults'> {
  readonly commands: readonly string[];
  readonly fewest: number;
  readonly cost: { readonly expected: readonly [low: number, high: Formula]; readonly worst: Formula } | null;
}

/** Null when a run can go on for ever, or grows in another way than evenly with its lists. */
export function worstCases(space: Space, prices: Prices | null): WorstCases | null {
  const limits = space.starts[0]?.snapshot.limits ?? {};
  const counts = space.symbolic.map((name) => limits[name] ?? 0);
  const lengths = pathLengths(space, counts);
  if (!lengths) return null;
  // Each figure is measured for all acts of persons together.
  const [dispatchesAfter, withFaultsAfter] = [lengths.formulas(false), lengths.formulas(true)];
  const expectedAfter = prices ? lengths.formulas(false, (role) => prices[role]?.typical ?? 0) : () => nothing;
  const worstAfter = prices ? lengths.formulas(true, (role) => prices[role]?.most ?? 0) : () => nothing;
  const roles = rolesOf(space.machine).map(
    (role) => [role, lengths.formulas(false, (other) => (other === role ? 1 : 0))] as const,
  );
  const steps: WorstCase[] = [];
  for (const after of new Set(space.firsts.flatMap(({ edge }) => edge.label ?? []))) {
    const [dispatches, withFaults] = [dispatchesAfter(after), withFaultsAfter(after)];
    const [expectedAtMost, worst] = [expectedAfter(after), worstAfter(after)];
    if (!dispatches || !withFaults || !expectedAtMost || !worst) return null;
    const byRole: Record<string, Formula> = {};
    for (const [role, roleAfter] of isNothing(dispatches) ? [] : roles) {
      const formula = roleAfter(after);
      if (!formula) return null;
      if (!isNothing(formula)) byRole[role] = formula;
    }
    const cost = prices && { expectedAtMost, worst };
    steps.push({ after, dispatches, withFaults, byRole, path: lengths.path(after), cost });
  }
  return { steps, run: wholeRun(space, steps, prices) };
}

const nothing: Formula = { constant: 0, perItem: {} };

function isNothing({ constant, perItem }: Formula): boolean {
  return constant === 0 && Object.values(perItem).every((each) => each === 0);
}

/** The fewest dispatches from the start to a final state, and the most that the same commands can come to. */
function wholeRun(space: Space, steps: readonly WorstCase[], prices: Prices | null): WorstCases['run'] {
  const priceOf = (role: string): number => prices?.[role]?.typical ?? 0;
  const path = cheapestRun(space, priceOf);
  if (!path) return null;
  const commands = path.flatMap(({ edge }) => edge.label ?? []);
  const taken = commands.flatMap((command) => steps.filter(({ after }) => after === command));
  const total = (pick: (step: WorstCase) => Formula): Formula => addFormulas(taken.map((step) => [1, pick(step)]));
  const roles = path.flatMap(({ to }) => crewIn(space, to.state));
  const low = roles.reduce((sum, role) => sum + priceOf(role), 0);
  return {
    commands,
    fewest: roles.length,
    dispatches: total(({ dispatches }) => dispatches),
    withFaults: total(({ withFaults }) => withFaults),
    cost: prices && {
      expected: [low, total(({ cost }) => cost?.expectedAtMost ?? nothing)],
      worst: total(({ cost }) => cost?.worst ?? nothing),
    },
  };
}

/** Fewest dispatches first, then their cost, then fewest steps; lists have one item. */
function cheapestRun(space: Space, priceOf: (role: string) => number): readonly SpaceStep[] | undefined {
  const { machine, states, edges, first, to, by } = space;
  const isTaken = edges.all.map((edge) => edge.move && edge.by !== 'fault' && (edge.loaded?.items ?? 1) === 1);
  const costs = states.map(({ state }) =>
    crewIn(space, state).reduce((sum, role) => sum + 1_000 + priceOf(role), 0.001),
  );
  const best = new Float64Array(states.length).fill(Infinity);
  best[0] = 0;
  const via = new Int32Array(states.length).fill(-1);
  // States are in the order they were found, so few rounds do.
  for (let isBetter = true; isBetter;) {
    isBetter = false;
    for (let from = 0; from < states.length; from += 1)
      for (let step = first[from] ?? 0; step < (first[from + 1] ?? 0); step += 1) {
        const target = to[step] ?? 0;
        const cost = (best[from] ?? 0) + (costs[target] ?? 0);
        if (cost >= (best[target] ?? 0) || !isTaken[by[step] ?? 0]) continue;
        best[target] = cost;
        via[target] = step;
        isBetter = true;
      }
  }
  const ends = states.filter(
    ({ state, number }) => machine.states[state]?.kind === 'final' && best[number] !== Infinity,
  );
  const [end] = ends.toSorted((one, other) => (best[one.number] ?? 0) - (best[other.number] ?? 0));
  if (!end) return undefined;
  const path: SpaceStep[] = [];
  for (let step = via[end.number] ?? -1; step !== -1; step = via[path.at(-1)?.from.number ?? 0] ?? -1)
    path.push(stepAt(space, step));
  return path.toReversed();
}

function crewIn({ machine }: Space, name: string): readonly string[] {
  return crewOf(machine.states[name]);
}
