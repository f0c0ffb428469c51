/** Reads and validates every change of a repository, in one process. */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { changeFolder, changesFolder } from '../src/workflows/change/paths.ts';
import { validateChange, type ChangeDocuments } from '../src/workflows/change/validate.ts';

export function validateAll(root: string): void {
  for (const changeId of readdirSync(join(root, changesFolder))) {
    const folder = changeFolder(changeId);
    const { findings, fixes } = validateChange(documentsIn(`${root}/${folder}`), { changeId, folder });
    // A plan that cannot be read would be validated quickly.
    if (findings.length + fixes.length > 0) throw new Error(`${changeId}: ${JSON.stringify({ findings, fixes })}`);
  }
}

function documentsIn(folder: string): ChangeDocuments {
  const read = (path: string): string => readText(`${folder}/${path}`);
  const specs = readdirSync(`${folder}/specs`).map((name) => [`specs/${name}`, read(`specs/${name}`)] as const);
  return { proposal: read('proposal.md'), specs: new Map(specs), tasks: read('tasks.md') };
}

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** As `readFileSync`, without what it does for each call anew. */
function readText(path: string): string {
  const descriptor = openSync(path, 'r');
  const bytes = readSync(descriptor, buffer);
  closeSync(descriptor);
  if (bytes === buffer.length) throw new Error(`${path} is longer than expected`);
  return buffer.toString('utf8', 0, bytes);
}
