/** Reads and validates every change of a repository, in one process. */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { unlessMissing } from '../src/disk/disk-error.ts';
import { changesFolder } from '../src/workflows/change/change-paths.ts';
import { validatePlan } from '../src/workflows/change/validate.ts';
import type { FileView } from '../src/workflows/workflow.ts';

export function validateAll(root: string): void {
  const files: FileView = {
    read: (path) => readText(`${root}/${path}`),
    exists: () => true,
    list: (folder) => {
      const paths: string[] = [];
      for (const name of readdirSync(`${root}/${folder}`)) paths.push(`${folder}/${name}`);
      return paths;
    },
  };
  for (const changeId of readdirSync(join(root, changesFolder))) {
    const { findings, fixes } = validatePlan(files, changeId);
    // A plan that cannot be read would be validated quickly.
    if (findings.length + fixes.length > 0) throw new Error(`${changeId}: ${JSON.stringify({ findings, fixes })}`);
  }
}

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** As `readFileSync`, without what it does for each call anew. */
function readText(path: string): string | undefined {
  const descriptor = unlessMissing(() => openSync(path, 'r'));
  if (descriptor === undefined) return undefined;
  const bytes = readSync(descriptor, buffer);
  closeSync(descriptor);
  if (bytes === buffer.length) throw new Error(`${path} is longer than expected`);
  return buffer.toString('utf8', 0, bytes);
}
