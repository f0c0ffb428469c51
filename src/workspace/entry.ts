/** What is at a path, which variables are set, and work whose failure has an answer. */

import { lstatSync, type Stats } from 'node:fs';
import { isMissing } from '../disk/disk-error.ts';

/** The file, folder or symlink at a path; undefined when there is none. */
export function entryAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** What `act` gives, or the other value where it throws. */
export function withFallback<T, U>(otherwise: U, act: () => T): T | U {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

/** Those of this process's variables that are set. */
export function ownVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
