import { isRecord } from '../schema/values.ts';

/** A line of JSON that holds an object; undefined for everything else, noise and half lines included. */
export function jsonLine(text: string): Readonly<Record<string, unknown>> | undefined {
  const line = text.trim();
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A field that is an object itself; empty where it is not. */
export function inner(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
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

export function items(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
