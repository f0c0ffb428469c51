/**
 * Situations by what can happen from them until the run rests: what those of one class come to is worked out once.
 *
 * At first only the role makes a difference; then classes are split by where the ways of their situations lead, until
 * those of every class lead to the same classes.
 */

import type { Machine } from '../engine/machine.ts';
import { Pairs } from './pairs.ts';
import type { Space } from './space.ts';
import { stateAt } from './variables.ts';
import type { WayNumbers } from './ways.ts';

export interface Classes {
  /** By situation. */
  readonly of: Int32Array;
  /** By class: the number of its role; -1 where nobody works. */
  readonly roles: readonly number[];
  /** By class: what can happen there without a person. */
  readonly ways: readonly (readonly ClassWay[])[];
  /** By way of a situation: its number among the pairs of what a person starts and the class it leads to. */
  readonly entering: Int32Array;
  /** How many of these there are. */
  readonly entrances: number;
}

export interface ClassWay {
  /** A class. */
  readonly to: number;
  readonly take: number;
  readonly touch: number;
}

export function rolesOf({ states }: Machine): readonly string[] {
  return [...new Set(Object.values(states).flatMap((state) => (state.kind === 'dispatch' ? [state.role] : [])))];
}

export function classesOf({ machine, situations }: Space, ways: WayNumbers): Classes {
  const roles = rolesOf(machine);
  const roleIn = Object.values(machine.states).map((state) => ('role' in state ? roles.indexOf(state.role) : -1));
  const roleOf = Int32Array.from(situations, ({ values }) => roleIn[values[stateAt] ?? 0] ?? -1);
  let known = 0;
  let { of, examples } = splitBy(ways, roleOf);
  while (examples.length > known) {
    known = examples.length;
    ({ of, examples } = splitBy(ways, of));
  }
  const pairs = new Pairs();
  return {
    of,
    roles: examples.map((situation) => roleOf[situation] ?? -1),
    ways: examples.map((situation) => waysFrom(ways, of, situation)),
    entering: ways.starting.map((start, way) => pairs.of(start, of[ways.to[way] ?? 0] ?? 0)),
    entrances: pairs.size,
  };
}

/** Classes, split by those that the ways of their situations lead to; with one situation of each. */
function splitBy(
  ways: WayNumbers,
  before: Int32Array,
): { readonly of: Int32Array; readonly examples: readonly number[] } {
  const { first, to, taking, touching, starting, touches } = ways;
  const pairs = new Pairs();
  const of = new Int32Array(before.length);
  const examples: number[] = [];
  /** By the number of a list. */
  const known: number[] = [];
  for (let situation = 0; situation < before.length; situation += 1) {
    let list = pairs.of(before[situation] ?? 0, -1);
    for (let way = first[situation] ?? 0; way < (first[situation + 1] ?? 0); way += 1) {
      if (starting[way] !== -1) continue;
      list = pairs.of(list, before[to[way] ?? 0] ?? 0);
      list = pairs.of(list, (taking[way] ?? 0) * touches.length + (touching[way] ?? 0));
    }
    of[situation] = known[list] ??= examples.push(situation) - 1;
  }
  return { of, examples };
}

/** The ways that need no person, those that come to the same once. */
function waysFrom(
  { first, to, taking, touching, starting }: WayNumbers,
  of: Int32Array,
  situation: number,
): ClassWay[] {
  const found: ClassWay[] = [];
  for (let way = first[situation] ?? 0; way < (first[situation + 1] ?? 0); way += 1) {
    if (starting[way] !== -1) continue;
    const own = { to: of[to[way] ?? 0] ?? 0, take: taking[way] ?? 0, touch: touching[way] ?? 0 };
    if (!found.some((one) => one.to === own.to && one.take === own.take && one.touch === own.touch)) found.push(own);
  }
  return found;
}
