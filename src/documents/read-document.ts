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
  const [first, ...others] = inOrder(mistakes, locate).map(([place, mistake]) => ({
    place,
    ...inWords(mistake, place),
  }));
  if (!first) throw new Error('a value was refused without a mistake');
  const more = others
    .slice(0, mistakesMax - 1)
    .map(({ place, problem, expected }) => sentence(place, problem, expected));
  if (others.length >= mistakesMax) more.push(`and ${others.length - more.length} more`);
  return new DocumentError(first.place, first.problem, first.expected, { more });
}

/** An unknown key that is ignored, or another remark about a document. */
export interface DocumentWarning {
  readonly file: string;
  /** Begins with file and line. */
  readonly message: string;
}

export function documentWarnings(warnings: readonly Mistake[], locate: Locate): readonly DocumentWarning[] {
  return inOrder(warnings, locate).map(([place, warning]) => {
    const { problem, expected } = inWords(warning, place);
    const words = warning.known ? `${problem} is ignored; ${expected}` : problem;
    return { file: place.file, message: `${placeName(place)}: ${words}` };
  });
}

function inOrder(mistakes: readonly Mistake[], locate: Locate): (readonly [Location, Mistake])[] {
  return mistakes
    .map((mistake) => [locate(mistake.path), mistake] as const)
    .toSorted(([a], [b]) => (a.line ?? 0) - (b.line ?? 0));
}

function inWords(mistake: Mistake, { path }: Location): { readonly problem: string; readonly expected: string } {
  const { known, expected, found } = mistake;
  if (known) return { problem: `unknown key "${nameOf(path)}"`, expected: meant(path, known) };
  const whole = `found ${found === undefined ? 'nothing' : shown(found)}`;
  const problem = mistake.problem ?? (path.length === 0 ? whole : problemOf({ ...mistake, path }, ''));
  return { problem, expected };
}

function meant(path: Path, known: readonly string[]): string {
  const near = nearest(String(path.at(-1)), known);
  return near === undefined ? `known here: ${known.join(', ')}` : `did you mean "${near}"?`;
}
