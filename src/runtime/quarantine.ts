/** Keeps a copy of what somebody wrote before Pawl puts its own in that place. */

import { join } from 'node:path';
import { resolveInside } from '../workspace/paths.ts';
import type { Run } from './run.ts';

/** Where the copy is: in the run's folder, never over an earlier one. */
export function quarantine(run: Run, path: string, content: string | Buffer): string {
  for (let number = run.held.length; ; number += 1) {
    const file = resolveInside(join(run.folder, 'set-aside', String(number)), path, run.disk);
    if (run.disk.exists(file)) continue;
    run.keepFile(file, content);
    return file;
  }
}
