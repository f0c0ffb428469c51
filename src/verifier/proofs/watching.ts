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
  const { states, first, to, by, edges } = space;
  const { size } = monitor;
  const { entering, taking, after, isSettled } = tablesOf(space, monitor);
  const stateOf = new Int32Array(states.length);
  for (const { number, values } of states) stateOf[number] = values[stateAt] ?? 0;
  // By number: the step that led there, and the number before it.
  const reachedBy = new Int32Array(states.length * size).fill(unreached);
  const reachedFrom = new Int32Array(states.length * size);
  const open = space.starts.map(({ number }) => number * size);
  const found = new Map<string, Breach>();
  const breach = (at: string, condition: number, last: number, from: number): void => {
    if (found.has(at)) return;
    const steps = [last];
    for (let node = from; (reachedBy[node] ?? begun) >= 0; node = reachedFrom[node] ?? 0)
      steps.push(reachedBy[node] ?? 0);
    const trace = traceOf(space.machine, steps.map((step) => stepAt(space, step)).toReversed());
    found.set(at, { at, condition, trace });
  };
  for (const start of open) reachedBy[start] = begun;
  for (const node of open) {
    const state = Math.trunc(node / size);
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const edge = (by[step] ?? 0) * size + (node % size);
      const condition = after[edge] ?? refused;
      if (condition === refused) continue;
      const target = stateOf[to[step] ?? 0] ?? 0;
      const next = (to[step] ?? 0) * size + condition;
      if (taking[edge]) {
        const { state: name = '', signal = '' } = edges.all[by[step] ?? 0] ?? {};
        breach(`${name}.${signal}`, node % size, step, node);
      } else if (entering[target * size + condition]) {
        breach(edges.variables.states[target] ?? '', condition, step, node);
      } else if (reachedBy[next] === unreached && !isSettled[condition]) {
        reachedBy[next] = step;
        reachedFrom[next] = node;
        open.push(next);
      }
    }
  }
  return [...found.values()];
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
  const isSettled: boolean[] = Array.from({ length: size }, () => true);
  for (const [at, forbidden] of entering.entries()) if (forbidden) isSettled[at % size] = false;
  for (const { edge } of firsts) {
    if (!edge.move) continue;
    const conditionAfter = monitor.after(edge);
    const step = `${edge.state}.${edge.signal}`;
    for (let condition = 0; condition < size; condition += 1) {
      const at = edge.number * size + condition;
      after[at] = conditionAfter(condition);
      taking[at] = Number(isForbidden(step, condition));
      if (after[at] !== condition || taking[at]) isSettled[condition] = false;
    }
  }
  return { entering, taking, after, isSettled };
}

const refused = -1;
const unreached = -1;
const begun = -2;
