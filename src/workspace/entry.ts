/** What is at a path, and what an error of the file system means. */

import { lstatSync, rmSync } from 'node:fs';
import type { Stats } from 'node:fs';

/** The file, folder or symlink at a path; undefined when there is none. */
export function entryAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The code of an error, or a word for those that have none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** Takes away what a failed write left; that it failed is the error to report, not this. */
export function discard(path: string | Buffer): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder is gone or not ours: then there is nothing to take away.
  }
}
