/** Reads and validates every change of a repository, in one process. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFiles } from '../src/runtime/workspace-files.ts';
import { changesFolder } from '../src/workflows/change/paths.ts';
import { validatePlan } from '../src/workflows/change/plan-findings.ts';

export function validateAll(root: string): void {
  const files = workspaceFiles(root);
  for (const id of readdirSync(join(root, changesFolder))) {
    const { findings, fixes } = validatePlan(files, id);
    // A plan that cannot be read would be validated quickly.
    if (findings.length + fixes.length > 0)
      throw new Error(`${id} is not valid: ${JSON.stringify({ findings, fixes })}`);
  }
}
