/**
 * How much a workflow can make agents work at most.
 *
 * A run rests until a person's command or answer sets it going; from there the longest way to the next rest is exact,
 * because without a person there are no circles. A whole run is at most the sum over what the person did.
 * With many attempts for every item the number is worked out from few (`at-limits.ts`); a test holds it to be exact.
 */

import { atLimits, atMostOne, isFew } from './at-limits.ts';
import { cheapestRun, roleIn } from './cheapest-run.ts';
import { addFormulas, formulaFitter, type Formula } from './formula.ts';
import { itemsMax } from './edges.ts';
import { rolesOf } from './classes.ts';
import { LongestWays, type Weighing } from './longest-ways.ts';
import type { Space } from './space.ts';
import type { TraceStep } from './trace.ts';
import { unfold, type Counts } from './unfolded.ts';
import { waysOf, type Ways } from './ways.ts';

/** What one dispatch of a role costs, in USD. */
export interface Price {
  readonly typical: number;
  readonly most: number;
}
export type Prices = Readonly<Record<string, Price>>;

export interface WorstCase {
  /** The command, or the state and the answer given in it, that set the run going. */
  readonly after: string;
  /** Most dispatches until it rests again, when every one ends with a report. */
  readonly dispatches: Formula;
  /** The same with every fault there can be. */
  readonly withFaults: Formula;
  readonly byRole: Readonly<Record<string, Formula>>;
  /** A longest way without faults, with one item in each list and at most one attempt of each kind for it. */
  readonly path: readonly TraceStep[];
  readonly cost: { readonly expectedAtMost: Formula; readonly worst: Formula } | null;
}

export interface WorstCases {
  readonly steps: readonly WorstCase[];
  /** The shortest way from nothing to the end, and what the same commands can come to. */
  readonly run: {
    readonly commands: readonly string[];
    readonly fewest: number;
    readonly dispatches: Formula;
    readonly withFaults: Formula;
    readonly cost: { readonly expected: readonly [low: number, high: Formula]; readonly worst: Formula } | null;
  } | null;
}

/** Null when a run can go on for ever, or grows in another way than evenly with its lists. */
export function worstCases(space: Space, prices: Prices | null): WorstCases | null {
  const lengths = new LengthsAtLimits(space);
  if (!lengths.isBounded) return null;
  const formulas = formulasOf(lengths, prices);
  const pathAfter = lengths.paths();
  const labels = new Set(space.firsts.flatMap(({ edge }) => edge.label ?? []));
  const steps: WorstCase[] = [];
  for (const after of labels) {
    const found = worstCase(formulas, after, pathAfter(after));
    if (!found) return null;
    steps.push(found);
  }
  return { steps, run: wholeRun(space, steps, prices) };
}

type FormulaAfter = (after: string) => Formula | undefined;

interface Formulas {
  readonly dispatches: FormulaAfter;
  readonly withFaults: FormulaAfter;
  readonly byRole: readonly (readonly [role: string, formula: FormulaAfter])[];
  readonly cost: { readonly expectedAtMost: FormulaAfter; readonly worst: FormulaAfter } | null;
}

/** Each is measured for all that persons do together. */
function formulasOf(lengths: LengthsAtLimits, prices: Prices | null): Formulas {
  const { machine } = lengths.space;
  const fit = formulaFitter(machine.lists, itemsMax);
  const formula = (faults: boolean, weigh: (role: string) => number): FormulaAfter => {
    const known = new Map<Weighing['sizes'], (after: string) => number>();
    return (after) =>
      fit((sizes) => {
        const longest = known.get(sizes) ?? lengths.longestAfter({ weigh, faults, sizes });
        known.set(sizes, longest);
        return longest(after);
      });
  };
  return {
    dispatches: formula(false, () => 1),
    withFaults: formula(true, () => 1),
    byRole: rolesOf(machine).map((role) => [role, formula(false, (other) => (other === role ? 1 : 0))]),
    cost: prices && {
      expectedAtMost: formula(false, (role) => prices[role]?.typical ?? 0),
      worst: formula(true, (role) => prices[role]?.most ?? 0),
    },
  };
}

function worstCase(formulas: Formulas, after: string, path: WorstCase['path']): WorstCase | undefined {
  const dispatches = formulas.dispatches(after);
  const withFaults = formulas.withFaults(after);
  const expectedAtMost = formulas.cost ? formulas.cost.expectedAtMost(after) : nothing;
  const worst = formulas.cost ? formulas.cost.worst(after) : nothing;
  if (!dispatches || !withFaults || !expectedAtMost || !worst) return undefined;
  const byRole: Record<string, Formula> = {};
  for (const [role, formulaAfter] of isNothing(dispatches) ? [] : formulas.byRole) {
    const formula = formulaAfter(after);
    if (!formula) return undefined;
    if (!isNothing(formula)) byRole[role] = formula;
  }
  return { after, dispatches, withFaults, byRole, path, cost: formulas.cost && { expectedAtMost, worst } };
}

const nothing: Formula = { constant: 0, perItem: {} };

function isNothing({ constant, perItem }: Formula): boolean {
  return constant === 0 && Object.values(perItem).every((each) => each === 0);
}

/** The longest ways at the limits of the space's start. */
class LengthsAtLimits {
  readonly space: Space;
  readonly isBounded: boolean;
  readonly #ways: Ways;
  readonly #limits: Counts;
  readonly #sum: ReturnType<typeof atLimits>;
  readonly #known = new Map<string, LongestWays | undefined>();

  constructor(space: Space) {
    this.space = space;
    this.#ways = waysOf(space);
    const limits = space.starts[0]?.snapshot.limits ?? {};
    this.#limits = Object.fromEntries(space.open.map((name) => [name, limits[name] ?? 0]));
    const isExact = isFew(space, Object.values(this.#limits));
    this.#sum = isExact ? (measure) => measure(this.#limits) : atLimits(this.#limits);
    this.isBounded = this.#at(isExact ? this.#limits : atMostOne(this.#limits)) !== undefined;
  }

  longestAfter(weighing: Weighing): (after: string) => number {
    const known = new Map<Counts, (after: string) => number>();
    return (after) =>
      this.#sum((limits) => {
        const longest = known.get(limits) ?? this.#at(limits)?.longestAfter(weighing) ?? (() => Infinity);
        known.set(limits, longest);
        return longest(after);
      });
  }

  paths(): (after: string) => readonly TraceStep[] {
    const sizes = Object.fromEntries(this.space.machine.lists.map((list) => [list, 1]));
    const longest = this.#at(atMostOne(this.#limits));
    return longest ? longest.pathAfter({ weigh: () => 1, faults: false, sizes }) : () => [];
  }

  #at(limits: Counts): LongestWays | undefined {
    const key = Object.values(limits).join();
    if (!this.#known.has(key))
      this.#known.set(key, LongestWays.of(this.space, unfold(this.space, this.#ways, { limits })));
    return this.#known.get(key);
  }
}

/** The fewest dispatches from the start to a final state, and the most that the same commands can come to. */
function wholeRun(space: Space, steps: readonly WorstCase[], prices: Prices | null): WorstCases['run'] {
  const path = cheapestRun(space, (role) => prices?.[role]?.typical ?? 0);
  if (!path) return null;
  const commands = path.flatMap(({ edge }) => edge.label ?? []);
  const taken = commands.flatMap((command) => steps.filter(({ after }) => after === command));
  const roles = path.flatMap(({ to }) => roleIn(space.machine, to));
  const low = roles.reduce((sum, role) => sum + (prices?.[role]?.typical ?? 0), 0);
  const costs = taken.flatMap(({ cost }) => cost ?? []);
  return {
    commands,
    fewest: roles.length,
    dispatches: addFormulas(taken.map(({ dispatches }) => dispatches)),
    withFaults: addFormulas(taken.map(({ withFaults }) => withFaults)),
    cost: prices && {
      expected: [low, addFormulas(costs.map(({ expectedAtMost }) => expectedAtMost))],
      worst: addFormulas(costs.map(({ worst }) => worst)),
    },
  };
}
