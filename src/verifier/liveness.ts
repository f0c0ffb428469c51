/**
 * Which values lead to the same future, by the variables that are still read.
 *
 * Whatever is set again before anything reads it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, return address, flags), for any budgets and lists.
 */

import { areMet, type Edge, type Edges, type Condition } from './edges.ts';
import { Pairs, remembered } from './pairs.ts';
import { returnAt, stateAt, type Values, type Variables } from './variables.ts';

interface ControlPoint {
  /** Of state, return address and flags. */
  readonly values: Values;
  /** By the index of a variable: 1 if it is read. */
  readonly live: Uint8Array;
  /** Steps to here, each with the variables it sets without reading them. */
  readonly sources: { readonly from: ControlPoint; readonly sets: Uint8Array }[];
  /** The indices of the live variables, and a number for these; worked out when a state is found here. */
  reads: { readonly indices: readonly number[]; readonly number: number } | null;
}

/** The changes of an edge to a control point. */
interface Turn {
  readonly conditions: readonly Condition[];
  readonly reads: readonly number[];
  /** A state; -1 for the return address. */
  readonly to: number;
  readonly changes: Edge['effect']['sets'];
  /** By index: 1 if it is set without being read. */
  readonly sets: Uint8Array;
}

export type FutureKey = (values: Values) => number;

/** Limits and lists make no difference to them. */
const known = new WeakMap<Edges, Map<string, FutureKey>>();

/** The same number for values that have the same future. `untilRest`: as far as a run gets without a person. */
export function futureKeys(edges: Edges, from: Values, untilRest = false): FutureKey {
  const start = from.slice(0, edges.variables.controls);
  const all = remembered(known, edges, () => new Map<string, FutureKey>());
  return remembered(all, `${untilRest} ${start.join()}`, () => keysFrom(edges, start, untilRest));
}

function keysFrom(edges: Edges, start: Values, untilRest: boolean): FutureKey {
  const keys = new Pairs();
  const numbers = new Map<string, number>();
  // First without flags, so that those which nothing reads any more do not multiply the points.
  const coarse = pointsFrom(edges, start, untilRest, null);
  const pointOf = pointsFrom(edges, start, untilRest, coarse);
  return (values) => {
    const point = pointOf(values);
    // Of values that no run has, nothing but the state is known.
    if (!point) return keys.of(-2, values[stateAt] ?? 0);
    const { indices, number } = (point.reads ??= readsAt(point, numbers));
    let key = keys.of(number, -1);
    for (const index of indices) key = keys.of(key, values[index] ?? 0);
    return key;
  };
}

type PointOf = (values: Values) => ControlPoint | undefined;

/** All control points, with what is read from each; `coarse`: those for any flags, or null where these are asked for. */
function pointsFrom(edges: Edges, start: Values, untilRest: boolean, coarse: PointOf | null): PointOf {
  const { controls: controlsEnd, size, states } = edges.variables;
  const points = new Map<number, ControlPoint>();
  const open: ControlPoint[] = [];
  const turns: (readonly Turn[])[] = [];
  const controls = new Pairs();

  const controlOf = (values: Values): number => {
    let control = controls.of(values[stateAt] ?? 0, values[returnAt] ?? 0);
    const live = coarse?.(values)?.live;
    if (live)
      for (let index = returnAt + 1; index < controlsEnd; index += 1)
        control = controls.of(control, live[index] === 1 ? (values[index] ?? 0) : -1);
    return control;
  };
  const find = (values: Values): ControlPoint => {
    const control = controlOf(values);
    const found = points.get(control);
    if (found) return found;
    const point: ControlPoint = { values, live: new Uint8Array(size), sources: [], reads: null };
    points.set(control, point);
    open.push(point);
    return point;
  };
  const follow = (point: ControlPoint): void => {
    const { values, live } = point;
    const state = values[stateAt] ?? 0;
    const worked = edges.workedThrough(states[state] ?? '');
    if (worked !== -1) live[worked] = 1;
    for (const { conditions, reads, to, changes, sets } of (turns[state] ??= turnsFrom(edges, state, untilRest))) {
      if (coarse && !areMet(conditions, values)) continue;
      for (const index of reads) live[index] = 1;
      const target = to === -1 ? (values[returnAt] ?? 0) - 1 : to;
      if (target === -1) continue;
      const next = values.slice();
      next[stateAt] = target;
      for (const { index, value } of changes) next[index] = value;
      find(next).sources.push({ from: point, sets });
    }
  };

  find(start);
  for (let point = open.pop(); point; point = open.pop()) follow(point);
  const grown = [...points.values()];
  for (let point = grown.pop(); point; point = grown.pop())
    for (const { from: before, sets } of point.sources) if (grow(before.live, point.live, sets)) grown.push(before);
  return (values) => points.get(controlOf(values));
}

/** Those that differ: the name of a signal, and how many items it brings, make no difference here. */
function turnsFrom(edges: Edges, state: number, untilRest: boolean): readonly Turn[] {
  return edges
    .from(state)
    .edges.filter(({ by, twin, loaded }) => !twin && (loaded?.items ?? 1) === 1 && !(untilRest && by === 'person'))
    .map((edge) => turnOf(edges.variables, edge));
}

function turnOf({ controls, size }: Variables, { move, conditions, effect }: Edge): Turn {
  const { to, needs, budgets } = effect;
  const sets = new Uint8Array(size);
  for (const { index } of effect.sets) sets[index] = 1;
  for (const { index, renewed } of budgets) if (renewed) sets[index] = 1;
  const own = [...(needs === -1 ? [] : [needs]), ...(to === -1 ? [returnAt] : [])];
  return {
    conditions: conditions.filter(({ index }) => index < controls),
    reads: [...conditions.map(({ index }) => index), ...(move ? own : [])],
    to,
    changes: effect.sets.filter(({ index }) => index < controls),
    sets,
  };
}

function readsAt({ values, live }: ControlPoint, numbers: Map<string, number>): NonNullable<ControlPoint['reads']> {
  const indices = [...live.keys()].filter((index) => live[index] === 1);
  const number = remembered(numbers, `${values[stateAt]} ${indices.join()}`, () => numbers.size);
  return { indices, number };
}

/** Adds the variables that are live after a step and not set by it; whether there was a new one. */
function grow(live: Uint8Array, after: Uint8Array, sets: Uint8Array): boolean {
  let isNew = false;
  for (let index = 0; index < live.length; index += 1)
    if (after[index] === 1 && sets[index] === 0 && live[index] === 0) {
      live[index] = 1;
      isNew = true;
    }
  return isNew;
}
