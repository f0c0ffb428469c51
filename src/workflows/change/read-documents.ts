/** The documents of a change as values. */

import { readProposal, type Proposal } from '../../documents/proposal.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { readTasks, type TaskList } from '../../documents/tasks.ts';
import type { FileView, RunView } from '../workflow.ts';
import { orderSpecs } from './order.ts';
import * as paths from './paths.ts';

type Change = Pick<RunView, 'files' | 'run'>;

/** Undefined without the file. Throws a DocumentError where it cannot be read. */
export function proposalIn({ files, run }: Change): Proposal | undefined {
  const path = paths.proposalPath(run);
  const text = files.read(path);
  return text === undefined ? undefined : readProposal(text, path);
}

/** Undefined without the file. Throws a DocumentError where it cannot be read. */
export function tasksIn({ files, run }: Change): TaskList | undefined {
  const file = paths.tasksPath(run);
  const text = files.read(file);
  return text === undefined ? undefined : readTasks(text, { file, changeId: run });
}

export function specAt(files: FileView, path: string): Spec | undefined {
  const text = files.read(path);
  return text === undefined ? undefined : readSpec(text, path);
}

/** The specs of a folder, by their ids; changelogs and notes beside them are none. */
export function specsIn(files: FileView, folder: string): { readonly id: string; readonly path: string }[] {
  return files.list(folder).flatMap((path) => {
    const id = paths.specIdOf(path, folder);
    return id === undefined ? [] : [{ id, path }];
  });
}

/** The change's specs, each after those it depends on; empty when its proposal names no sound order. */
export function specOrder(change: Change): readonly string[] {
  const ordered = orderSpecs(proposalIn(change)?.affectedSpecs ?? []);
  return 'ok' in ordered ? ordered.ok : [];
}
