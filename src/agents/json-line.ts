import { isRecord } from '../schema/values.ts';
import { orElse, readText } from '../workspace/files.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A line of JSON that holds an object; undefined for everything else, noise and half lines included. */
export function jsonLine(text: string): Json | undefined {
  const line = text.trim();
  const value = line.startsWith('{') ? orElse(null, (): unknown => JSON.parse(line)) : null;
  return isRecord(value) ? value : undefined;
}

/** A field that is an object itself; empty where it is not. */
export function inner(value: unknown, ...path: readonly string[]): Json {
  let at = value;
  for (const key of path) at = isRecord(at) ? at[key] : undefined;
  return isRecord(at) ? at : {};
}

export function texts(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numbers(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A count or an amount of money: agents' own words, so it may be anything. */
export function count(value: unknown): number | null {
  const number = numbers(value);
  return number === null || number < 0 ? null : number;
}

/** As ISO time; null for what no calendar has. */
export function isoTime(ms: number): string | null {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export function items(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Null where none of them is a number. */
export function sum(...counts: readonly unknown[]): number | null {
  const known = counts.map(numbers).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

/** Claude Code keeps its whole history in them. */
const settingsBytesMax = 64 * 1024 ** 2;

/** A vendor's settings: JSON in which people may leave comments and last commas; empty where there is none to be read. */
export function readSettingsFile(file: string): Json {
  return orElse({}, () => {
    const text = (readText(file, undefined, settingsBytesMax) ?? '').replace(
      outsideQuotes,
      (_, quoted?: string) => quoted ?? '',
    );
    return inner(JSON.parse(text.replace(lastComma, (_, quoted?: string, end?: string) => quoted ?? end ?? '')));
  });
}

const outsideQuotes = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const lastComma = /("(?:\\.|[^"\\])*")|,(\s*[}\]])/g;
