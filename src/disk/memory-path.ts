/** Paths of a disk in memory, and the errors it answers with. */

import { normalize } from 'node:path';

export function isBelow(path: string, folder: string): boolean {
  return normalize(path).startsWith(`${normalize(folder)}/`);
}

const parted = new Map<string, readonly string[]>();
const partedMax = 10_000;

/** Remembered, because the same few paths are asked for again and again. */
export function partsOf(path: string): readonly string[] {
  const known = parted.get(path);
  if (known) return known;
  const parts = normalize(path).split('/').filter(Boolean);
  if (parted.size >= partedMax) parted.clear();
  parted.set(path, parts);
  return parts;
}

export function failure(code: string, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path });
}
