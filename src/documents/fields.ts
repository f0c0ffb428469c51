import { DocumentError, type Where } from './document-error.ts';

/** Where a map of fields stands. With `text`, errors name the line of the field itself. */
export interface Place extends Where {
  readonly text?: string;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asRecord(value: unknown, where: Where): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new DocumentError(where, `found ${show(value)}`, 'a map of keys and values');
}

export function stringField(record: Record<string, unknown>, key: string, place: Place): string {
  const value = record[key];
  if (typeof value === 'string') return value;
  throw fieldError(key, value, 'a string', place);
}

/** Reads any case, `-` and space for `_`; returns the word as the list spells it. */
export function wordField<W extends string>(
  record: Record<string, unknown>,
  key: string,
  words: readonly W[],
  place: Place,
): W {
  const word = findWord(record[key], words);
  if (word !== undefined) return word;
  throw fieldError(key, record[key], `one of ${words.join(', ')}`, place);
}

export function findWord<W extends string>(value: unknown, words: readonly W[]): W | undefined {
  if (typeof value !== 'string') return undefined;
  const asSpelled = words.find((word) => word === value);
  if (asSpelled !== undefined) return asSpelled;
  const folded = fold(value);
  return words.find((word) => fold(word) === folded);
}

function fold(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

export function fieldError(key: string, value: unknown, expected: string, place: Place): DocumentError {
  const problem = value === undefined ? `${key} is missing` : `${key} is ${show(value)}`;
  return new DocumentError({ file: place.file, line: keyLine(place, key) }, problem, expected);
}

/** The line of a top-level key where the text is known, else the line of the map. */
export function keyLine(place: Place, key: string): number | null {
  if (place.text === undefined) return place.line;
  const index = place.text.split('\n').findIndex((line) => line.startsWith(`${key}:`) || line.startsWith(`"${key}":`));
  return index === -1 ? place.line : (place.line ?? 1) + index;
}

const shownCharsMax = 80;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
