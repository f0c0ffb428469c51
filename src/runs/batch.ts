/**
 * Works through runs until none can be begun.
 *
 * B1. Runs that were cut off come before new ones, and none is tried twice.
 * B2. The work of a finished run is taken over before the next one begins, so that others can build on it; also that of
 *     a run which finished when nobody was there to take it over.
 * B3. After an interruption, or when the budget is spent, nothing new begins; what is at work comes to its rest.
 * B4. Runs may file further ones without end, so their number is limited.
 */

export interface BatchWork {
  /** Runs of this batch that are done, and whose work was not taken over. */
  untaken(): Promise<readonly string[]>;
  /** Runs of this batch that were begun and are not over. */
  unfinished(): Promise<readonly string[]>;
  /** Runs that can be begun now, in order; those that ran before are not among them. */
  ready(): readonly string[];
  work(run: string, how: 'begin' | 'resume'): Promise<BatchEnd>;
  /** Makes the work of a finished run available to the next; why it could not, else null. */
  takeOver(run: string): Promise<string | null>;
  /** Why nothing more may begin; null while it may. */
  stopped(): BatchStop | null;
}

export type BatchStop = 'interrupted' | 'over_budget' | 'unavailable' | 'limit';

export interface BatchEnd {
  /** Whether the run is over, and did what it was to do. */
  readonly result: 'done' | 'failed' | 'stopped';
  readonly message: string;
}

export interface BatchEntry extends BatchEnd {
  readonly run: string;
  /** Why its work was not taken over. */
  readonly apart: string | null;
}

export interface BatchReport {
  readonly entries: readonly BatchEntry[];
  /** Why it ended while there was more to do; null when nothing is left. */
  readonly stopped: BatchStop | null;
}

export interface BatchLimits {
  /** How many work at the same time. */
  readonly jobs: number;
  readonly runs: number;
}

export async function workThrough(batch: BatchWork, { jobs, runs }: BatchLimits): Promise<BatchReport> {
  const entries: BatchEntry[] = [];
  const active = new Map<string, Promise<void>>();
  const tried = new Set<string>();
  let takingOver: Promise<unknown> = Promise.resolve();

  const one = async (run: string, how: 'begin' | 'resume'): Promise<void> => {
    const end = await batch.work(run, how);
    // One after the other: two at the same time would each miss what the other brings.
    const taken = takingOver.then(() => (end.result === 'done' ? batch.takeOver(run) : null));
    takingOver = taken;
    entries.push({ run, ...end, apart: await taken });
  };
  const next = async (): Promise<readonly [run: string, how: 'begin' | 'resume'] | null> => {
    const isNew = (run: string): boolean => !tried.has(run);
    const cutOff = (await batch.unfinished()).find(isNew);
    if (cutOff !== undefined) return [cutOff, 'resume'];
    const ready = batch.ready().find(isNew);
    return ready === undefined ? null : [ready, 'begin'];
  };

  // B2.
  for (const run of await batch.untaken())
    entries.push({ run, result: 'done', message: '', apart: await batch.takeOver(run) });
  // B4.
  const stopped = (): BatchStop | null => batch.stopped() ?? (tried.size < runs ? null : 'limit');
  for (;;) {
    const chosen = stopped() === null && active.size < jobs ? await next() : null;
    if (chosen) {
      const [run, how] = chosen;
      tried.add(run);
      const ending = one(run, how).finally(() => active.delete(run));
      active.set(run, ending);
      continue;
    }
    if (active.size === 0) break;
    await Promise.race(active.values());
  }
  const reason = stopped();
  const isSpent = reason === 'limit' || reason === 'over_budget';
  const isLeft = entries.some(({ result }) => result === 'stopped') || (await next()) !== null;
  return { entries, stopped: isSpent && !isLeft ? null : reason };
}
