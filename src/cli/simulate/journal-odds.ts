/** Odds as the journals of earlier runs show them. */

import { faults, type Machine } from '../../engine/machine.ts';
import { signalIn } from '../../runtime/earlier-records.ts';
import type { DispatchEnd, JournalRecord } from '../../store/record.ts';
import { usualFaultShare, usualItems } from '../../simulation/odds.ts';
import type { ItemOdds, Odds, Spread, Taking } from '../../simulation/odds.ts';
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

type Moved = Extract<JournalRecord, { type: 'moved' }>;

/**
 * Nothing that an agent or a check can report is impossible: each state counts as if one more step had come from it, a
 * part of it for every signal, and one more dispatch with the usual share of faults. (One more of *every* signal would
 * outweigh a few runs.) People count as they acted: a simulated one does nothing that none of them ever did, unless
 * nothing else is open.
 */
export function oddsFromJournals(machine: Machine, journals: readonly (readonly JournalRecord[])[]): JournalOdds {
  const all = journals.flatMap((records) =>
    records.flatMap((record) => (record.type === 'moved' ? [{ ...record, signal: signalIn(machine, record) }] : [])),
  );
  const moves = all.filter(
    ({ from, signal }) => Object.hasOwn(machine.states, from) && receivable(machine, from).includes(signal),
  );
  const dispatched = moves.filter(({ from }) => machine.states[from]?.kind === 'dispatch');
  const odds: Odds = {
    weights: weightsOf(machine, moves),
    items: Object.fromEntries(machine.lists.map((list) => [list, itemsOf(moves, list)])),
    faults: Object.fromEntries(faults.map((fault) => [fault, faultShare(dispatched, fault)])),
    roles: Object.fromEntries(rolesOf(machine).map((role) => [role, takingOf(machine, dispatched, role)])),
  };
  const counts = { runs: journals.length, steps: moves.length, dispatches: dispatched.length };
  return { odds, ...counts, foreignSteps: all.length - moves.length };
}

function weightsOf(machine: Machine, moves: readonly Moved[]): Odds['weights'] {
  const seen = new Map<string, number>();
  for (const { from, signal } of moves) seen.set(`${from}.${signal}`, (seen.get(`${from}.${signal}`) ?? 0) + 1);
  const weights: Record<string, Record<string, number>> = {};
  for (const [state, { kind }] of Object.entries(machine.states)) {
    const working = kind === 'dispatch' || kind === 'check';
    const signals = working ? (machine.signals[state] ?? []) : receivable(machine, state);
    const counted = signals.map((signal): [string, number] => [
      signal,
      rounded((seen.get(`${state}.${signal}`) ?? 0) + (working ? 1 / signals.length : 0)),
    ]);
    const positive = counted.filter(([, weight]) => weight > 0);
    if (positive.length > 0 && kind !== 'final') weights[state] = Object.fromEntries(positive);
  }
  return weights;
}

function itemsOf(moves: readonly Moved[], list: string): ItemOdds {
  const sizes = moves.flatMap(({ change: { load } }) => (load?.list === list ? [load.items.length] : []));
  if (sizes.length === 0) return usualItems;
  const most = Math.min(
    itemsMost,
    sizes.reduce((left, right) => Math.max(left, right), usualItems.most),
  );
  return { mean: Math.min(most, rounded(meanOf(sizes))), most };
}

function faultShare(dispatched: readonly Moved[], fault: string): number {
  const count = dispatched.filter(({ signal }) => signal === fault).length;
  return rounded((count + usualFaultShare / faults.length) / (dispatched.length + 1));
}

/** A role that never worked takes what the others do. */
function takingOf(machine: Machine, dispatched: readonly Moved[], role: string): Taking {
  const all = dispatched.flatMap((move) => callsOf(machine, move));
  const own = all.filter((call) => call.role === role);
  const samples = (of: (call: Pick<DispatchEnd, 'usage' | 'ms'>) => number | null): Spread | null => {
    const numbers = (calls: typeof all): number[] => calls.flatMap((call) => of(call) ?? []);
    const ownNumbers = numbers(own);
    return spreadOf(ownNumbers.length > 0 ? ownNumbers : numbers(all));
  };
  return { costUsd: samples(({ usage }) => usage.costUsd), ms: samples(({ ms }) => ms) };
}

/** Of the role, and of its advisor. */
function callsOf({ states }: Machine, { from, dispatch }: Moved) {
  const state = states[from];
  if (state?.kind !== 'dispatch' || !dispatch) return [];
  const { usage, ms, beside } = dispatch;
  return [{ role: state.role, usage, ms }, beside?.call ? { role: beside.role, ...beside.call } : []].flat();
}

/** A triangle has its mean where that of the samples is, as far as its peak can be between its ends. */
function spreadOf(samples: readonly number[]): Spread | null {
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
