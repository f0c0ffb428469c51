/** The snapshot of a change: the data that signals leave in it, its phase, and its last judgement. */

import * as engine from '../../engine/phase.ts';
import type { Json, Snapshot, WorkItem } from '../../engine/snapshot.ts';
import { abandoned } from '../../engine/transition.ts';
import type { Task } from '../../documents/tasks.ts';
import { list, orNull, record, section, table, withDefault } from '../../schema/compound.ts';
import { ifFits, maybe, unlessNull } from '../../schema/lenient.ts';
import { leaf, type Infer } from '../../schema/schema.ts';
import { flag, number, oneOf, text, verbatim, word } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import { itemData, slots } from '../data-slots.ts';
import type { RunView } from '../workflow.ts';
import { machine } from './transition-table.ts';
import { archiveFolder, statePath } from './change-paths.ts';

const texts = list(verbatim(), 'a list of texts');
const textOrNull = orNull(verbatim());
const issues = withDefault(list(table({ severity: verbatim(), title: verbatim() }), 'a list of issues'), []);

const checkRun = table({
  name: verbatim(),
  status: oneOf(['passed', 'failed', 'timed out', 'not available']),
  /** Whether its failure forbids an approval. */
  required: withDefault(flag(), true),
  log: orNull(ifFits(verbatim())),
});

export type CheckRun = Infer<typeof checkRun>;

/** Whether it forbids an approval. */
export function forbids({ status, required }: CheckRun): boolean {
  return required && (status === 'failed' || status === 'timed out');
}

const count = withDefault(number(), 0);
const review = orNull(table({ verdict: verbatim(), iteration: number(), high: count, medium: count, low: count }));

const json = leaf('a JSON value', (value): Json | undefined => (isJson(value) ? value : undefined));

export function isJson(value: unknown): value is Json {
  if (Array.isArray(value)) return value.every(isJson);
  if (isRecord(value)) return Object.values(value).every(isJson);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

export const data = slots({
  description: orNull(maybe(text())),
  /** The tasks that `impl` is limited to; null for all of them. */
  tasksOnly: orNull(texts),
  acceptEdits: withDefault(flag(), false),
  freshReview: withDefault(flag(), false),
  validations: withDefault(
    list(table({ at: verbatim(), valid: flag(), findings: number(), fixed: texts }), 'a list of validations'),
    [],
  ),
  checksums: record(table({ hash: verbatim(), validated_at: verbatim() })),
  /** Spec → the texts of the permanent spec when the change was planned; null for a spec that did not exist. */
  baseSpecs: record(orNull(unlessNull(record(verbatim())))),
  /** Task → why the implementer could not do it, as it was last reported. */
  blockedBy: record(verbatim()),
  verdict: textOrNull,
  planReviews: count,
  judgedPlan: textOrNull,
  openIssues: issues,
  /** `whole`: digest of the proposal with the parts that `digest` leaves out. */
  approvedPlan: orNull(
    table({ digest: verbatim(), by: withDefault(verbatim(), ''), whole: withDefault(verbatim(), '') }),
  ),
  rejectedPlan: textOrNull,
  /** The words of the challenger; null when a person set the phase. */
  rejection: orNull(maybe(verbatim())),
  override: orNull(table({ by: verbatim(), at: verbatim(), open_issues: issues })),
  checks: section({ results: withDefault(list(checkRun, 'a list of checks'), []) }),
  /** Files that the run changed in the work tree; null before the first check. */
  changedFiles: orNull(texts),
  codeReview: review,
  mergeReview: review,
  /** Digest of the merged texts that were approved. */
  judgedMerge: textOrNull,
  /** The code that a person approved by setting the phase. */
  adopted: orNull(table({ tree: verbatim(), at: verbatim() })),
  archivedAs: textOrNull,
  /** Keys of the STATE.yaml that the run was taken over from: what was consumed and found out before. */
  earlier: withDefault(record(json), {}),
});

export function blockedText(
  tasks: readonly Pick<Task, 'id' | 'title'>[],
  why: Readonly<Record<string, string>>,
): string {
  return `blocked: ${tasks.map(({ id, title }) => `${id} ${title}${id in why ? ` (${why[id]})` : ''}`).join('; ')}`;
}

/** Digest of the code that was judged last: by a review, or by a person who set the phase by hand. */
export function reviewedTree({ snapshot, history }: Pick<RunView, 'snapshot' | 'history'>): string | null {
  const reviewed = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  const adopted = data.adopted.of(snapshot);
  if (!adopted) return reviewed?.tree ?? null;
  return reviewed && reviewed.at > adopted.at ? reviewed.tree : adopted.tree;
}

const itemFields = section({ tasks: withDefault(texts, []), reasons: withDefault(texts, []) });

/** The tasks of a group, or the reasons why a spec could not be merged without judgement. */
export function itemOf(item: WorkItem | undefined) {
  return itemData(itemFields, item);
}

/** Whether a person did without a challenge of the plan. */
export function isLean({ flags }: Pick<Snapshot, 'flags'>): boolean {
  return flags['lean'] === 'yes';
}

/** The findings that a person overrode, while that is what approves the plan. */
export function overriddenOf(snapshot: Pick<Snapshot, 'data'>) {
  const { by } = data.approvedPlan.of(snapshot) ?? {};
  return by === 'person' ? data.override.of(snapshot) : null;
}

export function overrideWords(snapshot: Pick<Snapshot, 'data'>): string {
  const { length } = overriddenOf(snapshot)?.open_issues ?? [];
  const findings = length === 1 ? 'one finding' : `${length} findings`;
  return overriddenOf(snapshot) ? ` by override, with ${findings} open` : '';
}

export const phases = ['proposed', 'challenged', 'rejected', 'implementing', 'complete', 'archived'] as const;
export type Phase = (typeof phases)[number];

export const phaseFormat = { schema: word(phases), expected: `one of ${phases.join(', ')}`, version: 2 };

export function phaseOf(snapshot: Snapshot): Phase | typeof abandoned | null {
  const name = engine.phaseOf(machine, snapshot);
  if (name === abandoned) return name;
  return phases.find((phase) => phase === name) ?? null;
}

/** The last verdict that counts in this phase: of the code once there is one, of the plan before. */
export function verdictOf({ snapshot }: Pick<RunView, 'snapshot'>): string | null {
  // A verdict is about what was to come of it.
  if (snapshot.state === abandoned) return null;
  const code = judgesCode(snapshot) ? data.codeReview.of(snapshot) : null;
  const { verdict = null } = data.earlier.of(snapshot);
  return code?.verdict ?? data.verdict.of(snapshot) ?? (typeof verdict === 'string' ? verdict : null);
}

export function iterationOf({ snapshot }: Pick<RunView, 'snapshot'>): number {
  const own = judgesCode(snapshot) ? data.codeReview.of(snapshot)?.iteration : data.planReviews.of(snapshot);
  const { iteration = 0 } = data.earlier.of(snapshot);
  return own || (typeof iteration === 'number' ? iteration : 0);
}

function judgesCode(snapshot: Snapshot): boolean {
  return ['implementing', 'complete', 'archived'].includes(phaseOf(snapshot) ?? '');
}

export function stateFilePath(run: string, snapshot?: Snapshot): string {
  const name = snapshot && data.archivedAs.of(snapshot);
  return name ? `${archiveFolder(name)}/STATE.yaml` : statePath(run);
}
