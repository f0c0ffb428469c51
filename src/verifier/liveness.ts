/**
 * Which budgets, flags, lists and return addresses the future of a situation still reads.
 *
 * Whatever is set again before anything looks at it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, flags, return address), with budgets and lists left open.
 */

import type { Arm, Guard, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { armsOf, isRenewed, stateOf } from '../engine/transition.ts';
import { isPersons, receivable } from './receivable.ts';

type Control = Pick<Snapshot, 'state' | 'flags' | 'returnTo'>;

interface ControlPoint {
  readonly at: Control;
  /** Names with their kind in front: `budget:planning`, `flag:high`, `list:specs`, `return`. */
  readonly live: Set<string>;
  /** Ways here, each with what it sets without looking at what was there. */
  readonly ways: { readonly from: ControlPoint; readonly sets: ReadonlySet<string> }[];
}

export interface LivenessOptions {
  /** Budgets that are left open: nothing is known of them. */
  readonly leftOpen?: readonly string[];
  /** As far as a run gets without a person. */
  readonly untilRest?: boolean;
}

type Liveness = (at: Control) => readonly string[];

/** What was found out, by machine: limits and lists make no difference to it. */
const found = new WeakMap<Machine, Map<string, Liveness>>();

/** What is read from a control point on. Points that no run gets to are not known. */
export function liveness(machine: Machine, from: Snapshot, options: LivenessOptions = {}): Liveness {
  const { leftOpen = [], untilRest = false } = options;
  const known = found.get(machine) ?? new Map<string, Liveness>();
  found.set(machine, known);
  const key = `${keyOf(from)}|${untilRest}|${leftOpen.join()}`;
  const live = known.get(key) ?? findLiveness(machine, from, options);
  known.set(key, live);
  return live;
}

function findLiveness(
  machine: Machine,
  from: Snapshot,
  { leftOpen = [], untilRest = false }: LivenessOptions,
): Liveness {
  const points = controlPoints(machine, from, untilRest);
  for (const { live } of points.values()) for (const name of leftOpen) live.delete(`budget:${name}`);
  const open = [...points.values()];
  for (let point = open.pop(); point; point = open.pop()) {
    for (const { from: before, sets } of point.ways) {
      const known = before.live.size;
      for (const name of point.live) if (!sets.has(name)) before.live.add(name);
      if (before.live.size > known) open.push(before);
    }
  }
  const sorted = new Map<string, readonly string[]>();
  return (at) => {
    const key = keyOf(at);
    const known = sorted.get(key) ?? [...(points.get(key)?.live ?? [])].toSorted();
    sorted.set(key, known);
    return known;
  };
}

function controlPoints(machine: Machine, from: Control, untilRest: boolean): ReadonlyMap<string, ControlPoint> {
  const points = new Map<string, ControlPoint>();
  const open: ControlPoint[] = [];
  const find = (at: Control): ControlPoint => {
    const key = keyOf(at);
    const known = points.get(key);
    if (known) return known;
    const point: ControlPoint = { at, live: new Set(), ways: [] };
    points.set(key, point);
    open.push(point);
    return point;
  };
  find(from);
  for (let point = open.pop(); point; point = open.pop()) {
    const state = stateOf(machine, point.at.state);
    if ('each' in state && state.each !== undefined) point.live.add(`list:${state.each}`);
    for (const signal of receivable(machine, point.at.state)) {
      if (untilRest && isPersons(machine, point.at.state, signal)) continue;
      const route = (state.on as Readonly<Record<string, Route>>)[signal];
      for (const arm of route ? possibleArms(route, point) : []) {
        if ('refuse' in arm) continue;
        if (arm.spend !== undefined && arm.grant !== arm.spend && arm.renew !== arm.spend)
          point.live.add(`budget:${arm.spend}`);
        if (arm.to === 'return') point.live.add('return');
        const next = controlAfter(point.at, arm);
        if (next) find(next).ways.push({ from: point, sets: setBy(machine, signal, arm) });
      }
    }
  }
  return points;
}

/** The arms a route may take when only flags are known; notes what its guards read. */
function possibleArms(route: Route, { at, live }: ControlPoint): readonly Arm[] {
  const possible: Arm[] = [];
  for (const arm of armsOf(route)) {
    if (arm.when) live.add(readBy(arm.when));
    if (arm.when && 'flag' in arm.when && at.flags[arm.when.flag] !== arm.when.is) continue;
    possible.push(arm);
    if (!arm.when || 'flag' in arm.when) break;
  }
  return possible;
}

function readBy(guard: Guard): string {
  if ('left' in guard) return `budget:${guard.left}`;
  if ('more' in guard) return `list:${guard.more}`;
  return `flag:${guard.flag}`;
}

function controlAfter(at: Control, move: Move): Control | undefined {
  const state = move.to === 'again' ? at.state : move.to === 'return' ? at.returnTo : move.to;
  if (state === null) return undefined;
  const flags: Record<string, string> = { ...at.flags };
  for (const [flag, value] of Object.entries(move.set ?? {})) if (value !== undefined) flags[flag] = value;
  return {
    state,
    flags,
    returnTo: move.remember === undefined ? at.returnTo : move.remember === true ? at.state : move.remember,
  };
}

function setBy(machine: Machine, signal: string, move: Move): ReadonlySet<string> {
  const names = new Set(Object.keys(move.set ?? {}).map((flag) => `flag:${flag}`));
  if (move.load !== undefined) names.add(`list:${move.load}`);
  if (move.remember !== undefined) names.add('return');
  for (const [name, { scope }] of Object.entries(machine.budgets)) {
    if (isRenewed(scope, machine, signal, move)) names.add(`budget:${name}`);
  }
  return names;
}

function keyOf({ state, flags, returnTo }: Control): string {
  return `${state}|${Object.values(flags).join()}|${returnTo}`;
}
