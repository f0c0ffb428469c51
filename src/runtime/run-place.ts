/** Where a run is, how it begins, and what a transition of it brings along. */

import { join } from 'node:path';
import type { Json, Snapshot } from '../engine/snapshot.ts';
import type { Entry, RecordedText } from '../store/record.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Workflow, Write } from '../workflows/workflow.ts';
import type { RunState } from './run-state.ts';

export interface RunPlace {
  readonly workflow: Workflow;
  readonly run: string;
  readonly store: RunStore<RunState>;
  /** The workspace for a run that does not exist yet; an existing one knows its own. */
  readonly workspace: string;
  readonly commonDir: string;
}

export type MoveRecord = Pick<Extract<Entry, { type: 'moved' }>, 'by' | 'dispatch' | 'about' | 'choice' | 'config'> & {
  readonly writes?: readonly Write[];
};

export interface RunBeginning {
  readonly input: Readonly<Record<string, Json>>;
  readonly snapshot?: Snapshot;
  readonly texts?: readonly RecordedText[];
  readonly limits: Readonly<Record<string, number>>;
}

/** Where the files of a dispatch are: prompt, output, events, patches. */
export function dispatchFolderIn(runFolder: string, dispatch: string): string {
  return join(runFolder, 'dispatches', dispatch.slice(dispatch.lastIndexOf('#') + 1));
}
