/** What is at a path. */

import { lstatSync, rmSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { isMissing } from '../disk/disk-error.ts';

export { codeOf, isMissing } from '../disk/disk-error.ts';

/** The file, folder or symlink at a path; undefined when there is none. */
export function entryAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Takes away what a failed write left; that it failed is the error to report, not this. */
export function discard(path: string | Buffer): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder is gone or not ours: then there is nothing to take away.
  }
}
