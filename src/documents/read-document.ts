/** Reads a document with a schema; the mistakes become one error with file, line and expectation. */

import { nearest } from '../schema/nearest.ts';
import {
  check,
  nameOf,
  problemOf,
  type Mistake,
  type Path,
  type ReadingOptions,
  type Schema,
} from '../schema/schema.ts';
import { shown } from '../schema/values.ts';
import { DocumentError, placeName, sentence, type Where } from './document-error.ts';

/** The file, line and path of a value. */
export interface Location extends Where {
  readonly path: Path;
}

export type Locate = (path: Path) => Location;

/** `lineOf` returns the line of the key, else of the table around it, else null. */
export function inFile(file: string, lineOf: (path: Path) => number | null): Locate {
  return (path) => ({ file, line: lineOf(path), path });
}

/** Throws a DocumentError. */
export function readDocument<T>(schema: Schema<T>, value: unknown, locate: Locate, options: ReadingOptions = {}): T {
  const read = check(schema, value, options);
  if ('mistakes' in read) throw documentError(read.mistakes, locate);
  return read.value;
}

export function withoutLines(file: string): Locate {
  return inFile(file, () => null);
}

const mistakesMax = 12;

/** All mistakes at once, in the order of the lines. */
export function documentError(mistakes: readonly Mistake[], locate: Locate): DocumentError {
  const [first, ...others] = inWords(mistakes, locate);
  if (!first) throw new Error('internal error: a value was refused without a mistake');
  const more = others.slice(0, mistakesMax - 1).map(({ at, problem, expected }) => sentence(at, problem, expected));
  if (others.length >= mistakesMax) more.push(`and ${others.length - more.length} more`);
  return new DocumentError(first.at, first.problem, first.expected, { more });
}

/** An unknown key that is ignored, or another remark about a document. */
export interface DocumentWarning {
  readonly file: string;
  /** Begins with file and line. */
  readonly message: string;
}

export function documentWarnings(warnings: readonly Mistake[], locate: Locate): readonly DocumentWarning[] {
  return inWords(warnings, locate).map(({ at, known, problem, expected }) => {
    const words = known ? `${problem} is ignored; use ${expected}` : problem;
    return { file: at.file, message: `${placeName(at)}: ${words}` };
  });
}

function inWords(mistakes: readonly Mistake[], locate: Locate) {
  const located = mistakes.map((mistake) => {
    const at = locate(mistake.path);
    const { path } = at;
    const { known, expected, found } = mistake;
    if (known) return { at, known, problem: `unknown key "${nameOf(path)}"`, expected: meant(path, known) };
    const whole = `found ${found === undefined ? 'nothing' : shown(found)}`;
    const problem = mistake.problem ?? (path.length === 0 ? whole : problemOf({ ...mistake, path }, ''));
    return { at, known, problem, expected };
  });
  return located.toSorted((a, b) => (a.at.line ?? 0) - (b.at.line ?? 0));
}

function meant(path: Path, known: readonly string[]): string {
  const near = nearest(String(path.at(-1)), known);
  return near === undefined ? `one of ${known.join(', ')}` : `"${near}"`;
}
