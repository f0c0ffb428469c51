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
  /** By class: one of its situations, and the number of its role; -1 where nobody works. */
  readonly examples: readonly number[];
  readonly roles: readonly number[];
  /** By way: its number among the pairs of what a person starts and the class it leads to; and how many there are. */
  readonly entering: Int32Array;
  readonly entrances: number;
}

export function rolesOf({ states }: Machine): readonly string[] {
  return [...new Set(Object.values(states).flatMap((state) => (state.kind === 'dispatch' ? [state.role] : [])))];
}

export function classesOf({ machine, situations }: Space, ways: WayNumbers): Classes {
  const roles = rolesOf(machine);
  const roleIn = Object.values(machine.states).map((state) => ('role' in state ? roles.indexOf(state.role) : -1));
  const roleOf = Int32Array.from(situations, ({ values }) => roleIn[values[stateAt] ?? 0] ?? -1);
  let known = 0;
  let split = splitBy(ways, roleOf);
  while (split.examples.length > known) {
    known = split.examples.length;
    split = splitBy(ways, split.of);
  }
  const { of, examples } = split;
  const pairs = new Pairs();
  const entering = ways.starting.map((start, way) => pairs.of(start, of[ways.to[way] ?? 0] ?? 0));
  return { of, examples, roles: examples.map((one) => roleOf[one] ?? -1), entering, entrances: pairs.size };
}

/** The situations of a class, split by the classes before that their ways lead to. */
function splitBy(ways: WayNumbers, before: Int32Array): Pick<Classes, 'of' | 'examples'> {
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
