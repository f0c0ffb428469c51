/** Copies the journal of a finished run to where its workflow keeps it for good. */

import { readText, writeAtomically } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { Run } from './run.ts';

export function exportJournal(run: Run): void {
  const target = run.workflow.exportTo(run.view());
  if (target === null) return;
  const file = resolveInside(run.workspace, target, run.disk);
  const journal = run.held.text();
  if (readText(file, run.disk) === journal) return;
  writeAtomically(file, journal, {}, run.disk);
  run.wrote(target);
}
