/** What signals left in a run's snapshot, typed again. Our own code wrote it, so what does not fit is a broken promise. */

import type { Json, Snapshot, WorkItem } from '../../engine/snapshot.ts';
import type { RunView } from '../workflow.ts';

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
export function lastReview(
  { data }: Data,
  key: ReviewKey,
): { readonly verdict: string; readonly iteration: number } | null {
  const review = data[key];
  if (review === undefined || review === null) return null;
  const { verdict, iteration } = recordOf(review, key);
  if (typeof verdict !== 'string' || typeof iteration !== 'number') throw broken(key);
  return { verdict, iteration };
}

/** Digest of the plan that was approved, by the challenger or by a person; null when none was. */
export function approvedPlan({ data }: Data): string | null {
  const approved = data['approvedPlan'];
  if (approved === undefined || approved === null) return null;
  const { digest } = recordOf(approved, 'approvedPlan');
  if (typeof digest !== 'string') throw broken('approvedPlan');
  return digest;
}

/** Digest of the plan that was rejected last. */
export function rejectedPlan({ data }: Data): string | null {
  const digest = data['rejectedPlan'];
  return typeof digest === 'string' ? digest : null;
}

/** What the challenger said when it rejected the plan; null when a person set the phase. */
export function rejectionOf({ data }: Data): string | null {
  const said = data['rejection'];
  return typeof said === 'string' && said !== '' ? said : null;
}

/** What the last review of the plan left open. */
export function openIssues({ data }: Data): readonly { readonly severity: string; readonly title: string }[] {
  return items(data['openIssues'] ?? [], 'openIssues').map((value, index) => {
    const { severity, title } = recordOf(value, `openIssues[${index}]`);
    if (typeof severity !== 'string' || typeof title !== 'string') throw broken(`openIssues[${index}]`);
    return { severity, title };
  });
}

/** The tasks `impl` was limited to; null for all of them. */
export function onlyTasks({ data }: Data): readonly string[] | null {
  const only = data['tasksOnly'];
  return only === undefined || only === null ? null : textsOf(only, 'tasksOnly');
}

/** Digest of the code that was judged last: by a review, or by a person who set the phase by hand. */
export function reviewedTree(view: Pick<RunView, 'snapshot' | 'history'>): string | null {
  const review = view.history.findLast(({ step, problem }) => step === 'review' && problem === null);
  const adopted = view.snapshot.data['adopted'];
  if (adopted === undefined || adopted === null) return review?.tree ?? null;
  const { tree, at } = recordOf(adopted, 'adopted');
  if (typeof tree !== 'string' || typeof at !== 'string') throw broken('adopted');
  return review && review.at > at ? review.tree : tree;
}

/** Spec → what the permanent spec said when the change was planned; null where there was none. */
export function recordedBases({ data }: Data): { readonly [spec: string]: Json } {
  const bases = data['baseSpecs'];
  return bases === undefined || bases === null ? {} : recordOf(bases, 'baseSpecs');
}

/** The same for one spec, as the merge wants it; undefined when nobody recorded it. */
export function baseOf(snapshot: Data, spec: string): ReadonlyMap<string, string> | undefined {
  const bases = recordedBases(snapshot);
  if (!Object.hasOwn(bases, spec)) return undefined;
  const base = bases[spec];
  return new Map(
    Object.entries(recordOf(base ?? {}, `baseSpecs.${spec}`)).map(([key, text]) => [
      key,
      typeof text === 'string' ? text : '',
    ]),
  );
}

/** The name under which the change was archived. */
export function archivedAs({ data }: Data): string | null {
  const name = data['archivedAs'];
  return typeof name === 'string' ? name : null;
}

/** The tasks of one group. */
export function itemTasks(item: WorkItem | undefined): readonly string[] {
  if (item?.data === undefined) return [];
  return textsOf(recordOf(item.data, `item ${item.id}`)['tasks'] ?? [], `item ${item.id}: tasks`);
}

/** Why one spec could not be merged without judgement. */
export function itemReasons(item: WorkItem | undefined): readonly string[] {
  if (item?.data === undefined) return [];
  return textsOf(recordOf(item.data, `item ${item.id}`)['reasons'] ?? [], `item ${item.id}: reasons`);
}

export function recordOf(value: Json, name: string): { readonly [key: string]: Json } {
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
