/**
 * No way around a gate.
 *
 * Each approval is followed through the space: it is *never* given, *void* once what it approved was made anew,
 * *stale* once the run waited for a person (anybody may have edited), and *fresh* otherwise.
 * Guarded states are entered with a fresh one only. One that makes what its own gate is about, and was interrupted,
 * may go on: what it made itself does not keep it out.
 */

import type { Gate, Machine } from '../../engine/machine.ts';
import { stateOf } from '../../engine/transition.ts';
import type { Situation, Space, SpaceStep } from '../space.ts';
import { traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

const standings = ['never', 'void', 'stale', 'fresh'] as const;
type Standing = (typeof standings)[number];

interface Place {
  readonly situation: Situation;
  readonly standing: Standing;
  /** The guarded state whose work made it void. */
  readonly madeBy: string | null;
  readonly via: { readonly step: SpaceStep; readonly before: Place } | null;
}

export function gateHolds(space: Space, gate: Gate): readonly Refutation[] {
  const refuted = new Map<string, Refutation>();
  const seen = new Set<number>();
  const numbers = new Map(space.situations.map((situation, index) => [situation, index]));
  const starts = space.situations.filter(({ via }) => via === null);
  const open: Place[] = starts.map((situation) => ({ situation, standing: 'never', madeBy: null, via: null }));
  for (const place of open) {
    for (const step of place.situation.steps) {
      if (step.refused !== null) continue;
      const standing = standingAfter(space.machine, gate, place.standing, step);
      const madeBy = standing === 'void' ? makerAfter(space.machine, gate, place, step) : null;
      const next: Place = { situation: step.to, standing, madeBy, via: { step, before: place } };
      const entered = step.to.snapshot.state;
      const bypassed = gate.guards.includes(entered) && standing !== 'fresh' && madeBy !== entered;
      if (bypassed && !refuted.has(entered)) refuted.set(entered, refutation(space.machine, gate, next));
      const maker = madeBy === null ? gate.guards.length : gate.guards.indexOf(madeBy);
      const key =
        ((numbers.get(step.to) ?? 0) * standings.length + standings.indexOf(standing)) * (gate.guards.length + 1) +
        maker;
      // What follows a bypass is no news.
      if (bypassed || seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return [...refuted.values()];
}

function standingAfter(machine: Machine, gate: Gate, before: Standing, { from, signal }: SpaceStep): Standing {
  const name = from.snapshot.state;
  const step = `${name}.${signal}`;
  const state = stateOf(machine, name);
  if (gate.passedBy.includes(step)) return 'fresh';
  if (gate.confirmedBy?.includes(step)) return before === 'stale' ? 'fresh' : before;
  const made = state.kind === 'dispatch' && state.makes === gate.of;
  if (made || gate.voidedBy?.includes(step)) return before === 'never' ? 'never' : 'void';
  const waited = state.kind === 'parked' || state.kind === 'decide';
  return waited && before === 'fresh' ? 'stale' : before;
}

/** What follows a bypass is not looked at, so whoever is in a guarded state was let in. */
function makerAfter(machine: Machine, gate: Gate, before: Place, { from }: SpaceStep): string | null {
  const name = from.snapshot.state;
  const state = stateOf(machine, name);
  if (state.kind !== 'dispatch' || state.makes !== gate.of) return before.madeBy;
  return gate.guards.includes(name) ? name : null;
}

const reasons: Readonly<Record<Standing, readonly [what: string, fix: string]>> = {
  never: ['was never approved', 'lead every way there through a step of `passedBy`'],
  void: ['was made anew after it was approved', 'have it approved again on the way'],
  stale: [
    'may have been edited since it was approved',
    'put a check in front that compares it with what was approved, and list its step in `confirmedBy`',
  ],
  fresh: ['is approved', ''],
};

function refutation(machine: Machine, gate: Gate, place: Place): Refutation {
  const steps: SpaceStep[] = [];
  for (let via = place.via; via; via = via.before.via) steps.push(via.step);
  const [what, fix] = reasons[place.standing];
  return {
    what: `${place.situation.snapshot.state} can be entered although the ${gate.of} ${what}`,
    fix,
    trace: traceOf(machine, steps.toReversed()),
  };
}
