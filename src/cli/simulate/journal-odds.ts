/** Odds as the journals of earlier runs show them. */

import { faults, isFault, type Machine } from '../../engine/machine.ts';
import type { JournalRecord } from '../../store/record.ts';
import {
  equalOdds,
  usualFaultShare,
  usualItems,
  type ItemOdds,
  type Odds,
  type Spread,
  type Taking,
} from '../../simulation/odds.ts';
import { receivable, rolesOf } from '../../verifier/receivable.ts';
import { itemsMost } from './odds-file.ts';

export interface JournalOdds {
  readonly odds: Odds;
  readonly runs: number;
  readonly steps: number;
  readonly dispatches: number;
  /** Steps the machine does not know: written by another version of the workflow. */
  readonly foreignSteps: number;
}

/**
 * Nothing that an agent or a check can say is impossible: each state counts as if one more step had come from it, a
 * part of it for every signal, and one more dispatch with the usual share of faults. (One more of *every* signal would
 * drown what a few runs have to tell.) What people did is taken as it was: what none of them ever did, no simulated
 * one does, unless nothing else is open.
 */
export function oddsFromJournals(machine: Machine, journals: Iterable<readonly JournalRecord[]>): JournalOdds {
  const seen = new Seen();
  let runs = 0;
  for (const records of journals) {
    runs += 1;
    for (const record of records) if (record.type === 'moved') seen.add(machine, record);
  }
  const { steps, dispatches, foreignSteps } = seen;
  return { odds: oddsOf(machine, seen), runs, steps, dispatches, foreignSteps };
}

interface Samples {
  readonly costsUsd: number[];
  readonly ms: number[];
}

class Seen {
  /** By `state.signal`. */
  readonly signals = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly loads = new Map<string, number[]>();
  readonly roles = new Map<string, Samples>();
  readonly anyRole: Samples = { costsUsd: [], ms: [] };
  steps = 0;
  dispatches = 0;
  foreignSteps = 0;

  add(machine: Machine, { from, signal, change, dispatch }: Extract<JournalRecord, { type: 'moved' }>): void {
    const state = Object.hasOwn(machine.states, from) ? machine.states[from] : undefined;
    if (!state || !receivable(machine, from).includes(signal)) {
      this.foreignSteps += 1;
      return;
    }
    this.steps += 1;
    increase(this.signals, `${from}.${signal}`);
    if (change.load)
      this.loads.set(change.load.list, [...(this.loads.get(change.load.list) ?? []), change.load.items.length]);
    if (state.kind !== 'dispatch') return;
    this.dispatches += 1;
    if (isFault(signal)) increase(this.faults, signal);
    if (!dispatch) return;
    const samples = this.roles.get(state.role) ?? { costsUsd: [], ms: [] };
    this.roles.set(state.role, samples);
    for (const { costsUsd, ms } of [samples, this.anyRole]) {
      ms.push(dispatch.ms);
      if (dispatch.usage.costUsd !== null) costsUsd.push(dispatch.usage.costUsd);
    }
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function oddsOf(machine: Machine, seen: Seen): Odds {
  const usual = equalOdds(machine);
  const weights: Record<string, Record<string, number>> = {};
  for (const [state, { kind }] of Object.entries(machine.states)) {
    const working = kind === 'dispatch' || kind === 'check';
    const signals = working ? (machine.signals[state] ?? []) : receivable(machine, state);
    const counted = signals.map((signal): [string, number] => [
      signal,
      rounded((seen.signals.get(`${state}.${signal}`) ?? 0) + (working ? 1 / signals.length : 0)),
    ]);
    const positive = counted.filter(([, weight]) => weight > 0);
    if (positive.length > 0 && kind !== 'final') weights[state] = Object.fromEntries(positive);
  }
  return {
    weights,
    items: { ...usual.items, ...Object.fromEntries([...seen.loads].map(([list, sizes]) => [list, itemsOf(sizes)])) },
    faults: Object.fromEntries(faults.map((fault) => [fault, faultShare(seen, fault)])),
    roles: Object.fromEntries(rolesOf(machine).map((role) => [role, takingOf(seen, role)])),
  };
}

function itemsOf(sizes: readonly number[]): ItemOdds {
  const most = Math.min(itemsMost, Math.max(usualItems.most, ...sizes));
  return { mean: Math.min(most, rounded(meanOf(sizes))), most };
}

function faultShare({ faults: counts, dispatches }: Seen, fault: string): number {
  return rounded(((counts.get(fault) ?? 0) + usualFaultShare / faults.length) / (dispatches + 1));
}

/** A role that was never seen takes what the others do. */
function takingOf({ roles, anyRole }: Seen, role: string): Taking {
  const own = roles.get(role);
  return { costUsd: spreadOf(own?.costsUsd ?? [], anyRole.costsUsd), ms: spreadOf(own?.ms ?? [], anyRole.ms) };
}

/** A triangle has its mean where that of the samples is, as far as its peak can be between its ends. */
function spreadOf(own: readonly number[], otherwise: readonly number[]): Spread | null {
  const samples = own.length > 0 ? own : otherwise;
  if (samples.length === 0) return null;
  const least = rounded(samples.reduce((left, right) => Math.min(left, right)));
  const most = rounded(samples.reduce((left, right) => Math.max(left, right)));
  const peak = rounded(3 * meanOf(samples) - least - most);
  return { least, typical: Math.min(most, Math.max(least, peak)), most };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** As many digits as a saved file keeps, so that what was saved gives the same runs. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
