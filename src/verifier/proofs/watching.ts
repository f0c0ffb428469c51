/**
 * Follows a monitor along every path of a space: it is in one of a few conditions, and every step may change that.
 *
 * An explored state with a condition is one number, `state * size + condition`; numbers keep a large space fast.
 */

import type { Edge } from '../edges.ts';
import { stepAt, type Space } from '../space.ts';
import { traceOf, type TraceStep } from '../trace.ts';
import { stateAt } from '../variables.ts';

/** Conditions are numbers below `size`; a run begins with 0. */
export interface Monitor {
  readonly size: number;
  /** The condition after a step, by the one before. What depends on the edge alone is worked out once. */
  after(edge: Edge): (condition: number) => number;
  /** Names of states that may not be entered, and of steps that may not be taken, in a condition that `forbids` names. */
  readonly watched: readonly string[];
  forbids(name: string, condition: number): boolean;
}

export interface Breach {
  /** The state that was entered, or `state.signal` of the step that was taken. */
  readonly at: string;
  readonly condition: number;
  readonly trace: readonly TraceStep[];
}

/** The first of each kind. What comes after a breach is not explored. */
export function breachesOf(space: Space, monitor: Monitor): readonly Breach[] {
  const { edges, by, to, states } = space;
  const { size } = monitor;
  const tables = tablesOf(space, monitor);
  const { reachedBy, reachedFrom, breaches } = walk(space, tables, size);
  const found = new Map<string, Breach>();
  for (const { step, from } of breaches) {
    const edge = (by[step] ?? 0) * size + (from % size);
    const { state = '', signal = '' } = edges.all[by[step] ?? 0] ?? {};
    const isTaken = tables.taking[edge] === 1;
    const at = isTaken ? `${state}.${signal}` : (states[to[step] ?? 0]?.state ?? '');
    if (found.has(at)) continue;
    const steps = [step];
    for (let node = from; (reachedBy[node] ?? begun) >= 0; node = reachedFrom[node] ?? 0)
      steps.push(reachedBy[node] ?? 0);
    const trace = traceOf(space.machine, steps.map((one) => stepAt(space, one)).toReversed());
    found.set(at, { at, condition: isTaken ? from % size : (tables.after[edge] ?? 0), trace });
  }
  return [...found.values()];
}

type Tables = ReturnType<typeof tablesOf>;

/** Breadth first. Nothing but numbers, because it is the longest loop of all proofs. */
function walk({ states, starts, first, to, by }: Space, tables: Tables, size: number) {
  const { entering, taking, after, isSettled } = tables;
  const stateOf = Int32Array.from(states, ({ values }) => values[stateAt] ?? 0);
  // By number: the step that led there, and the number before it.
  const reachedBy = new Int32Array(states.length * size).fill(unreached);
  const reachedFrom = new Int32Array(states.length * size);
  const open = new Int32Array(states.length * size);
  const breaches: { readonly step: number; readonly from: number }[] = [];
  let count = 0;
  for (const { number } of starts) {
    open[count] = number * size;
    reachedBy[number * size] = begun;
    count += 1;
  }
  for (let at = 0; at < count; at += 1) {
    const node = open[at] ?? 0;
    const before = node % size;
    const state = (node - before) / size;
    const end = first[state + 1] ?? 0;
    for (let step = first[state] ?? 0; step < end; step += 1) {
      const edge = (by[step] ?? 0) * size + before;
      const condition = after[edge] ?? refused;
      if (condition === refused) continue;
      const target = to[step] ?? 0;
      const next = target * size + condition;
      if (taking[edge] === 1 || entering[(stateOf[target] ?? 0) * size + condition] === 1) {
        breaches.push({ step, from: node });
      } else if (reachedBy[next] === unreached && isSettled[condition] === 0) {
        reachedBy[next] = step;
        reachedFrom[next] = node;
        open[count] = next;
        count += 1;
      }
    }
  }
  return { reachedBy, reachedFrom, breaches };
}

/** Worked out once, by edge or state and condition: what a monitor answers to each. */
function tablesOf({ edges, firsts }: Space, monitor: Monitor) {
  const { size } = monitor;
  const names = edges.variables.states;
  const watched = new Set(monitor.watched);
  const isForbidden = (name: string, condition: number): boolean =>
    watched.has(name) && monitor.forbids(name, condition);
  const entering = Uint8Array.from({ length: names.length * size }, (_, at) =>
    Number(isForbidden(names[Math.trunc(at / size)] ?? '', at % size)),
  );
  const after = new Int32Array(edges.all.length * size).fill(refused);
  const taking = new Uint8Array(edges.all.length * size);
  /** By condition: no step changes it and nothing is forbidden in it, so no breach can follow. */
  const isSettled = new Uint8Array(size).fill(1);
  for (const [at, forbidden] of entering.entries()) if (forbidden) isSettled[at % size] = 0;
  for (const { edge } of firsts) {
    if (!edge.move) continue;
    const conditionAfter = monitor.after(edge);
    const step = `${edge.state}.${edge.signal}`;
    for (let condition = 0; condition < size; condition += 1) {
      const at = edge.number * size + condition;
      after[at] = conditionAfter(condition);
      taking[at] = Number(isForbidden(step, condition));
      if (after[at] !== condition || taking[at]) isSettled[condition] = 0;
    }
  }
  return { entering, taking, after, isSettled };
}

const refused = -1;
const unreached = -1;
const begun = -2;
