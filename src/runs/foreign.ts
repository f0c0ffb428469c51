/** Runs that have files in the work tree and no journal of their own in this repository; and the records of any run. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJournalFile } from '../store/journal.ts';
import type { JournalRecord } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import type { ForeignRun, WorkflowSurface } from '../workflows/surface.ts';
import { isMissing } from '../disk/disk-error.ts';
import { FileProblem } from '../workspace/files.ts';
import type { RunRepository } from './run-repository.ts';

export interface FoundRun extends RunKey {
  /** Set where its files in the work tree are all there is. */
  readonly foreign?: ForeignRun;
}

/** `known` are the runs with a journal; of an archived run and an active one with the same name, the latter counts. */
export function foreignRuns(
  repository: RunRepository,
  surface: WorkflowSurface,
  known: ReadonlySet<string>,
): readonly ForeignRun[] {
  const found = foreignIn(repository, surface, known);
  const active = new Set(found.filter(({ archived }) => !archived).map(({ run }) => run));
  return found.filter(({ run, archived }) => !archived || !active.has(run));
}

/** With or without a journal here. */
export function archivedRuns(repository: RunRepository, surface: WorkflowSurface): readonly ForeignRun[] {
  return foreignIn(repository, surface, new Set()).filter(({ archived }) => archived);
}

/** A run that has its journal with it. */
export function exportedRun(repository: RunRepository, surface: WorkflowSurface, name: string): ForeignRun | undefined {
  const named = foreignIn(repository, surface, new Set()).filter(({ run }) => run === name);
  return named.find(({ journal }) => journal !== undefined && existsSync(join(repository.root, journal)));
}

function foreignIn({ root }: RunRepository, surface: WorkflowSurface, known: ReadonlySet<string>) {
  return surface.foreignRuns?.((folder) => namesIn(join(root, folder)), known) ?? [];
}

/** None when there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new FileProblem('list', folder, error);
  }
}

export function recordsOf({ store, root }: RunRepository, found: FoundRun): readonly JournalRecord[] {
  if (!found.foreign) return store.records(found) ?? [];
  const { journal } = found.foreign;
  return (journal === undefined ? undefined : readJournalFile(join(root, journal))) ?? [];
}

/** Every record once, as it comes, until `signal` aborts. Nothing is added to an exported journal. */
export async function* follow(
  repository: RunRepository,
  found: FoundRun,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord> {
  if (!found.foreign) {
    yield* repository.store.follow(found, { after: 0, signal });
    return;
  }
  yield* recordsOf(repository, found);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
