/** What all readers of `status.json` use while they go through it. */

import { DocumentError } from '../../../documents/document-error.ts';
import { nameOf, type Path } from '../../../documents/settings-fields.ts';
import type { Json } from '../../../engine/snapshot.ts';
import type { JsonLines, JsonMap } from './json-lines.ts';
import type { Extra } from './status-shape.ts';

export interface StatusReading {
  readonly file: string;
  readonly lines: JsonLines;
  readonly repairs: string[];
}

export function wrong(reading: StatusReading, path: Path, value: Json | undefined, expected: string): DocumentError {
  const problem = value === undefined ? `${nameOf(path)} is missing` : `${nameOf(path)} is ${shown(value)}`;
  return new DocumentError({ file: reading.file, line: reading.lines.lineOf(path) }, problem, expected);
}

/** Texts as they are, numbers and yes-or-no as texts; undefined for what is empty or has parts. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Times begin with a date, however exact they are; undefined for anything else. */
export function timeOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim()) ? value.trim() : undefined;
}

export function extraOf(map: JsonMap, known: readonly string[]): Extra | undefined {
  const unknown = Object.entries(map).filter(([key]) => !known.includes(key));
  return unknown.length === 0 ? undefined : Object.fromEntries(unknown);
}

const shownCharsMax = 60;

export function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
