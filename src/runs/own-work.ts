/** The work of a run that nobody has committed yet. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attribution } from '../runtime/undo.ts';
import { viewOf, type RunState } from '../runtime/run-state.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import { worktreeIn } from '../runtime/worktree-setup.ts';
import type { JournalRecord } from '../store/record.ts';
import type { WorkflowReader } from '../workflows/workflow.ts';
import { uncommittedIn } from '../workspace/landing-removal.ts';
import { WorkTree } from '../workspace/tree.ts';

export interface OwnWork {
  /** Files of the run that are not committed. */
  readonly uncommitted: readonly string[];
  /** Those among them that others changed too. */
  readonly shared: readonly string[];
}

export interface WorkPlace {
  readonly workflow: Pick<WorkflowReader, 'machine' | 'writers' | 'placeless' | 'inMain' | 'stateFile'>;
  readonly state: RunState;
  readonly workspace: string;
  readonly commonDir: string;
  readonly folder: string;
  readonly records: readonly JournalRecord[];
}

/** In a worktree of its own, everything but what was there before the first dispatch; else what the run itself wrote. */
export async function ownWork(place: WorkPlace): Promise<OwnWork> {
  const { state, workspace, commonDir, folder, records } = place;
  const none = { uncommitted: [], shared: [] };
  if (!existsSync(workspace)) return none;
  const lines = await uncommittedIn(workspace, []);
  if (lines.length === 0) return none;
  const tree = new WorkTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
  try {
    const { own, others, from } = await attribution(tree, records);
    const written = writtenPaths(place);
    const isWritten = (path: string): boolean =>
      own.has(path) || written.some((one) => path === one || path.startsWith(`${one}/`));
    const since =
      worktreeIn(state.input) === null || from === null ? [] : await tree.changed(from, await tree.snapshot());
    const later = new Set(since.map(({ path }) => path));
    const isTracked = (line: string): boolean => worktreeIn(state.input) !== null && !line.startsWith('??');
    const isOwn = (line: string): boolean => isTracked(line) || isWritten(line.slice(3)) || later.has(line.slice(3));
    // Where an index is behind its HEAD, a file is both deleted and unknown.
    const found = [...new Set(lines.filter(isOwn).map((line) => line.slice(3)))];
    return { uncommitted: found, shared: found.filter((path) => own.has(path) && others.has(path)) };
  } finally {
    tree.close();
  }
}

/** Files and folders that the runtime wrote for it: documents on record, and its own folder. */
function writtenPaths({ workflow, state, workspace, commonDir, records }: WorkPlace): readonly string[] {
  const writes = records.flatMap((record) => (record.type === 'moved' ? (record.writes ?? []) : []));
  const paths = writes.flatMap((write) => ('moveTo' in write ? [write.path, write.moveTo] : write.path));
  const view = viewOf(state, workspaceFiles(rootsOf(workflow, workspace, commonDir)));
  return [...new Set([...paths, dirname(workflow.stateFile(state.run).path(view))])];
}
