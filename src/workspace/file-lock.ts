/** A lock between short pieces of work of several processes: a file that one of them can create. */

import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';

const pauseMs = 20;
/** Whoever holds it longer is dead: the work takes milliseconds. */
const staleMs = 30_000;

export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  while (!isTaken(file)) {
    const since = orElse(Date.now(), () => statSync(file).mtimeMs);
    if (Date.now() - since > staleMs) rmSync(file, { force: true });
    await new Promise((wake) => setTimeout(wake, pauseMs));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function isTaken(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
