/** Schemas made of other schemas. */

import {
  inside,
  refuse,
  schema,
  wrong,
  type Infer,
  type JsonSchema,
  type OptionalSchema,
  type Path,
  type Reading,
  type Schema,
  type Spot,
} from './schema.ts';
import { isRecord } from './values.ts';

export type Shape = Readonly<Record<string, Schema<unknown>>>;

type OptionalKeys<S> = { [K in keyof S]: S[K] extends OptionalSchema<unknown> ? K : never }[keyof S];
type Flat<T> = { readonly [K in keyof T]: T[K] };
export type TableOf<S extends Shape> = Flat<
  { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: Infer<S[K]> } & {
    readonly [K in OptionalKeys<S>]?: Exclude<Infer<S[K]>, undefined>;
  }
>;

/** For a value that is not a table. */
interface NotATable {
  readonly expected?: string;
  readonly problem?: string;
}

/** A table with known keys; `unknownKeys` overrides the option of the reading. */
export function table<S extends Shape>(
  shape: S,
  options: NotATable & { readonly unknownKeys?: Reading['unknownKeys'] } = {},
): Schema<TableOf<S>> {
  const entries = Object.entries(shape);
  const spelled = new Map<Reading['spell'], ReturnType<typeof fieldsIn>>();
  /** A table is read in one spelling thousands of times. */
  const fieldsIn = (spell: Reading['spell']) => {
    const fields = entries.map(([key, field]) => ({ key, name: spell(key), field }));
    spelled.set(spell, fields);
    return fields;
  };
  const json: Schema<unknown>['json'] = (spell = (key) => key) => {
    const required = entries.filter(([, field]) => field.required).map(([key]) => spell(key));
    return {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, field]) => [spell(key), field.json(spell)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  };
  const read: Schema<TableOf<S>>['read'] = (value, at) => {
    if (!isRecord(value)) return refuse(at, value, options.expected ?? 'a table', options.problem);
    const { spell, unknownKeys } = at.reading;
    const fields = spelled.get(spell) ?? fieldsIn(spell);
    const found: Record<string, unknown> = {};
    let refused = false;
    for (const { key, name, field } of fields) {
      const fits = field.read(value[name], inside(at, name));
      if (fits === wrong) refused = true;
      else if (fits !== undefined) found[key] = fits;
    }
    if (reportUnknown(value, fields, at, options.unknownKeys ?? unknownKeys)) refused = true;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot tell the type of computed keys
    return refused ? wrong : (found as TableOf<S>);
  };
  return { ...schema(read, json), fields: shape };
}

/** Reports unknown keys; true when that refuses the table. */
function reportUnknown(
  value: Readonly<Record<string, unknown>>,
  fields: readonly { readonly name: string }[],
  { path, reading }: Spot,
  unknownKeys: Reading['unknownKeys'],
): boolean {
  if (unknownKeys === 'ignored') return false;
  const unknown = Object.keys(value).filter((key) => !fields.some(({ name }) => name === key));
  if (unknown.length === 0) return false;
  const reported = unknownKeys === 'mistake' ? reading.mistakes : reading.warnings;
  const known = fields.map(({ name }) => name);
  for (const key of unknown) reported.push({ path: [...path, key], found: value[key], expected: '', known });
  return unknownKeys === 'mistake';
}

/** A table that may be missing, as all of its keys have defaults. */
export function section<S extends Shape>(
  shape: S,
  options: { readonly unknownKeys?: Reading['unknownKeys'] } = {},
): Schema<TableOf<S>> {
  return leftOut(prepared((value) => value ?? {}, table(shape, options)));
}

/** A table whose keys are free names. */
export function record<T>(
  item: Schema<T>,
  options: NotATable & { readonly key?: Schema<string>; readonly max?: number } = {},
): Schema<Readonly<Record<string, T>>> {
  const { expected = 'a table', problem, key: keys, max = Infinity } = options;
  const read: Schema<Readonly<Record<string, T>>>['read'] = (value = {}, at) => {
    if (!isRecord(value)) return refuse(at, value, expected, problem);
    const given = Object.entries(value);
    if (given.length > max) return refuse(at, given.length, `at most ${max} names`);
    const entries: [string, T][] = [];
    for (const [key, each] of given) {
      const spot = inside(at, key);
      const fits = keys?.read(key, spot) === wrong ? wrong : item.read(each, spot);
      if (fits !== wrong) entries.push([key, fits]);
    }
    return entries.length < given.length ? wrong : Object.fromEntries(entries);
  };
  return leftOut(
    schema(read, (spell) => ({
      type: 'object',
      additionalProperties: item.json(spell),
      ...(keys && { propertyNames: keys.json(spell) }),
      ...(max < Infinity && { maxProperties: max }),
    })),
  );
}

export function list<T>(
  item: Schema<T>,
  expected: string,
  { min, max }: { readonly min?: { readonly count: number; readonly expected: string }; readonly max?: number } = {},
): Schema<readonly T[]> {
  return schema(
    (value, at) => {
      if (!Array.isArray(value)) return refuse(at, value, expected);
      if (min !== undefined && value.length < min.count) return refuse(at, value, min.expected);
      if (max !== undefined && value.length > max) return refuse(at, value, `at most ${max} items`);
      const read: T[] = [];
      for (let index = 0; index < value.length; index++) {
        const fits = item.read(value[index], inside(at, index));
        if (fits !== wrong) read.push(fits);
      }
      return read.length < value.length ? wrong : read;
    },
    (spell) => ({
      type: 'array',
      items: item.json(spell),
      ...(min !== undefined && { minItems: min.count }),
      ...(max !== undefined && { maxItems: max }),
    }),
  );
}

/** Picks a schema by looking at the value; `among` are those it picks from, for the JSON Schema. */
export function choose<T>(pick: (value: unknown) => Schema<T>, among?: readonly Schema<unknown>[]): Schema<T> {
  const json: Schema<T>['json'] = (spell) => (among ? { anyOf: among.map((each) => each.json(spell)) } : {});
  return schema((value, at) => pick(value).read(value, at), json);
}

/** Refuses every value; for a branch of `choose`. */
export function never(expected: string, problem?: string): Schema<never> {
  return schema<never>((value, at) => refuse(at, value, expected, problem));
}

/** The key is absent from the result when the data lacks it, which `isMissing` may say of more than undefined. */
export function optional<T>(inner: Schema<T>, isMissing = isUndefined): OptionalSchema<T> {
  const read: OptionalSchema<T>['read'] = (value, at) => (isMissing(value) ? undefined : inner.read(value, at));
  return { ...inner, read, required: false, optional: true };
}

const isUndefined = (value: unknown): boolean => value === undefined;

export function withDefault<T>(inner: Schema<T | undefined>, otherwise: NoInfer<T>): Schema<T> {
  const read: Schema<T>['read'] = (value, at) => {
    const fits = value === undefined && inner.required ? undefined : inner.read(value, at);
    return fits === undefined ? otherwise : fits;
  };
  return leftOut(schema(read, inner.json));
}

export function orNull<T>(inner: Schema<T | undefined>): Schema<T | null> {
  return withDefault<T | null>(inner, null);
}

function leftOut<T>(inner: Schema<T>): Schema<T> {
  return { ...inner, required: false };
}

/** Adds a description, for models and references. */
export function described<S extends Schema<unknown>>(inner: S, description: string): S {
  return noted(inner, { description });
}

/** Transforms the data before it is read. */
export function prepared<T>(prepare: (value: unknown) => unknown, inner: Schema<T>): Schema<T> {
  return { ...inner, read: (value, at) => inner.read(prepare(value), at) };
}

/** Transforms the value after it is read. */
export function mapped<T, U>(inner: Schema<T>, change: (value: T) => U): Schema<U> {
  const read: Schema<U>['read'] = (value, at) => {
    const fits = inner.read(value, at);
    return fits === wrong ? wrong : change(fits);
  };
  return { ...inner, read };
}

/** What a rule finds wrong; `at` is relative to the value. */
export interface Flaw {
  readonly expected: string;
  readonly at?: Path;
  /** The value itself unless something else is given. */
  readonly found?: unknown;
  readonly problem?: string;
}

/** Adds a rule, which sees only values that fit the inner schema. */
export function refine<T>(inner: Schema<T>, rule: (value: T) => Flaw | undefined): Schema<T> {
  const read: Schema<T>['read'] = (value, at) => {
    const fits = inner.read(value, at);
    const flaw = fits === wrong ? undefined : rule(fits);
    if (!flaw) return fits;
    const spot = (flaw.at ?? []).reduce(inside, at);
    return refuse(spot, 'found' in flaw ? flaw.found : value, flaw.expected, flaw.problem);
  };
  return { ...inner, read };
}

/** Says in the JSON Schema what a rule adds. */
export function noted<S extends Schema<unknown>>(inner: S, more: JsonSchema): S {
  return { ...inner, json: (spell): JsonSchema => ({ ...inner.json(spell), ...more }) };
}

export function matching(inner: Schema<string>, pattern: RegExp, expected: string): Schema<string> {
  const fits = refine(inner, (value) => (pattern.test(value) ? undefined : { expected }));
  return noted(fits, { pattern: pattern.source });
}
