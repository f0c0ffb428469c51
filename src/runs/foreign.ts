/** Runs that have files in the work tree and no journal of their own in this repository. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJournalFile } from '../store/journal.ts';
import type { JournalRecord } from '../store/record.ts';
import type { ForeignRun, WorkflowSurface } from '../workflows/surface.ts';
import { isMissing } from '../disk/disk-error.ts';
import { FileProblem } from '../workspace/files.ts';
import type { RunRepository } from './run-repository.ts';

/** `known` are the runs with a journal; of an archived one and one in work that have the same name, the latter counts. */
export function foreignRuns(
  repository: Pick<RunRepository, 'root'>,
  surface: WorkflowSurface,
  known: ReadonlySet<string>,
): readonly ForeignRun[] {
  const found = foreignIn(repository, surface, known);
  const inWork = new Set(found.filter(({ archived }) => !archived).map(({ run }) => run));
  return found.filter(({ run, archived }) => !archived || !inWork.has(run));
}

/** Those that are filed away, whether or not their journals are here. */
export function archivedRuns(repository: Pick<RunRepository, 'root'>, surface: WorkflowSurface): readonly ForeignRun[] {
  return foreignIn(repository, surface, new Set()).filter(({ archived }) => archived);
}

/** One that has its journal with it. */
export function exportedRun(
  repository: Pick<RunRepository, 'root'>,
  surface: WorkflowSurface,
  name: string,
): ForeignRun | undefined {
  const named = foreignIn(repository, surface, new Set()).filter(({ run }) => run === name);
  return named.find(({ journal }) => journal !== undefined && existsSync(join(repository.root, journal)));
}

/** The records of a journal that was exported with the documents of the run; undefined when there is none. */
export function exportedRecords(root: string, { journal }: ForeignRun): readonly JournalRecord[] | undefined {
  return journal === undefined ? undefined : readJournalFile(join(root, journal));
}

function foreignIn(
  { root }: Pick<RunRepository, 'root'>,
  surface: WorkflowSurface,
  known: ReadonlySet<string>,
): readonly ForeignRun[] {
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
