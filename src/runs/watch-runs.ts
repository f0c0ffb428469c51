/**
 * All runs at once, again whenever one of them changes.
 *
 * W1. Journals are not polled: the store tells of changes. Runs are listed again from time to time only because nobody
 *     tells of a process that was killed, or of a file that a person edited.
 * W2. Listing takes a small share of the time, however many runs there are.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { RunKey } from '../store/run-store.ts';
import { listRuns } from './catalog.ts';
import { overviewOf, type Overview } from './overview.ts';
import type { RunRepository } from './work-order.ts';

/** Several records follow each other: one look for all of them. */
const settleMs = 100;
const whileWorkingMs = 2_000;
const atRestMs = 30_000;
/** W2. */
const share = 10;
const watchedMax = 200;

export async function* watchRuns(repository: RunRepository, signal: AbortSignal): AsyncGenerator<Overview> {
  let watched: readonly RunKey[] = [];
  let changed = new AbortController();
  let stop = (): void => {};
  try {
    while (!signal.aborted) {
      changed = new AbortController();
      stop();
      stop = repository.store.watch(watched, () => changed.abort());
      const beganMs = performance.now();
      const { keys, overview } = await look(repository);
      const listingMs = performance.now() - beganMs;
      const isNew = JSON.stringify(keys) !== JSON.stringify(watched);
      watched = keys;
      // It may have changed before it was watched.
      if (isNew) continue;
      yield overview;
      const pauseMs = Math.max(settleMs, listingMs * share);
      const againMs = overview.working.length > 0 ? whileWorkingMs : atRestMs;
      await sleep(Math.max(pauseMs, againMs), AbortSignal.any([signal, changed.signal]));
      await sleep(pauseMs, signal);
    }
  } finally {
    stop();
  }
}

/** An aborted signal ends it. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

async function look(repository: RunRepository) {
  const runs = await listRuns(repository);
  const open = runs.filter(({ finished, journal }) => !finished && journal).slice(0, watchedMax);
  return { keys: open.map(({ workflow, run }) => ({ workflow, run })), overview: overviewOf(runs) };
}
