/** Whether a checkout is in use by another run. */

import { join, resolve } from 'node:path';
import { hasWritten } from '../runtime/run-note.ts';
import { readRunState } from '../runtime/run-state.ts';
import { sharedTreeFile } from '../runtime/tree-changes.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { writeAtomically } from '../workspace/files.ts';
import { occupantsOf } from './catalog.ts';
import type { Job } from './open-run.ts';
import { notReady, type Refusal } from './refusal.ts';

/**
 * Two runs at work in one tree would each be judged by what the other did. A run that only reads so far may begin and go
 * on beside one that writes, or that is at work, only when a person says so; a run that wrote already is not held up.
 */
export async function treeTaken({ repository, workflow, run, intent, choices, caller }: Job): Promise<Refusal | null> {
  const { store, root, commonDir } = repository;
  const begins = intent.kind === 'command' ? intent.begins : undefined;
  if (begins === 'in-worktree' || (intent.kind === 'command' && intent.preview)) return null;
  const key = { workflow: workflow.name, run };
  const state = store.has(key) ? readRunState(store, key) : undefined;
  if (state && (hasWritten(workflow, state) || state.choice.shareTree)) return null;
  const files = workspaceFiles(root, caller.host.disk);
  if (!state && begins === 'anywhere' && workflow.settings(files).ownWorktree) return null;
  const workspace = state ? resolve(commonDir, state.workspace) : root;
  const all = await occupantsOf(repository, workspace);
  const others = all.filter((each) => each.run !== run || each.workflow !== key.workflow);
  if (choices.shareTree) {
    // So that they, too, tell their own work from that of others.
    for (const each of others) writeAtomically(join(store.folder(each), sharedTreeFile), '', {}, caller.host.disk);
    return null;
  }
  const other = others.at(0);
  if (!other) return null;
  const name = `${other.workflow}/${other.run}`;
  // Where a run has no name yet, or one that is looked for, the command itself knows the place.
  const mayMove = intent.kind === 'command' && typeof intent.run === 'string';
  const instead = mayMove ? 'begin this run with --worktree, or ' : 'or ';
  const message = `${name} is not finished and works in this checkout; finish or abandon it, ${instead}share the checkout with --share-tree`;
  return notReady(
    'TreeTaken',
    message,
    `run the same command with ${mayMove && !state ? '--worktree' : '--share-tree'}`,
  );
}
