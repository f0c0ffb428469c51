/** What the signals of a run leave in its snapshot. */

import { list, orNull, table, withDefault } from '../../schema/compound.ts';
import { maybe } from '../../schema/lenient.ts';
import { flag, number, oneOf, verbatim } from '../../schema/simple.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { added, patch, slots, type DataPatch } from '../data-slots.ts';
import { reviewFinding } from '../../documents/review-finding.ts';
import { failureCodes } from './role-words.ts';

const texts = list(verbatim(), 'a list of texts');
const textOrNull = orNull(verbatim());
const count = withDefault(number(), 0);

function listOf<T>(each: Parameters<typeof list<T>>[0]) {
  return withDefault(list(each, 'a list'), []);
}

const findings = listOf(reviewFinding);
const test = table({ name: verbatim(), file: verbatim(), code: oneOf(failureCodes) });
const signal = table({ signal: verbatim(), why: verbatim() });

export const data = slots({
  /** As the run found them. */
  branch: withDefault(verbatim(), ''),
  base: withDefault(verbatim(), ''),
  /** The commit that the run began on. */
  head: withDefault(verbatim(), ''),
  place: orNull(table({ worktree: verbatim(), main: verbatim() })),
  mergeBase: withDefault(verbatim(), ''),
  title: withDefault(verbatim(), ''),
  /** Why the step before sends its work back, for whoever takes it up. */
  notes: withDefault(verbatim(), ''),
  /** Of all reviews since the plan was drafted. */
  planSeen: findings,
  tasks: count,
  filed: listOf(table({ id: verbatim(), task: number(), title: withDefault(verbatim(), '') })),
  /** The work tree with stubs, and as `make` was first handed the task. */
  stubTree: textOrNull,
  readyTree: textOrNull,
  /** As `test` handed them over, and as they were seen to fail. */
  tests: listOf(test),
  seen: listOf(test),
  seenIn: textOrNull,
  /** Names of the tests that were there before. */
  baseline: withDefault(texts, []),
  /** Whether `check` has said that the tests are right, whatever they show. */
  entryWaived: withDefault(flag(), false),
  manifest: listOf(table({ task: verbatim(), justification: verbatim(), rationale: verbatim() })),
  justification: withDefault(verbatim(), ''),
  suite: listOf(table({ name: verbatim(), status: verbatim(), log: orNull(maybe(verbatim())) })),
  /** The last signal that needed a diagnosis or another plan, and every one that spent a budget. */
  escalation: orNull(signal),
  spent: listOf(table({ budget: verbatim(), signal: verbatim(), why: verbatim() })),
  deviations: withDefault(texts, []),
  advice: listOf(table({ step: verbatim(), text: verbatim() })),
  reviewFindings: findings,
  /** Of them, what is being dealt with. */
  chosenFindings: findings,
  reviewSeen: findings,
  reviewedTree: textOrNull,
  /** What stays open, by the phase that gave it up. */
  blockers: listOf(table({ phase: verbatim(), finding: reviewFinding })),
  /** The fix that the review at hand would lead to, and how many were written: a cycle without one takes no number. */
  fix: count,
  fixes: count,
  bugs: listOf(table({ title: verbatim(), body: verbatim() })),
  seams: withDefault(texts, []),
  ticked: listOf(number()),
  comment: withDefault(verbatim(), ''),
  followUps: listOf(table({ id: verbatim(), label: verbatim(), title: verbatim() })),
  commits: listOf(table({ id: verbatim(), message: verbatim() })),
  failure: orNull(signal),
});

export type HandedTest = ReturnType<typeof data.tests.of>[number];

/** The signal for whoever looks into it; on record with the budget, if any of it is left to be spent. */
export function escalated(
  snapshot: Pick<Snapshot, 'data' | 'budgets'>,
  budget: string,
  cause: { readonly signal: string; readonly why: string },
): DataPatch {
  const isLeft = (snapshot.budgets[budget] ?? 0) > 0;
  return patch(data.escalation.set(cause), isLeft ? added(data.spent, snapshot, { budget, ...cause }) : {});
}
