/**
 * The state of a run. A snapshot changes in one way only: `evolve(snapshot, delta)`.
 *
 * I1. Replaying the changes of a journal gives the live snapshot: both are made by `evolve`.
 * I2. A change holds what differs and no more, so that its size does not grow with the run.
 */

import type { AskedBatch, Decision } from './decision.ts';
import type { Machine, Outcome } from './machine.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** One piece of work in a list; ready when everything in `after` is done. */
export interface WorkItem {
  readonly id: string;
  readonly after: readonly string[];
  /** Spent on it before it was loaded, by `item` budget: loading a list again gives nothing back. */
  readonly spent?: Readonly<Record<string, number>>;
  readonly data?: Json;
}

export interface WorkList {
  readonly items: readonly WorkItem[];
  readonly done: readonly string[];
}

/** Why a run stopped, for people and for scripts; `code` is stable. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** When it passes by itself, as an ISO time: a rate limit. */
  readonly until?: string;
  /** The next action for a person. */
  readonly fix?: string;
}

export interface Snapshot {
  readonly state: string;
  /** The rest of each budget. */
  readonly budgets: Readonly<Record<string, number>>;
  /** The amount that each budget is renewed to. */
  readonly limits: Readonly<Record<string, number>>;
  readonly flags: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, WorkList>>;
  readonly returnTo: string | null;
  /** Set when the run comes to rest; null while it works. */
  readonly outcome: Outcome | null;
  /** The reason why the run stopped; cleared by the next command. */
  readonly problem: Problem | null;
  /** Everything people were asked so far, by id. */
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly asked: AskedBatch | null;
  /** Data of signals, for prompts and reports. No guard reads it. */
  readonly data: Readonly<Record<string, Json>>;
}

/** The changes of one transition. Absent means unchanged; records hold the entries that differ. */
export interface Delta extends Partial<Omit<Snapshot, 'lists'>> {
  readonly load?: { readonly list: string; readonly items: readonly WorkItem[] };
  readonly finish?: { readonly list: string; readonly item: string };
}

export function initialSnapshot(machine: Machine, limits: Readonly<Record<string, number>> = {}): Snapshot {
  const full: Record<string, number> = {};
  for (const [name, budget] of Object.entries(machine.budgets)) full[name] = limits[name] ?? budget.limit;
  return {
    state: machine.initial,
    budgets: full,
    limits: full,
    flags: machine.flags,
    lists: {},
    returnTo: null,
    outcome: null,
    problem: null,
    decisions: {},
    asked: null,
    data: {},
  };
}

export function evolve(snapshot: Snapshot, delta: Delta): Snapshot {
  return {
    state: delta.state ?? snapshot.state,
    budgets: merged(snapshot.budgets, delta.budgets),
    limits: merged(snapshot.limits, delta.limits),
    flags: merged(snapshot.flags, delta.flags),
    lists: evolveLists(snapshot.lists, delta),
    returnTo: delta.returnTo === undefined ? snapshot.returnTo : delta.returnTo,
    outcome: delta.outcome === undefined ? snapshot.outcome : delta.outcome,
    problem: delta.problem === undefined ? snapshot.problem : delta.problem,
    decisions: merged(snapshot.decisions, delta.decisions),
    asked: delta.asked === undefined ? snapshot.asked : delta.asked,
    data: merged(snapshot.data, delta.data),
  };
}

/** A long run has much data, and most transitions bring none. */
function merged<T>(
  before: Readonly<Record<string, T>>,
  changed: Readonly<Record<string, T>> = {},
): Readonly<Record<string, T>> {
  return Object.keys(changed).length === 0 ? before : { ...before, ...changed };
}

function evolveLists(lists: Snapshot['lists'], { load, finish }: Delta): Snapshot['lists'] {
  if (!load && !finish) return lists;
  const next: Record<string, WorkList> = { ...lists };
  if (finish) {
    const list = next[finish.list] ?? { items: [], done: [] };
    next[finish.list] = { items: list.items, done: [...list.done, finish.item] };
  }
  if (load) next[load.list] = { items: load.items, done: [] };
  return next;
}

/** The item to work on: the first in list order that is not done and waits for nothing. */
export function currentItem(list: WorkList | undefined): WorkItem | undefined {
  if (!list) return undefined;
  const done = new Set(list.done);
  return list.items.find((item) => !done.has(item.id) && item.after.every((id) => done.has(id)));
}

/** The number of unfinished items. */
export function leftIn(list: WorkList | undefined): number {
  return list ? list.items.length - list.done.length : 0;
}
