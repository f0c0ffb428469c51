/**
 * No way around a gate.
 *
 * Each approval is followed through the space: it is *never* given, *void* once what it approved was made anew,
 * *stale* once the run waited for a person (anybody may have edited), and *fresh* otherwise.
 * Guarded states are entered with a fresh one only. One that makes what its own gate is about, and was interrupted,
 * may go on: what it made itself does not keep it out.
 */

import type { Gate } from '../../engine/machine.ts';
import { stateOf } from '../../engine/transition.ts';
import type { Space, SpaceStep } from '../space.ts';
import { traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

/** How an approval stands, as a number; `made` and higher: made void by the work of that guarded state. */
const never = 0;
const stale = 1;
const fresh = 2;
const voided = 3;
const made = voided + 1;

interface Place {
  readonly situation: number;
  readonly approval: number;
  readonly via: { readonly step: number; readonly before: Place } | null;
}

export function gateHolds(space: Space, gate: Gate): readonly Refutation[] {
  const { situations, first, to, by } = space;
  const size = made + gate.guards.length;
  const after = approvalsAfter(space, gate, size);
  const refuted = new Map<string, Refutation>();
  const isSeen = new Uint8Array(situations.length * size);
  const open: Place[] = space.starts.map(({ number }) => ({ situation: number, approval: never, via: null }));
  for (let at = 0; at < open.length; at += 1) {
    const place = open[at];
    if (!place) break;
    const from = place.situation;
    for (let step = first[from] ?? 0; step < (first[from + 1] ?? 0); step += 1) {
      const approval = after[(by[step] ?? 0) * size + place.approval] ?? refused;
      const situation = to[step] ?? 0;
      if (approval === refused || isSeen[situation * size + approval] === 1) continue;
      isSeen[situation * size + approval] = 1;
      const next = { situation, approval, via: { step, before: place } };
      const state = situations[situation]?.state ?? '';
      const guard = gate.guards.indexOf(state);
      // What follows a bypass is no news.
      if (guard === -1 || approval === fresh || approval === made + guard) open.push(next);
      else if (!refuted.has(state)) refuted.set(state, refutation(space, gate, next));
    }
  }
  return [...refuted.values()];
}

const refused = -1;

/** By edge and approval before, as one number. */
function approvalsAfter({ machine, edges, firsts }: Space, gate: Gate, size: number): Int32Array {
  const after = new Int32Array(edges.all.length * size).fill(refused);
  for (const { edge } of firsts) {
    const step = `${edge.state}.${edge.signal}`;
    const state = stateOf(machine, edge.state);
    const isPassed = gate.passedBy.includes(step);
    const isConfirmed = gate.confirmedBy?.includes(step);
    const isMade = state.kind === 'dispatch' && state.makes === gate.of;
    const isVoided = isMade || gate.voidedBy?.includes(step);
    const hasWaited = state.kind === 'parked' || state.kind === 'decide';
    for (let before = 0; edge.move && before < size; before += 1) {
      let approval = before;
      if (isPassed || (isConfirmed && before === stale)) approval = fresh;
      else if (!isConfirmed && isVoided && before !== never) approval = Math.max(before, voided);
      else if (!isConfirmed && hasWaited && before === fresh) approval = stale;
      // What follows a bypass is not looked at, so whoever is in a guarded state was let in.
      const isMaker = isMade && approval >= voided;
      after[edge.number * size + before] = isMaker ? made + gate.guards.indexOf(edge.state) : approval;
    }
  }
  return after;
}

const reasons: readonly (readonly [what: string, fix: string])[] = [
  ['was never approved', 'lead every way there through a step of `passedBy`'],
  [
    'may have been edited since it was approved',
    'put a check in front that compares it with what was approved, and list its step in `confirmedBy`',
  ],
  ['is approved', ''],
  ['was made anew after it was approved', 'have it approved again on the way'],
];

function refutation({ machine, situations, first }: Space, gate: Gate, place: Place): Refutation {
  const steps: SpaceStep[] = [];
  for (let { via } = place; via; { via } = via.before) {
    const { situation } = via.before;
    const step = situations[situation]?.steps[via.step - (first[situation] ?? 0)];
    if (step) steps.push(step);
  }
  const [what, fix] = reasons[Math.min(place.approval, voided)] ?? ['', ''];
  return {
    what: `${situations[place.situation]?.state} can be entered although the ${gate.of} ${what}`,
    fix,
    trace: traceOf(machine, steps.toReversed()),
  };
}
