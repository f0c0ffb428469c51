/**
 * The one way outside data is read: a schema says what is expected, returns what fits and collects every mistake.
 *
 * C1. A schema that refuses a value adds at least one mistake and returns `wrong`; nothing is thrown.
 * C2. Mistakes are in the order of the schema: the keys of a table, then its unknown keys, then its rules.
 */

import { shown } from './values.ts';

/** Keys from the top of the value; a number is an index of a list. */
export type Path = readonly (string | number)[];

/** One thing that is wrong. The words around it depend on who reads them. */
export interface Mistake {
  readonly path: Path;
  /** Undefined where something is missing. */
  readonly found: unknown;
  readonly expected: string;
  /** Instead of "<path> is <found>". */
  readonly problem?: string;
  /** For an unknown key: those that are known beside it. */
  readonly known?: readonly string[];
}

/** One pass over a value. */
export interface Reading {
  readonly mistakes: Mistake[];
  /** Unknown keys that are ignored, and values that were corrected. */
  readonly warnings: Mistake[];
  readonly unknownKeys: 'mistake' | 'warning' | 'ignored';
  /** How the data spells a key that the schema spells in camel case. */
  readonly spell: (key: string) => string;
}

/** A place in the value that is read. Its path is built only for a mistake: nearly all values are right. */
export class Spot {
  readonly reading: Reading;
  readonly #above: Spot | null;
  readonly #key: string | number;

  constructor(reading: Reading, above: Spot | null = null, key: string | number = '') {
    this.reading = reading;
    this.#above = above;
    this.#key = key;
  }

  get path(): Path {
    return this.#above === null ? [] : [...this.#above.path, this.#key];
  }
}

export const wrong = Symbol('wrong');
export type Wrong = typeof wrong;

export type JsonSchema = { readonly [key: string]: JsonSchemaValue };
type JsonSchemaValue = null | boolean | number | string | readonly JsonSchemaValue[] | JsonSchema;

export interface Schema<T> {
  readonly read: (value: unknown, at: Spot) => T | Wrong;
  /** JSON Schema, for models and editors. */
  readonly json: (spell?: Reading['spell']) => JsonSchema;
  /** Whether a table must have the key. */
  readonly required: boolean;
  /** Of a table with known keys. */
  readonly fields?: Readonly<Record<string, Schema<unknown>>>;
}

/** The schema of a key that is absent from the result when the data lacks it. */
export interface OptionalSchema<T> extends Schema<T | undefined> {
  readonly optional: true;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

export type Checked<T> =
  | { readonly value: T; readonly warnings: readonly Mistake[] }
  | { readonly mistakes: readonly Mistake[]; readonly warnings: readonly Mistake[] };

export type ReadingOptions = Partial<Pick<Reading, 'unknownKeys' | 'spell'>>;

export function check<T>(schema: Schema<T>, data: unknown, options: ReadingOptions = {}): Checked<T> {
  const { unknownKeys = 'mistake', spell = asInSchema } = options;
  const reading: Reading = { mistakes: [], warnings: [], unknownKeys, spell };
  const value = schema.read(data, new Spot(reading));
  const { mistakes, warnings } = reading;
  return value === wrong || mistakes.length > 0 ? { mistakes, warnings } : { value, warnings };
}

const asInSchema: Reading['spell'] = (key) => key;

export function schema<T>(read: Schema<T>['read'], json: Schema<T>['json'] = () => ({})): Schema<T> {
  return { read, json, required: true };
}

/** A value without parts: `parse` returns undefined for what does not fit. */
export function leaf<T>(expected: string, parse: (value: unknown) => T | undefined, json: JsonSchema = {}): Schema<T> {
  return schema(
    (value, at) => {
      const parsed = parse(value);
      return parsed === undefined ? refuse(at, value, expected) : parsed;
    },
    () => json,
  );
}

export function inside(at: Spot, key: string | number): Spot {
  return new Spot(at.reading, at, key);
}

/** C1. */
export function refuse({ path, reading }: Spot, found: unknown, expected: string, problem?: string): Wrong {
  reading.mistakes.push({ path, found, expected, ...(problem !== undefined && { problem }) });
  return wrong;
}

/** C1 for a reader that goes on after a mistake. */
export function unlessRefused<T>({ reading }: Spot, read: () => T): T | Wrong {
  const before = reading.mistakes.length;
  const value = read();
  return reading.mistakes.length > before ? wrong : value;
}

/** Reports a correction in one sentence. */
export function warn({ path, reading }: Spot, problem: string): void {
  reading.warnings.push({ path, found: undefined, expected: '', problem });
}

export function nameOf(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

/** `top` names the value as a whole. */
export function problemOf({ path, found, problem }: Mistake, top: string): string {
  if (problem !== undefined) return problem;
  return `${nameOf(path) || top} is ${shown(found)}`;
}

/** A value of no kind, so that every schema says what it expects. */
const misfit = Symbol('misfit');

/** What a schema expects, in its own words; empty where anything fits. */
export function expectationOf(inner: Schema<unknown>): string {
  const read = check(inner, misfit);
  return 'mistakes' in read ? (read.mistakes[0]?.expected ?? '') : '';
}

export function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
