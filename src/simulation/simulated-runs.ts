/** Many walks through a workflow, and what they come to together. */

import type { Machine, Outcome } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { valueOf } from '../verifier/formula.ts';
import { remembered } from '../verifier/pairs.ts';
import { rolesOf } from '../verifier/receivable.ts';
import { explore } from '../verifier/space.ts';
import { worstCases } from '../verifier/worst-case.ts';
import { Chart, type ChanceTransition, type WalkEnd, type Witness } from './chart.ts';
import { distributionOf, type Distribution } from './distribution.ts';
import { drawSpread, unknownTaking, usualItems, type Odds, type Taking } from './odds.ts';
import { randomsOf, type Random } from './random.ts';

export interface SimulateOptions {
  readonly runs: number;
  readonly seed: number;
  readonly faults: boolean;
  /** Limits of the machine's budgets, where they are not the default ones. */
  readonly limits?: Readonly<Record<string, number>>;
  /** The budget of a run. Walks go on beyond it, to show how much more a run would have needed. */
  readonly spending?: Spending;
}

export type Spending = Readonly<Record<'dispatches' | 'costUsd' | 'agentMs', number>>;

export interface Simulation {
  readonly runs: number;
  readonly dispatches: Distribution;
  /** Both are null when a role was dispatched of which nobody knows it. */
  readonly costUsd: Distribution | null;
  readonly agentMs: Distribution | null;
  /** Acts of a run's person. */
  readonly commands: Distribution;
  readonly answers: Distribution;
  readonly roles: readonly SimulatedRole[];
  readonly ends: readonly SimulatedEnd[];
  /** States that needed a person, most often first. */
  readonly rests: readonly SimulatedRest[];
  readonly afterPerson: readonly SimulatedWork[];
  /** Runs that would have been stopped by the budget of a run; null where that is not known. */
  readonly overBudget: { readonly [K in keyof Spending]: number | null };
}

export interface SimulatedRole {
  readonly role: string;
  /** Mean number a run. */
  readonly dispatches: number;
  readonly costUsd: number | null;
  readonly agentMs: number | null;
}

/** `outcome` is null for walks that did not come to an end: `stuck` in the state, or `unended` after too many steps. */
export interface SimulatedEnd {
  readonly how: WalkEnd['how'];
  readonly state: string;
  readonly outcome: Outcome | null;
  readonly runs: number;
}

export interface SimulatedRest {
  readonly state: string;
  readonly asks: boolean;
  /** Runs in which it happened at all, and how often over all runs. */
  readonly runs: number;
  readonly times: number;
}

/** The dispatches from what a person did to the next rest. */
export interface SimulatedWork {
  /** The command, or the state and the answer given in it. */
  readonly after: string;
  readonly times: number;
  readonly dispatches: Distribution;
  /** The verifier's worst case with the largest lists; null when there is none. */
  readonly atMost: number | null;
}

export function simulate(machine: Machine, odds: Odds, options: SimulateOptions): Simulation {
  const { runs, seed, faults, limits = {} } = options;
  const space = explore(machine, { from: initialSnapshot(machine, limits) });
  const chart = new Chart(space, { odds, faults });
  const [steps, taken] = randomsOf(seed, 2);
  if (!steps || !taken) throw new Error('there are two sources of chance');
  const tally = new Tally(machine, { odds, runs, random: taken });
  for (let run = 0; run < runs; run += 1) tally.close(chart.walk(steps, tally));
  const sizes = Object.fromEntries(machine.lists.map((list) => [list, (odds.items[list] ?? usualItems).most]));
  const worst = space.unexplored > 0 ? null : worstCases(space, null);
  const atMost = (after: string): number | null => {
    const found = worst?.steps.find((one) => one.after === after);
    return found ? valueOf(faults ? found.withFaults : found.dispatches, sizes) : null;
  };
  return tally.result(atMost, options.spending ?? null);
}

type RoleTally = { readonly taking: Taking } & Record<'dispatches' | 'costUsd' | 'ms', number>;
type RestTally = { readonly asks: boolean } & Record<'runs' | 'times' | 'lastRun', number>;

/** Writes down what happens in walk after walk. */
class Tally implements Witness {
  readonly #machine: Machine;
  readonly #runs: number;
  readonly #random: Random;
  readonly #roles: ReadonlyMap<string, RoleTally>;
  readonly #columns: Record<'dispatches' | 'costUsd' | 'ms' | 'commands' | 'answers', Float64Array>;
  readonly #ends = new Map<string, SimulatedEnd>();
  readonly #rests = new Map<string, RestTally>();
  /** For each thing a person did, the number of dispatches that followed it every time. */
  readonly #work = new Map<string, number[]>();
  #run = 0;
  #after: string | null = null;
  #dispatchesAfter = 0;

  constructor(
    machine: Machine,
    { odds, runs, random }: { readonly odds: Odds; readonly runs: number; readonly random: Random },
  ) {
    const column = (): Float64Array => new Float64Array(runs);
    this.#runs = runs;
    this.#random = random;
    this.#machine = machine;
    this.#roles = new Map(
      rolesOf(machine).map((role) => [
        role,
        { taking: odds.roles[role] ?? unknownTaking, dispatches: 0, costUsd: 0, ms: 0 },
      ]),
    );
    this.#columns = { dispatches: column(), costUsd: column(), ms: column(), commands: column(), answers: column() };
  }

  dispatched(role: string): void {
    const tally = this.#roles.get(role);
    if (!tally) throw new Error(`the machine has no role "${role}"`);
    const { dispatches, costUsd, ms } = this.#columns;
    // Both are drawn for every role, so that learning the price of one does not change the time of another.
    const cost = tally.taking.costUsd ? drawSpread(tally.taking.costUsd, this.#random) : this.#skip();
    const time = tally.taking.ms ? drawSpread(tally.taking.ms, this.#random) : this.#skip();
    tally.dispatches += 1;
    tally.costUsd += cost;
    tally.ms += time;
    this.#dispatchesAfter += 1;
    dispatches[this.#run] = (dispatches[this.#run] ?? 0) + 1;
    costUsd[this.#run] = (costUsd[this.#run] ?? 0) + cost;
    ms[this.#run] = (ms[this.#run] ?? 0) + time;
  }

  #skip(): number {
    this.#random.uint32();
    return 0;
  }

  acted({ from, edge }: ChanceTransition, label: string): void {
    const column = this.#columns[this.#machine.commands.includes(edge.signal) ? 'commands' : 'answers'];
    column[this.#run] = (column[this.#run] ?? 0) + 1;
    const none = (): RestTally => ({ asks: from.kind === 'decide', runs: 0, times: 0, lastRun: -1 });
    const rest = remembered(this.#rests, from.state, none);
    rest.times += 1;
    if (rest.lastRun !== this.#run) rest.runs += 1;
    rest.lastRun = this.#run;
    this.#closeWork();
    this.#after = label;
  }

  #closeWork(): void {
    if (this.#after !== null) remembered(this.#work, this.#after, (): number[] => []).push(this.#dispatchesAfter);
    this.#after = null;
    this.#dispatchesAfter = 0;
  }

  /** The walk is over; what comes next belongs to the next one. */
  close(end: WalkEnd): void {
    const key = `${end.how} ${end.at.state}`;
    const { state, outcome } = end.at;
    this.#ends.set(key, { how: end.how, state, outcome, runs: (this.#ends.get(key)?.runs ?? 0) + 1 });
    this.#closeWork();
    this.#run += 1;
  }

  result(atMost: (after: string) => number | null, spending: Spending | null): Simulation {
    const { dispatches, costUsd, ms, commands, answers } = this.#columns;
    const order = mostFirst(this.#machine);
    const sent = [...this.#roles.values()].filter((role) => role.dispatches > 0);
    const costKnown = sent.every(({ taking }) => taking.costUsd !== null);
    const timeKnown = sent.every(({ taking }) => taking.ms !== null);
    return {
      runs: this.#runs,
      dispatches: distributionOf(dispatches, { whole: true }),
      costUsd: costKnown ? distributionOf(costUsd, { whole: false }) : null,
      agentMs: timeKnown ? distributionOf(ms, { whole: false }) : null,
      commands: distributionOf(commands, { whole: true }),
      answers: distributionOf(answers, { whole: true }),
      roles: [...this.#roles].map(([role, tally]) => ({
        role,
        dispatches: tally.dispatches / this.#runs,
        costUsd: tally.taking.costUsd && tally.costUsd / this.#runs,
        agentMs: tally.taking.ms && tally.ms / this.#runs,
      })),
      ends: [...this.#ends.values()].toSorted(order),
      rests: [...this.#rests].map(([state, { asks, runs, times }]) => ({ state, asks, runs, times })).toSorted(order),
      afterPerson: [...this.#work].map(([after, numbers]) => ({
        after,
        times: numbers.length,
        dispatches: distributionOf(Float64Array.from(numbers), { whole: true }),
        atMost: atMost(after),
      })),
      overBudget: {
        dispatches: countOver(dispatches, spending?.dispatches),
        costUsd: costKnown ? countOver(costUsd, spending?.costUsd) : null,
        agentMs: timeKnown ? countOver(ms, spending?.agentMs) : null,
      },
    };
  }
}

function countOver(numbers: Float64Array, limit: number | undefined): number | null {
  return limit === undefined ? null : numbers.filter((number) => number > limit).length;
}

type Counted = { readonly state: string; readonly runs: number };

/** In the order of the machine where equally often, so that it does not depend on which walk came first. */
function mostFirst(machine: Machine): (one: Counted, other: Counted) => number {
  const place = new Map(Object.keys(machine.states).map((state, index) => [state, index]));
  return (one, other) => other.runs - one.runs || (place.get(one.state) ?? 0) - (place.get(other.state) ?? 0);
}
