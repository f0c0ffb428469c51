/**
 * Typed access to `snapshot.data`: a workflow declares each key once, with the schema of its value.
 *
 * D1. Pawl wrote the data itself, so a value that does not fit is a broken promise and throws.
 * D2. Null counts as missing: a transition cannot remove a key, only overwrite it.
 */

import type { Json, Snapshot, WorkItem } from '../engine/snapshot.ts';
import { check, problemOf, type Schema } from '../schema/schema.ts';

export type DataPatch = Readonly<Record<string, Json>>;
type Holder = Pick<Snapshot, 'data'>;

export interface Slot<T> {
  of(holder: Holder): T;
  set(value: T): DataPatch;
}

/** One key for each piece (`decision:UD-7`), so that a transition records the piece and not all of them. */
export interface KeyedSlot<T> {
  all(holder: Holder): Readonly<Record<string, T>>;
  get(holder: Holder, id: string): T | undefined;
  set(id: string, value: T): DataPatch;
  clear(id: string): DataPatch;
}

export interface Keyed<T> {
  readonly each: Schema<T>;
}

export function keyed<T extends Json>(each: Schema<T>): Keyed<T> {
  return { each };
}

type Declaration = Schema<Json> | Keyed<Json>;

export type Slots<S extends Readonly<Record<string, Declaration>>> = {
  readonly [K in keyof S]: S[K] extends Keyed<infer T> ? KeyedSlot<T> : S[K] extends Schema<infer T> ? Slot<T> : never;
};

export function slots<S extends Readonly<Record<string, Declaration>>>(declarations: S): Slots<S> {
  const entries = Object.entries(declarations).map(
    ([name, declared]) => [name, 'each' in declared ? keyedSlot(name, declared.each) : slot(name, declared)] as const,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot tell the type of computed keys
  return Object.fromEntries(entries) as unknown as Slots<S>;
}

function slot<T extends Json>(name: string, schema: Schema<T>): Slot<T> {
  return { of: ({ data }) => promised(schema, data[name], name), set: (value) => ({ [name]: value }) };
}

function keyedSlot<T extends Json>(name: string, schema: Schema<T>): KeyedSlot<T> {
  const prefix = `${name}:`;
  const get = ({ data }: Holder, key: string): T | undefined =>
    (data[key] ?? null) === null ? undefined : promised(schema, data[key], key);
  return {
    all: (holder) => {
      const keys = Object.keys(holder.data).filter((key) => key.startsWith(prefix));
      const found = keys.map((key) => [key.slice(prefix.length), get(holder, key)] as const);
      return Object.fromEntries(found.filter((entry): entry is [string, T] => entry[1] !== undefined));
    },
    get: (holder, id) => get(holder, `${prefix}${id}`),
    set: (id, value) => ({ [`${prefix}${id}`]: value }),
    clear: (id) => ({ [`${prefix}${id}`]: null }),
  };
}

export function itemData<T>(schema: Schema<T>, item: WorkItem | undefined): T {
  return promised(schema, item?.data, item === undefined ? 'item' : `item ${item.id}`);
}

/** D1, D2. */
function promised<T>(schema: Schema<T>, value: Json | undefined, name: string): T {
  const read = check(schema, value ?? undefined, { unknownKeys: 'ignored' });
  if (!('mistakes' in read)) return read.value;
  const [mistake] = read.mistakes;
  const why = mistake ? `: ${problemOf(mistake, 'it')}; expected ${mistake.expected}` : '';
  throw new Error(`the run's data has a malformed "${name}"${why}`);
}

/** Several patches as one. */
export function patch(...patches: readonly DataPatch[]): DataPatch {
  return Object.fromEntries(patches.flatMap((each) => Object.entries(each)));
}

/** Adds to a list. */
export function added<T>(
  slot: { of(holder: Holder): readonly T[]; set(value: readonly T[]): DataPatch },
  holder: Holder,
  ...more: readonly T[]
): DataPatch {
  return slot.set([...slot.of(holder), ...more]);
}
