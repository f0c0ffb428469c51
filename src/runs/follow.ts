/** The records of a run: those there are, and those that are added. */

import type { JournalRecord } from '../store/record.ts';
import type { FoundRun } from './find.ts';
import { exportedRecords } from './foreign.ts';
import type { RunRepository } from './run-repository.ts';

export function recordsOf({ store, root }: RunRepository, found: FoundRun): readonly JournalRecord[] {
  return (found.foreign ? exportedRecords(root, found.foreign) : store.records(found)) ?? [];
}

/** Every record once, as it comes, until `signal` aborts. Nothing is added to a journal that was exported. */
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
