/**
 * Which budgets, flags, lists and return addresses the future of a situation still reads.
 *
 * Whatever is set again before anything looks at it makes no difference: leaving it out keeps the explored space
 * small and exact. What is read depends on flags and the return address too, so liveness is found per *control
 * point* (state, flags, return address), with budgets and lists left open.
 */

import type { Arm, Guard, Machine, Move, Route } from '../engine/machine.ts';
import { leftIn, type Snapshot } from '../engine/snapshot.ts';
import { armsOf, isRenewed, stateOf } from '../engine/transition.ts';
import { isPersons, receivable } from './receivable.ts';

type Control = Pick<Snapshot, 'state' | 'flags' | 'returnTo'>;

interface ControlPoint {
  readonly at: Control;
  /** Names with their kind in front: `budget:planning`, `flag:high`, `list:specs`, `return`. */
  readonly live: Set<string>;
  /** Ways here, each with what it sets without looking at what was there. */
  readonly ways: { readonly from: ControlPoint; readonly sets: ReadonlySet<string> }[];
  /** Worked out when a situation is found here. */
  read?: Read;
}

/** What is live, by kind; one for all points of a state where the same is. */
interface Read {
  readonly name: string;
  readonly budgets: readonly string[];
  readonly flags: readonly string[];
  readonly lists: readonly string[];
  readonly returns: boolean;
}

export interface LivenessOptions {
  /** Budgets that are left open: nothing is known of them. */
  readonly leftOpen?: readonly string[];
  /** As far as a run gets without a person. */
  readonly untilRest?: boolean;
}

/** Snapshots with the same key have the same future. */
type FutureKeys = (snapshot: Snapshot) => string;

/** What was found out, by machine: limits and lists make no difference to it. */
const found = new WeakMap<Machine, Map<string, FutureKeys>>();

/** Of the snapshots that a run can get to; of others nothing but the state is known. */
export function futureKeys(machine: Machine, from: Snapshot, options: LivenessOptions = {}): FutureKeys {
  const { leftOpen = [], untilRest = false } = options;
  const known = found.get(machine) ?? new Map<string, FutureKeys>();
  found.set(machine, known);
  const key = `${pointKey(from)}|${untilRest}|${leftOpen.join()}`;
  const keys = known.get(key) ?? findKeys(machine, from, options);
  known.set(key, keys);
  return keys;
}

function findKeys(machine: Machine, from: Snapshot, { leftOpen = [], untilRest = false }: LivenessOptions): FutureKeys {
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
  const names = new Map<string, string>();
  return (snapshot) => {
    const point = points.get(pointKey(snapshot));
    if (!point) return snapshot.state;
    const { name, budgets, flags, lists, returns } = (point.read ??= readFrom(point, names));
    let key = name;
    for (const budget of budgets) key += `|${snapshot.budgets[budget]}`;
    for (const flag of flags) key += `|${snapshot.flags[flag]}`;
    for (const list of lists) key += `|${leftIn(snapshot.lists[list])}`;
    return returns ? `${key}|${snapshot.returnTo}` : key;
  };
}

function readFrom({ at, live }: ControlPoint, names: Map<string, string>): Read {
  const sorted = [...live].toSorted();
  const ofKind = (kind: string): readonly string[] =>
    sorted.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  const whole = `${at.state} ${sorted.join()}`;
  const name = names.get(whole) ?? `#${names.size}`;
  names.set(whole, name);
  return {
    name,
    budgets: ofKind('budget:'),
    flags: ofKind('flag:'),
    lists: ofKind('list:'),
    returns: live.has('return'),
  };
}

/** One arm of a route, with what it reads and sets. */
interface Outlet {
  readonly arm: Arm;
  readonly guard: string | null;
  readonly reads: readonly string[];
  readonly sets: ReadonlySet<string>;
}

function controlPoints(machine: Machine, from: Control, untilRest: boolean): ReadonlyMap<string, ControlPoint> {
  const points = new Map<string, ControlPoint>();
  const outlets = new Map<string, readonly (readonly Outlet[])[]>();
  const open: ControlPoint[] = [];
  const find = (at: Control): ControlPoint => {
    const key = pointKey(at);
    const known = points.get(key);
    if (known) return known;
    const point: ControlPoint = { at, live: new Set(), ways: [] };
    points.set(key, point);
    open.push(point);
    return point;
  };
  find(from);
  for (let point = open.pop(); point; point = open.pop()) {
    const { at, live } = point;
    const state = stateOf(machine, at.state);
    if ('each' in state && state.each !== undefined) live.add(`list:${state.each}`);
    const routes = outlets.get(at.state) ?? outletsOf(machine, at.state, untilRest);
    outlets.set(at.state, routes);
    for (const route of routes)
      for (const { arm, guard, reads, sets } of route) {
        if (guard !== null) live.add(guard);
        if (arm.when && 'flag' in arm.when && at.flags[arm.when.flag] !== arm.when.is) continue;
        for (const name of reads) live.add(name);
        const next = 'refuse' in arm ? undefined : controlAfter(at, arm);
        if (next) find(next).ways.push({ from: point, sets });
        if (!arm.when || 'flag' in arm.when) break;
      }
  }
  return points;
}

/** By route: which signal it is makes a difference only where it is a command. */
function outletsOf(machine: Machine, name: string, untilRest: boolean): readonly (readonly Outlet[])[] {
  const { on } = stateOf(machine, name);
  const known = new Set<Route>();
  return receivable(machine, name).flatMap((signal) => {
    const route = on[signal];
    if (!route || known.has(route) || (untilRest && isPersons(machine, name, signal))) return [];
    if (!machine.commands.includes(signal)) known.add(route);
    return [
      armsOf(route).map((arm) => ({
        arm,
        guard: arm.when ? readBy(arm.when) : null,
        reads: 'refuse' in arm ? [] : readOn(arm),
        sets: 'refuse' in arm ? new Set<string>() : setBy(machine, signal, arm),
      })),
    ];
  });
}

function readBy(guard: Guard): string {
  if ('left' in guard) return `budget:${guard.left}`;
  if ('more' in guard) return `list:${guard.more}`;
  return `flag:${guard.flag}`;
}

function readOn({ to, spend, grant, renew }: Move): readonly string[] {
  const spends = spend !== undefined && grant !== spend && renew !== spend;
  return [...(spends ? [`budget:${spend}`] : []), ...(to === 'return' ? ['return'] : [])];
}

function controlAfter(at: Control, move: Move): Control | undefined {
  const state = move.to === 'again' ? at.state : move.to === 'return' ? at.returnTo : move.to;
  if (state === null) return undefined;
  const returnTo = move.remember === undefined ? at.returnTo : move.remember === true ? at.state : move.remember;
  return { state, flags: move.set ? { ...at.flags, ...(move.set as Control['flags']) } : at.flags, returnTo };
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

function pointKey({ state, flags, returnTo }: Control): string {
  let key = `${state}|${returnTo}`;
  for (const flag of Object.keys(flags)) key += `|${flags[flag]}`;
  return key;
}
