/** The documents of a run: what Pawl wrote for it, what its gates are about, and what lies in its own folder. */

import { dirname, resolve } from 'node:path';
import { readRunState, replay, viewOf } from '../runtime/run-state.ts';
import { documentsOnRecord, approvable } from '../runtime/texts-on-record.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import { orElse } from '../disk/disk-error.ts';
import { didYouMean } from '../schema/nearest.ts';
import { recordsOf, type FoundRun } from './find.ts';
import { orRefusal, refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

export interface RunDocuments {
  /** Relative to the run's workspace. */
  readonly paths: readonly string[];
  /** Of one of them; as the journal has it where the file is gone. */
  text(path: string): string | Refusal;
}

const documentsMax = 500;

export function runDocuments(repository: RunRepository, found: FoundRun): Promise<RunDocuments | Refusal> {
  return orRefusal(async () => {
    const { root, commonDir, store } = repository;
    const workflow = await repository.workflows.load(found.workflow);
    const records = recordsOf(repository, found);
    const state = found.foreign ? replay(records) : readRunState(store, found);
    const workspace = found.foreign || !state ? root : resolve(commonDir, state.workspace);
    const files = workspaceFiles(rootsOf(workflow, workspace, commonDir));
    const onRecord = documentsOnRecord(records);
    const statePath = state ? workflow.stateFile(state.run).path(viewOf(state, files)) : (found.foreign?.path ?? '');
    const run = state?.run ?? found.run;
    const ownFolder = dirname(statePath).split('/').includes(run) ? [`${dirname(statePath)}/`] : [];
    const approved = approvable(workflow.machine).flatMap((name) => workflow.documentsOf?.(name, run) ?? []);
    const there = [statePath, ...ownFolder, ...approved].flatMap((place) =>
      place.endsWith('/') ? orElse([], () => files.list(place.slice(0, -1))) : files.exists(place) ? [place] : [],
    );
    const paths = [...new Set([...onRecord.keys(), ...there])].toSorted().slice(0, documentsMax);
    const text = (path: string): string | Refusal => {
      // Nothing but what is listed is read, so that no path leads elsewhere.
      const content = paths.includes(path) ? (files.read(path) ?? onRecord.get(path)) : undefined;
      const message = `${found.run} has no document "${path}"${didYouMean(path, paths)}`;
      return content ?? refusal('DocumentNotFound', message, { fix: 'list its documents, then name one of them' });
    };
    return { paths, text };
  });
}
