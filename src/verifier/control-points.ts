/**
 * What is still read from a control point on: from a state with given flags and a given return address.
 *
 * What is read depends on all of these; budgets and lists are left open.
 */

import type { Arm, Guard, Machine, Move, Route } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { armsOf, isRenewed, stateOf } from '../engine/transition.ts';
import { Pairs } from './pairs.ts';
import { isPersons, receivable } from './receivable.ts';

export type Control = Pick<Snapshot, 'state' | 'flags' | 'returnTo'>;

/** By number: 1 for a name that is among them. */
type Names = Uint8Array;

export interface ControlPoint {
  readonly at: Control;
  readonly live: Names;
  /** Ways here, each with what it sets without looking at what was there. */
  readonly ways: { readonly from: ControlPoint; readonly sets: Names }[];
}

export interface LivenessOptions {
  /** Budgets that are left open: nothing is known of them. */
  readonly leftOpen?: readonly string[];
  /** As far as a run gets without a person. */
  readonly untilRest?: boolean;
}

/** An arm of a route, with what its guard reads and what it reads itself. */
interface Outlet {
  readonly arm: Arm;
  readonly guard: readonly number[];
  readonly reads: readonly number[];
  readonly sets: Names;
}

export class ControlPoints {
  /** With their kind in front: `budget:planning`, `flag:high`, `list:specs`, `return`. */
  readonly names: readonly string[];
  readonly #machine: Machine;
  readonly #untilRest: boolean;
  readonly #flags: readonly string[];
  readonly #outlets = new Map<string, readonly (readonly Outlet[])[]>();
  readonly #values = new Map<string | null | undefined, number>();
  readonly #pairs = new Pairs();
  readonly #points = new Map<number, ControlPoint>();
  readonly #open: ControlPoint[] = [];

  /** Those a run can get to. */
  constructor(machine: Machine, from: Control, { leftOpen = [], untilRest = false }: LivenessOptions) {
    this.#machine = machine;
    this.#untilRest = untilRest;
    this.#flags = Object.keys(machine.flags);
    this.names = [
      ...Object.keys(machine.budgets).flatMap((name) => (leftOpen.includes(name) ? [] : [`budget:${name}`])),
      ...this.#flags.map((name) => `flag:${name}`),
      ...machine.lists.map((name) => `list:${name}`),
      'return',
    ];
    this.#find(from);
    for (let point = this.#open.pop(); point; point = this.#open.pop()) this.#follow(point);
    const grown = [...this.#points.values()];
    for (let point = grown.pop(); point; point = grown.pop())
      for (const { from: before, sets } of point.ways) if (isGrown(before.live, point.live, sets)) grown.push(before);
  }

  at(control: Control): ControlPoint | undefined {
    return this.#points.get(this.#placeOf(control));
  }

  /** One for each state and each value of a flag. */
  numberOf(value: string | null | undefined): number {
    const known = this.#values.get(value);
    if (known !== undefined) return known;
    this.#values.set(value, this.#values.size);
    return this.#values.size - 1;
  }

  #placeOf({ state, flags, returnTo }: Control): number {
    let place = this.#pairs.of(this.numberOf(state), this.numberOf(returnTo));
    for (const flag of this.#flags) place = this.#pairs.of(place, this.numberOf(flags[flag]));
    return place;
  }

  #find(at: Control): ControlPoint {
    const place = this.#placeOf(at);
    const known = this.#points.get(place);
    if (known) return known;
    const point: ControlPoint = { at, live: new Uint8Array(this.names.length), ways: [] };
    this.#points.set(place, point);
    this.#open.push(point);
    return point;
  }

  #follow(point: ControlPoint): void {
    const { at, live } = point;
    const state = stateOf(this.#machine, at.state);
    if ('each' in state && state.each !== undefined) live[this.names.indexOf(`list:${state.each}`)] = 1;
    for (const route of this.#outletsFrom(at.state))
      for (const { arm, guard, reads, sets } of route) {
        for (const name of guard) live[name] = 1;
        if (arm.when && 'flag' in arm.when && at.flags[arm.when.flag] !== arm.when.is) continue;
        for (const name of reads) live[name] = 1;
        const next = 'refuse' in arm ? undefined : controlAfter(at, arm);
        if (next) this.#find(next).ways.push({ from: point, sets });
        if (!arm.when || 'flag' in arm.when) break;
      }
  }

  /** By route: which signal it is for makes a difference only if it is a command. */
  #outletsFrom(state: string): readonly (readonly Outlet[])[] {
    const known = this.#outlets.get(state);
    if (known) return known;
    const { on } = stateOf(this.#machine, state);
    const routes = new Map<Route, readonly Outlet[]>();
    const commands: (readonly Outlet[])[] = [];
    for (const signal of receivable(this.#machine, state)) {
      const route = on[signal];
      if (!route || (this.#untilRest && isPersons(this.#machine, state, signal))) continue;
      const outlets = armsOf(route).map((arm) => this.#outlet(signal, arm));
      if (this.#machine.commands.includes(signal)) commands.push(outlets);
      else routes.set(route, outlets);
    }
    const outlets = [...routes.values(), ...commands];
    this.#outlets.set(state, outlets);
    return outlets;
  }

  #outlet(signal: string, arm: Arm): Outlet {
    const move = 'refuse' in arm ? null : arm;
    const sets = new Uint8Array(this.names.length);
    for (const name of this.#numbersOf(move ? setBy(this.#machine, signal, move) : [])) sets[name] = 1;
    const reads = this.#numbersOf(move ? readBy(move) : []);
    return { arm, guard: this.#numbersOf(arm.when ? [readOf(arm.when)] : []), reads, sets };
  }

  /** Without those that are left open. */
  #numbersOf(names: readonly string[]): readonly number[] {
    return names.map((name) => this.names.indexOf(name)).filter((number) => number !== -1);
  }
}

/** Adds what is live after a way and not set on it; whether that was anything new. */
function isGrown(live: Names, after: Names, sets: Names): boolean {
  let isNew = false;
  for (let name = 0; name < live.length; name += 1)
    if (after[name] === 1 && sets[name] === 0 && live[name] === 0) {
      live[name] = 1;
      isNew = true;
    }
  return isNew;
}

function readOf(guard: Guard): string {
  if ('left' in guard) return `budget:${guard.left}`;
  if ('more' in guard) return `list:${guard.more}`;
  return `flag:${guard.flag}`;
}

function readBy({ to, spend, grant, renew }: Move): readonly string[] {
  const spends = spend !== undefined && grant !== spend && renew !== spend;
  return [...(spends ? [`budget:${spend}`] : []), ...(to === 'return' ? ['return'] : [])];
}

function setBy(machine: Machine, signal: string, move: Move): readonly string[] {
  const renewed = Object.keys(machine.budgets).filter((name) =>
    isRenewed(machine.budgets[name]?.scope ?? 'run', machine, signal, move),
  );
  return [
    ...renewed.map((name) => `budget:${name}`),
    ...Object.keys(move.set ?? {}).map((flag) => `flag:${flag}`),
    ...(move.load === undefined ? [] : [`list:${move.load}`]),
    ...(move.remember === undefined ? [] : ['return']),
  ];
}

function controlAfter(at: Control, move: Move): Control | undefined {
  const state = move.to === 'again' ? at.state : move.to === 'return' ? at.returnTo : move.to;
  if (state === null) return undefined;
  const returnTo = move.remember === undefined ? at.returnTo : move.remember === true ? at.state : move.remember;
  return { state, flags: move.set ? { ...at.flags, ...(move.set as Control['flags']) } : at.flags, returnTo };
}
