/** The data that signals leave in a session's snapshot, and what follows from it. */

import { currentItem, type Json, type Snapshot } from '../../engine/snapshot.ts';
import { list, orNull, record, section, table, withDefault } from '../../schema/compound.ts';
import { ifFits, unlessNull } from '../../schema/lenient.ts';
import { leaf, type Infer } from '../../schema/schema.ts';
import { flag, number, oneOf, verbatim } from '../../schema/simple.ts';
import { keyed, slots, type DataPatch, type KeyedSlot } from '../data-slots.ts';
import { correctingRoles } from './answers.ts';
import { ciResults } from './files/status-file.ts';
import { kindOf, projectTypes, repairs, type RepairKind } from './session-words.ts';

type Holder = Pick<Snapshot, 'data'>;

const text = withDefault(verbatim(), '');
const textOrNull = orNull(unlessNull(verbatim()));
const isSo = withDefault(flag(), false);
const texts = withDefault(list(verbatim(), 'a list of texts'), []);
const count = withDefault(number(), 0);
const isFact = (value: unknown) => typeof value === 'string' || typeof value === 'number';
const fact = leaf('a text or a number', (value) => (isFact(value) ? value : undefined));

const checkOutcome = table({
  entry: verbatim(),
  status: oneOf(['passed', 'failed']),
  evidence: verbatim(),
  /** How it failed, for comparison; empty where it passed. */
  how: text,
});
export type CheckOutcome = Infer<typeof checkOutcome>;

const counts = section({ FIX_REVIEW: count, FIX_TESTS: count, FIX_SECURITY: count, FIX_BUILD: count });
export type Counts = Infer<typeof counts>;

const design = orNull(unlessNull(record(verbatim())));

export const data = slots({
  goal: text,
  projectType: withDefault(ifFits(oneOf(projectTypes)), 'mixed'),
  branch: textOrNull,
  /** What the spec agent found out beyond its documents. */
  intake: section({ needsResearch: isSo, hasUi: isSo, research: text }),
  assumptions: texts,
  /** Whether somebody decided against a lean session. */
  fullWanted: isSo,
  /** What a lean session came to that was more than it could carry. */
  leanOutcome: textOrNull,
  issue: keyed(verbatim()),
  declined: keyed(verbatim()),
  /** What a judge said beside its verdict, by judge and scope. */
  beside: keyed(texts),
  /** What roles noted beside their work. */
  remark: keyed(verbatim()),
  guidance: textOrNull,
  handedOver: textOrNull,
  retries: keyed(counts),
  /** Attempts at fixing: what was done, and what was to be fixed. */
  attempts: withDefault(list(table({ kind: text, tried: text, why: text, scope: text }), 'a list of attempts'), []),
  /** What a gate said last, for the role that fixes it. */
  judgement: keyed(
    table({ scope: text, summary: text, findings: withDefault(list(record(fact), 'a list of findings'), []) }),
  ),
  pass: keyed(verbatim()),
  /** The judgement (its dispatch) that a person accepted although it did not pass. */
  accepted: textOrNull,
  /** Whether files were edited since they were last judged, before the first task began. */
  editedBefore: withDefault(flag(), false),
  /** What the task at hand touched so far, by the paths git reports. */
  touched: section({ behaviour: isSo, risky: isSo }),
  /** `from`: digest of the design when it was asked for. */
  correction: orNull(table({ summary: text, role: text, dispatchedAt: textOrNull, from: text })),
  correctionProblems: texts,
  /** Changes asked for, until the person confirms who makes them. */
  proposedCorrection: orNull(table({ summary: text, role: oneOf(correctingRoles) })),
  approvedDesign: textOrNull,
  /** Path → digest of documents that came with a session of another tool: Pawl's own demands do not apply to them. */
  imported: withDefault(record(verbatim()), {}),
  /** Path → text of the design as a person is asked about it, and as it was the time before. */
  askedDesign: design,
  askedBefore: design,
  /** The last build; `rewritten`: files that checks changed, in any build. */
  checks: section({
    results: withDefault(list(checkOutcome, 'a list of checks'), []),
    tree: text,
    rewritten: texts,
  }),
  /** Failures of the build that a person accepted, by check, and the decision. */
  knownFailure: keyed(table({ how: text, tree: text, reason: text })),
  /** Commands of agents as a person is asked about them, and those approved last. */
  askedCommands: texts,
  approvedCommands: texts,
  ci: section({ result: withDefault(oneOf(ciResults), 'unknown'), failedStep: textOrNull }),
  /** What a person said about something only a person can judge: a manual check, or a criterion by its id. */
  verdict: keyed(table({ status: withDefault(ifFits(oneOf(['met', 'waived', 'unmet'])), 'unmet'), words: text })),
  runtime: section({ instructions: isSo, checkedAt: textOrNull }),
  /** Files that the release changed. */
  released: texts,
  /** What Docs (or, in lean, the Coder) said for people. */
  docs: section({ summary: text, howToRun: text, howToTest: text }),
});

export const everythingTouched = data.touched.set({ behaviour: true, risky: true });

/** A task begins without anything that was said about the one before. */
export const freshTask: DataPatch = { guidance: null, handedOver: null, attempts: [], touched: null };

export function valuesOf<T>(slot: KeyedSlot<T>, holder: Holder): readonly T[] {
  return Object.values(slot.all(holder));
}

export function appended<T extends Json>(slot: KeyedSlot<T>, holder: Holder, more: readonly T[]): DataPatch {
  const next = valuesOf(slot, holder).length + 1;
  return more.reduce<DataPatch>((patch, each, index) => ({ ...patch, ...slot.set(String(next + index), each) }), {});
}

/** What the gates under way judge: a task by its id, or everything. */
export function scopeOf({ flags, lists }: Pick<Snapshot, 'flags' | 'lists'>): string {
  return (flags['round'] === 'task' && currentItem(lists['tasks'])?.id) || meta;
}

export const meta = 'meta';

export function retriesOf(holder: Holder, scope: string): Counts {
  return data.retries.get(holder, scope) ?? { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 };
}

export function retriesData(holder: Holder, scope: string, kind: RepairKind, attempts: number): DataPatch {
  return data.retries.set(scope, { ...retriesOf(holder, scope), [kind]: attempts });
}

/** Attempts at one task by the budget they count against; undefined where there were none. */
export function spentOn(spent: Partial<Counts>): Readonly<Record<string, number>> | undefined {
  const used = repairs.map((repair) => [repair, spent[kindOf[repair]] ?? 0] as const).filter(([, count]) => count > 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}

/** What a person saw is not what is there any more; what they do without, they still do without. */
export function verdictsToAskAgain(holder: Holder): DataPatch {
  const seen = Object.entries(data.verdict.all(holder)).filter(([, { status }]) => status === 'met');
  return Object.fromEntries(seen.map(([about]) => [`verdict:${about}`, null]));
}
