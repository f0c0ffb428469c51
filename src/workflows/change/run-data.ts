/** What signals left in a run's snapshot, typed again. Our own code wrote it, so what does not fit is a broken promise. */

import type { Json, Snapshot, WorkItem } from '../../engine/snapshot.ts';

type Data = Pick<Snapshot, 'data'>;

/** One local check, as `run_checks` left it. */
export interface CheckRun {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'not available';
  /** Whether its failure forbids an approval. */
  readonly required: boolean;
  /** Where its output is; null when it did not run. */
  readonly log: string | null;
}

export function checkRuns({ data }: Data): readonly CheckRun[] {
  const checks = data['checks'];
  if (checks === undefined || checks === null) return [];
  return items(recordOf(checks, 'checks')['results'] ?? [], 'checks.results').map((value, index) => {
    const check = recordOf(value, `checks.results[${index}]`);
    const { name, status, required, log } = check;
    if (typeof name !== 'string' || (status !== 'passed' && status !== 'failed' && status !== 'not available')) {
      throw broken(`checks.results[${index}]`);
    }
    return { name, status, required: required !== false, log: typeof log === 'string' ? log : null };
  });
}

/** Files the run changed in the work tree; null before anybody looked. */
export function changedFiles({ data }: Data): readonly string[] | null {
  const files = data['changedFiles'];
  return files === undefined || files === null ? null : textsOf(files, 'changedFiles');
}

/** What the person asked for. */
export function descriptionOf({ data }: Data): string | null {
  const { description } = data;
  return typeof description === 'string' && description.trim() !== '' ? description.trim() : null;
}

export type ReviewKey = 'codeReview' | 'mergeReview';

/** The last review of code or merge: what was said and how often there was one. */
export function lastReview({ data }: Data, key: ReviewKey): { readonly verdict: string; readonly iteration: number } | null {
  const review = data[key];
  if (review === undefined || review === null) return null;
  const { verdict, iteration } = recordOf(review, key);
  if (typeof verdict !== 'string' || typeof iteration !== 'number') throw broken(key);
  return { verdict, iteration };
}

/** The tasks of one group. */
export function itemTasks(item: WorkItem | undefined): readonly string[] {
  if (item?.data === undefined) return [];
  return textsOf(recordOf(item.data, `item ${item.id}`)['tasks'] ?? [], `item ${item.id}: tasks`);
}

function recordOf(value: Json, name: string): { readonly [key: string]: Json } {
  if (typeof value !== 'object' || value === null || isList(value)) throw broken(name);
  return value;
}

function items(value: Json, name: string): readonly Json[] {
  if (typeof value !== 'object' || value === null || !isList(value)) throw broken(name);
  return value;
}

function textsOf(value: Json, name: string): readonly string[] {
  return items(value, name).map((each) => {
    if (typeof each !== 'string') throw broken(name);
    return each;
  });
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function broken(name: string): Error {
  return new Error(`the run's data has a malformed "${name}"`);
}
