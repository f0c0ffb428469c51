/** Keeps a copy of what somebody wrote before Pawl puts its own in that place. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { Run } from './run.ts';

/** Where the copy is: in the run's folder, never over an earlier one. */
export function setAside(run: Run, path: string, text: string): string {
  for (let number = run.held.length; ; number += 1) {
    const file = resolveInside(join(run.folder, 'set-aside', String(number)), path);
    if (existsSync(file)) continue;
    writeAtomically(file, text);
    return file;
  }
}
