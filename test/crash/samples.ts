/** Parts of the instants at which a command can be killed, where all would take too long. */

import type { Instant } from '../../src/testing/crash-kit.ts';
import { seeded } from '../seeded.ts';

/** So many of the instants, as chance has it. */
export function seededSample(instants: readonly Instant[], many: number, seed: number): readonly Instant[] {
  const chance = seeded(seed);
  const left = [...instants];
  const chosen = Array.from({ length: Math.min(many, left.length) }, () => left.splice(chance(left.length), 1)).flat();
  return chosen.toSorted((a, b) => a.number - b.number);
}

/** A part of the instants in which every kind of instant occurs, spread over the whole life. */
export function stratifiedSample(instants: readonly Instant[], perKind: number): readonly Instant[] {
  const groups = new Map<string, Instant[]>();
  for (const instant of instants) {
    const group = groups.get(instant.what) ?? [];
    group.push(instant);
    groups.set(instant.what, group);
  }
  return [...groups.values()]
    .flatMap((group) =>
      Array.from(
        { length: Math.min(perKind, group.length) },
        (_, index) => group[Math.floor((index * group.length) / perKind)],
      ),
    )
    .filter((instant) => instant !== undefined)
    .toSorted((left, right) => left.number - right.number);
}
