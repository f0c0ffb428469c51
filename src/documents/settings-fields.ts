/** Reads the values of a file of settings: each wrong one is an error at its line, each unknown key a warning or an error. */

import { DocumentError } from './document-error.ts';
import { isRecord } from './fields.ts';
import { nearest } from './nearest.ts';

/** A file of settings while it is read. */
export interface Source {
  readonly file: string;
  /** The line of a key, else of what it stands in; null where neither can be found. */
  lineOf(path: Path): number | null;
  /** What unknown keys come to; without it they are errors. */
  readonly warnings?: string[];
}

/** Keys from the top of the file; a number is a place in an array of tables. */
export type Path = readonly (string | number)[];

export type Field<T> = (value: unknown, path: Path, source: Source) => T;

/** Reads one key of a table; a missing one reaches its field as `undefined`. */
export type Get = <T>(key: string, field: Field<T>) => T;

/** Hands out the keys of a table one by one; those nobody asks for are unknown. */
export function readTable<T>(
  table: unknown,
  { path, source }: { readonly path: Path; readonly source: Source },
  read: (get: Get) => T,
): T {
  if (table !== undefined && !isRecord(table)) throw wrong(table, 'a table', path, source);
  const given = table ?? {};
  const known: string[] = [];
  const values = read((key, field) => {
    known.push(key);
    return field(given[key], [...path, key], source);
  });
  warnOfUnknown(Object.keys(given), known, { path, source });
  return values;
}

export function warnOfUnknown(
  keys: readonly string[],
  known: readonly string[],
  { path, source }: { readonly path: Path; readonly source: Source },
): void {
  for (const key of keys) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const meant = near === undefined ? `known here: ${known.join(', ')}` : `did you mean "${near}"?`;
    const line = source.lineOf([...path, key]);
    const name = nameOf([...path, key]);
    if (!source.warnings) throw new DocumentError({ file: source.file, line }, `unknown key "${name}"`, meant);
    const place = line === null ? source.file : `${source.file}:${line}`;
    source.warnings.push(`${place}: unknown key "${name}" is ignored; ${meant}`);
  }
}

export function whole(otherwise: number, { min, max }: { readonly min: number; readonly max: number }): Field<number> {
  return (value = otherwise, path, source) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw wrong(value, `a whole number from ${min} to ${max}`, path, source);
  };
}

/** `otherwise` is a number, or null where "not said" means something. */
export function amount<D extends number | null>(otherwise: D, max: number): Field<number | D> {
  return (value, path, source) => {
    if (value === undefined) return otherwise;
    if (typeof value === 'number' && value >= 0 && value <= max) return value;
    throw wrong(value, `a number from 0 to ${max}`, path, source);
  };
}

/** Fractions are welcome, zero is not: nothing can be done in no time. */
export function duration(otherwise: number, max: number): Field<number> {
  return (value = otherwise, path, source) => {
    if (typeof value === 'number' && value > 0 && value <= max) return value;
    throw wrong(value, `a number above 0, at most ${max}`, path, source);
  };
}

export function flag(otherwise: boolean): Field<boolean> {
  return (value = otherwise, path, source) => {
    if (typeof value === 'boolean') return value;
    throw wrong(value, 'true or false', path, source);
  };
}

export function name(otherwise?: string): Field<string> {
  return (value = otherwise, path, source) => {
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    throw wrong(value, 'a text that is not empty', path, source);
  };
}

export function oneOf<const W extends string>(words: readonly W[], otherwise?: W): Field<W> {
  return (value = otherwise, path, source) => {
    const word = words.find((each) => each === value);
    if (word !== undefined) return word;
    throw wrong(value, `one of ${words.map((each) => `"${each}"`).join(', ')}`, path, source);
  };
}

export function oneOfOrNull<const W extends string>(words: readonly W[]): Field<W | null> {
  return (value, path, source) => (value === undefined ? null : oneOf(words)(value, path, source));
}

/** A list of names. */
export const names: Field<readonly string[]> = (value = [], path, source) => {
  if (Array.isArray(value) && value.every((word) => typeof word === 'string' && /^[\w.-]{1,64}$/.test(word)))
    return value.map(String);
  throw wrong(value, 'a list of names such as ["github"]', path, source);
};

/** A program and its arguments: a list, or one text that is split at spaces. */
export const command: Field<readonly string[] | null> = (value, path, source) => {
  if (value === undefined) return null;
  const words: unknown = typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : value;
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string') && words[0] !== '') {
    return words;
  }
  throw wrong(value, 'a command: a list such as ["npm", "test"], or a text that is split at spaces', path, source);
};

/** As `command`; `false` switches it off. */
export const commandOrOff: Field<readonly string[] | false | null> = (value, path, source) => {
  if (value === false) return false;
  if (value === true) throw wrong(value, 'a command such as ["npm", "test"], or false to switch it off', path, source);
  return command(value, path, source);
};

/** Files inside the project, each by its relative path. */
export const paths: Field<readonly string[]> = (value = [], path, source) => {
  if (Array.isArray(value) && value.every(isInnerPath)) return value;
  throw wrong(
    value,
    'a list of files inside the repository such as [".env"], without "..", "." or ".git"',
    path,
    source,
  );
};

function isInnerPath(value: unknown): value is string {
  // eslint-disable-next-line no-control-regex -- finding control characters is the point
  if (typeof value !== 'string' || /[\u0000-\u001f\u007f]/.test(value)) return false;
  return value.split('/').every((segment) => !['', '.', '..', '.git'].includes(segment));
}

export function tables<T>(read: (get: Get) => T): Field<readonly T[]> {
  return (value = [], path, source) => {
    if (!Array.isArray(value)) throw wrong(value, `a list of tables, each under [[${nameOf(path)}]]`, path, source);
    return value.map((table: unknown, index) => readTable(table, { path: [...path, index], source }, read));
  };
}

export function wrong(value: unknown, expected: string, path: Path, source: Source): DocumentError {
  const problem = value === undefined ? `${nameOf(path)} is missing` : `${nameOf(path)} is ${shown(value)}`;
  return new DocumentError({ file: source.file, line: source.lineOf(path) }, problem, expected);
}

export function nameOf(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

const shownCharsMax = 60;

function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
