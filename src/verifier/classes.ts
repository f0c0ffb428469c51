/**
 * Situations by what can happen from them until the run rests: what those of one class come to is worked out once.
 *
 * At first only the role makes a difference; then classes are split by where the ways of their situations lead, until
 * those of every class lead to the same classes.
 */

import type { Machine } from '../engine/machine.ts';
import { Pairs } from './pairs.ts';
import type { Space } from './space.ts';
import type { StepNumbers } from './ways.ts';

export interface Classes {
  /** By situation. */
  readonly of: readonly number[];
  /** By class: one of its situations. */
  readonly examples: readonly number[];
  /** By class: the number of its role; -1 where nobody works. */
  readonly roles: readonly number[];
  /** By way: the number of what it starts and the class it leads to; and how many there are. */
  readonly entering: readonly number[];
  readonly entrances: number;
}

export function rolesOf({ states }: Machine): readonly string[] {
  return [...new Set(Object.values(states).flatMap((state) => (state.kind === 'dispatch' ? [state.role] : [])))];
}

export function classesOf({ machine, situations }: Space, ways: StepNumbers): Classes {
  const roles = rolesOf(machine);
  const roleOf = situations.map(({ snapshot }) => {
    const state = machine.states[snapshot.state];
    return state?.kind === 'dispatch' ? roles.indexOf(state.role) : -1;
  });
  let known = 0;
  let { of, examples } = split(ways, roleOf);
  while (examples.length > known) {
    known = examples.length;
    ({ of, examples } = split(ways, of));
  }
  const entrances = new Pairs();
  const entering = ways.starting.map((start, way) => entrances.of(start, of[ways.to[way] ?? 0] ?? 0));
  return { of, examples, roles: examples.map((one) => roleOf[one] ?? -1), entering, entrances: entrances.size };
}

function split(ways: StepNumbers, of: readonly number[]): Pick<Classes, 'of' | 'examples'> {
  const { first, to, taking, touching, starting, touches } = ways;
  const pairs = new Pairs();
  const known = new Map<number, number>();
  const examples: number[] = [];
  const next = of.map((before, situation) => {
    let list = pairs.of(before, -1);
    for (let way = first[situation] ?? 0; way < (first[situation + 1] ?? 0); way += 1) {
      if (starting[way] !== -1) continue;
      list = pairs.of(list, of[to[way] ?? 0] ?? 0);
      list = pairs.of(list, (taking[way] ?? 0) * touches.length + (touching[way] ?? 0));
    }
    const found = known.get(list) ?? examples.push(situation) - 1;
    known.set(list, found);
    return found;
  });
  return { of: next, examples };
}
