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
  const rules: Rule[] = [];
  for (const [{ number }, step] of space.firsts) rules[number] = ruleOf(space.machine, gate, step);
  const makers = [null, ...gate.guards];
  const seen = new Uint8Array(space.situations.length * standings.length * makers.length);
  const open: Place[] = space.starts.map((situation) => ({ situation, standing: 'never', madeBy: null, via: null }));
  for (const place of open) {
    for (const step of place.situation.steps) {
      const rule = rules[step.branch.number];
      if (!rule || !step.branch.move) continue;
      const standing = rule.after[place.standing];
      const madeBy = standing !== 'void' ? null : rule.makes ? rule.maker : place.madeBy;
      const standingAt = step.to.number * standings.length + standings.indexOf(standing);
      const key = standingAt * makers.length + makers.indexOf(madeBy);
      if (seen[key] === 1) continue;
      seen[key] = 1;
      const next = { situation: step.to, standing, madeBy, via: { step, before: place } };
      const entered = step.to.snapshot.state;
      // What follows a bypass is no news.
      if (standing === 'fresh' || madeBy === entered || !gate.guards.includes(entered)) open.push(next);
      else if (!refuted.has(entered)) refuted.set(entered, refutation(space.machine, gate, next));
    }
  }
  return [...refuted.values()];
}

/** What the steps by a branch do to the approval. */
interface Rule {
  readonly after: Readonly<Record<Standing, Standing>>;
  readonly makes: boolean;
  /** The guarded state that makes it anew: what follows a bypass is not looked at, so it was let in. */
  readonly maker: string | null;
}

function ruleOf(machine: Machine, gate: Gate, { from, branch }: SpaceStep): Rule {
  const name = from.snapshot.state;
  const step = `${name}.${branch.signal}`;
  const state = stateOf(machine, name);
  const makes = state.kind === 'dispatch' && state.makes === gate.of;
  const after = (before: Standing): Standing => {
    if (gate.passedBy.includes(step)) return 'fresh';
    if (gate.confirmedBy?.includes(step)) return before === 'stale' ? 'fresh' : before;
    if (makes || gate.voidedBy?.includes(step)) return before === 'never' ? 'never' : 'void';
    const waited = state.kind === 'parked' || state.kind === 'decide';
    return waited && before === 'fresh' ? 'stale' : before;
  };
  return {
    after: { never: after('never'), void: after('void'), stale: after('stale'), fresh: after('fresh') },
    makes,
    maker: gate.guards.includes(name) ? name : null,
  };
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
