/** Where the runs of a repository keep their journals: in its git directory, shared by all its worktrees. */

import { join } from 'node:path';
import { foldOf, runStateVersion, type RunState } from '../runtime/run-state.ts';
import { readShortened } from '../store/journal.ts';

export function runsFolder(commonDir: string, workflow: string): string {
  return join(commonDir, 'pawl', workflow);
}

export function runFolder(commonDir: string, workflow: string, run: string): string {
  return join(runsFolder(commonDir, workflow), run);
}

export function stateIn(folder: string): RunState | undefined {
  const journal = readShortened<RunState>(folder, runStateVersion);
  return journal && foldOf(journal)?.state;
}
