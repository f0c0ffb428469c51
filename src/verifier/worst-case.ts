/**
 * How much a workflow can make agents work at most.
 *
 * A run rests until a person's command or answer sets it going; from there the longest way to the next rest is exact,
 * because without a person there are no circles. A whole run is at most the sum over what the person did.
 */

import type { Machine } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { addFormulas, fitFormula, type Formula } from './formula.ts';
import { components } from './graph.ts';
import { isFault, isPersons } from './receivable.ts';
import { explore, itemsMax, leftIn, type Situation, type Space, type SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';

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
  /** A longest way without faults, with one item in each list. */
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

/** Most dispatches of a run from where it is until it rests; null when there is no such number. */
export function dispatchesFrom(machine: Machine, from: Snapshot): Pick<WorstCase, 'dispatches' | 'withFaults'> | null {
  const space = explore(machine, { from, untilRest: true });
  const [start] = space.situations;
  const order = space.unexplored > 0 ? undefined : restFirst(space);
  if (!start || !order) return null;
  const fit = (faults: boolean): Formula | undefined => {
    const weighing = { name: 'dispatches', weigh: () => 1, faults };
    const longest = (sizes: Weighing['sizes']): number =>
      longestWays(machine, order, { ...weighing, sizes }).get(start)?.length ?? 0;
    return fitFormula(machine.lists, longest, itemsMax);
  };
  const [dispatches, withFaults] = [fit(false), fit(true)];
  return dispatches && withFaults ? { dispatches, withFaults } : null;
}

/** Null when a run can go on for ever, or grows in another way than evenly with its lists. */
export function worstCases(space: Space, prices: Prices | null): WorstCases | null {
  const order = restFirst(space);
  if (!order) return null;
  const lengths = new Lengths(space, order);
  const labels = new Set(
    space.situations.flatMap(({ steps }) => steps.flatMap((step) => labelOf(space.machine, step))),
  );
  const steps: WorstCase[] = [];
  for (const after of labels) {
    const found = worstCase(lengths, after, prices);
    if (!found) return null;
    steps.push(found);
  }
  return { steps, run: wholeRun(space, steps, prices) };
}

function worstCase(lengths: Lengths, after: string, prices: Prices | null): WorstCase | undefined {
  const { machine } = lengths.space;
  const fit = (name: string, faults: boolean, weigh: (role: string) => number): Formula | undefined =>
    fitFormula(machine.lists, (sizes) => lengths.longestAfter(after, { name, weigh, faults, sizes }), itemsMax);
  const dispatches = fit('dispatches', false, () => 1);
  const withFaults = fit('dispatches', true, () => 1);
  const expectedAtMost = fit('typical', false, (role) => prices?.[role]?.typical ?? 0);
  const worst = fit('most', true, (role) => prices?.[role]?.most ?? 0);
  if (!dispatches || !withFaults || !expectedAtMost || !worst) return undefined;
  const byRole: Record<string, Formula> = {};
  for (const role of rolesOf(machine)) {
    const formula = fit(role, false, (other) => (other === role ? 1 : 0));
    if (!formula) return undefined;
    if (formula.constant !== 0 || Object.values(formula.perItem).some((each) => each !== 0)) byRole[role] = formula;
  }
  const path = lengths.longestPath(after);
  return { after, dispatches, withFaults, byRole, path, cost: prices && { expectedAtMost, worst } };
}

interface Weighing {
  /** What is weighed, for the memory. */
  readonly name: string;
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** How many items every load of a list brings. */
  readonly sizes: Readonly<Record<string, number>>;
}

type Longest = ReadonlyMap<Situation, { readonly length: number; readonly on: SpaceStep | undefined }>;

/** The longest ways to rest from every situation, each weighing made once. */
class Lengths {
  readonly space: Space;
  readonly #order: readonly Situation[];
  readonly #starts = new Map<string, SpaceStep[]>();
  readonly #known = new Map<string, Longest>();

  constructor(space: Space, order: readonly Situation[]) {
    this.space = space;
    this.#order = order;
    for (const step of space.situations.flatMap(({ steps }) => steps))
      for (const label of labelOf(space.machine, step)) {
        const starts = this.#starts.get(label);
        if (starts) starts.push(step);
        else this.#starts.set(label, [step]);
      }
  }

  longestAfter(after: string, weighing: Weighing): number {
    const longest = this.#longest(weighing);
    return this.#from(after, weighing).reduce((most, { to }) => Math.max(most, longest.get(to)?.length ?? 0), 0);
  }

  longestPath(after: string): readonly TraceStep[] {
    const sizes = Object.fromEntries(this.space.machine.lists.map((list) => [list, 1]));
    const weighing = { name: 'dispatches', weigh: () => 1, faults: false, sizes };
    const longest = this.#longest(weighing);
    const lengthOf = ({ to }: SpaceStep): number => longest.get(to)?.length ?? 0;
    const [first] = this.#from(after, weighing).toSorted((a, b) => lengthOf(b) - lengthOf(a));
    const path = first ? [first] : [];
    for (let on = first && longest.get(first.to)?.on; on; on = longest.get(on.to)?.on) path.push(on);
    return traceOf(this.space.machine, path);
  }

  #from(after: string, { sizes }: Weighing): SpaceStep[] {
    const { lists } = this.space.machine;
    return (this.#starts.get(after) ?? []).filter(
      (step) =>
        brings(step, sizes) && lists.every((list) => leftIn(step.from.snapshot.lists[list]) <= (sizes[list] ?? 0)),
    );
  }

  #longest(weighing: Weighing): Longest {
    const key = `${weighing.name}|${weighing.faults}|${Object.values(weighing.sizes).join()}`;
    const known = this.#known.get(key) ?? longestWays(this.space.machine, this.#order, weighing);
    this.#known.set(key, known);
    return known;
  }
}

function longestWays(machine: Machine, order: readonly Situation[], { weigh, faults, sizes }: Weighing): Longest {
  const lengths = new Map<Situation, { length: number; on: SpaceStep | undefined }>();
  for (const situation of order) {
    const { state: name } = situation.snapshot;
    const state = machine.states[name];
    let on: SpaceStep | undefined;
    let most = 0;
    for (const step of situation.steps) {
      if (step.refused !== null || isPersons(machine, name, step.signal) || !brings(step, sizes)) continue;
      if (!faults && isFault(machine, name, step.signal)) continue;
      const length = lengths.get(step.to)?.length ?? 0;
      if (on && length <= most) continue;
      on = step;
      most = length;
    }
    lengths.set(situation, { length: most + (state?.kind === 'dispatch' ? weigh(state.role) : 0), on });
  }
  return lengths;
}

function brings({ loaded }: SpaceStep, sizes: Readonly<Record<string, number>>): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}

/** The fewest dispatches from the start to a final state, and the most that the same commands can come to. */
function wholeRun(space: Space, steps: readonly WorstCase[], prices: Prices | null): WorstCases['run'] {
  const path = cheapestRun(space, (role) => prices?.[role]?.typical ?? 0);
  if (!path) return null;
  const commands = path.flatMap((step) => labelOf(space.machine, step));
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

/** Fewest dispatches first, then what they cost, then fewest steps: a plain Dijkstra, the spaces are small. */
function cheapestRun({ machine, situations }: Space, priceOf: (role: string) => number): SpaceStep[] | undefined {
  const [start] = situations;
  if (!start) return undefined;
  const best = new Map<Situation, { cost: number; via: SpaceStep | null }>([[start, { cost: 0, via: null }]]);
  const open = new Set([start]);
  for (let at: Situation | undefined = start; at; at = cheapestOf(open, best)) {
    open.delete(at);
    const here = best.get(at)?.cost ?? 0;
    if (machine.states[at.snapshot.state]?.kind === 'final') return wayTo(best, at);
    for (const step of at.steps) {
      if (step.refused !== null || isFault(machine, at.snapshot.state, step.signal)) continue;
      if ((step.loaded?.items ?? 1) !== 1) continue;
      const cost = here + 0.001 + roleIn(machine, step.to).reduce((sum, role) => sum + 1_000 + priceOf(role), 0);
      if (cost >= (best.get(step.to)?.cost ?? Infinity)) continue;
      best.set(step.to, { cost, via: step });
      open.add(step.to);
    }
  }
  return undefined;
}

function cheapestOf(
  open: ReadonlySet<Situation>,
  best: ReadonlyMap<Situation, { cost: number }>,
): Situation | undefined {
  let found: Situation | undefined;
  for (const one of open) if (!found || (best.get(one)?.cost ?? 0) < (best.get(found)?.cost ?? 0)) found = one;
  return found;
}

function wayTo(best: ReadonlyMap<Situation, { via: SpaceStep | null }>, end: Situation): SpaceStep[] {
  const path: SpaceStep[] = [];
  for (let via = best.get(end)?.via; via; via = best.get(via.from)?.via) path.unshift(via);
  return path;
}

/** All situations, each after those it leads to without a person; undefined when there is a circle. */
function restFirst({ machine, situations }: Space): Situation[] | undefined {
  const groups = components(situations, ({ snapshot, steps }) =>
    steps
      .filter(({ signal, refused }) => refused === null && !isPersons(machine, snapshot.state, signal))
      .map(({ to }) => to),
  );
  const circles = groups.some(
    ([first, second]) =>
      second !== undefined ||
      first?.steps.some(
        ({ to, signal, refused }) =>
          refused === null && to === first && !isPersons(machine, first.snapshot.state, signal),
      ),
  );
  return circles ? undefined : groups.flat();
}

/** What sets the run going in a step, if a person does: a command, or the state and the answer given in it. */
function labelOf(machine: Machine, { from, signal, refused }: SpaceStep): string[] {
  const { state } = from.snapshot;
  if (refused !== null || !isPersons(machine, state, signal)) return [];
  return [machine.commands.includes(signal) ? signal : `${state}.${signal}`];
}

function roleIn(machine: Machine, { snapshot }: Situation): string[] {
  const state = machine.states[snapshot.state];
  return state?.kind === 'dispatch' ? [state.role] : [];
}

function rolesOf(machine: Machine): string[] {
  return [
    ...new Set(Object.values(machine.states).flatMap((state) => (state.kind === 'dispatch' ? [state.role] : []))),
  ];
}
