/** The routing matrix of `change`: one row per state and signal, what it leads to in words. */

import { expect, test } from 'vitest';
import type { Fault } from '../../src/engine/machine.ts';
import { branchesOf, stateOf } from '../../src/engine/transition.ts';
import { machine } from '../../src/workflows/change/transition-table.ts';
import { routeInWords, routingRows, type Row } from '../routing-rows.ts';

const rows: readonly Row[] = [
  ['new', 'plan', 'survey'],
  ['new', 'lean', 'make_lean'],
  ['new', 'impl', 'refuse ChangeNotFound (not_ready)'],
  ['new', 'review', 'refuse ChangeNotFound (not_ready)'],
  ['new', 'archive', 'refuse ChangeNotFound (not_ready)'],
  ['new', 'retry', 'refuse ChangeNotFound (not_ready)'],
  ['new', 'undo', 'refuse ChangeNotFound (not_ready)'],
  ['proposed', 'plan', 'survey'],
  ['proposed', 'lean', 'lean yes: make_lean; else refuse PlannedInFull (not_ready)'],
  ['proposed', 'impl', 'refuse ChangeNotReady (not_ready)'],
  ['proposed', 'review', 'refuse ChangeNotReady (not_ready)'],
  ['proposed', 'archive', 'refuse ChangeNotComplete (not_ready)'],
  ['proposed', 'retry', 'stalled yes: return; else lean yes: make_lean; else survey'],
  ['proposed', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['challenged', 'plan', 'compare_approved'],
  ['challenged', 'lean', 'refuse PlannedInFull (not_ready)'],
  ['challenged', 'impl', 'confirm_plan'],
  ['challenged', 'review', 'refuse ChangeNotReady (not_ready)'],
  ['challenged', 'archive', 'refuse ChangeNotComplete (not_ready)'],
  ['challenged', 'retry', 'refuse NothingToRetry (not_ready)'],
  ['challenged', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['rejected', 'plan', 'compare_rejected'],
  ['rejected', 'lean', 'refuse PlannedInFull (not_ready)'],
  ['rejected', 'impl', 'refuse ChangeNotReady (not_ready)'],
  ['rejected', 'review', 'refuse ChangeNotReady (not_ready)'],
  ['rejected', 'archive', 'refuse ChangeNotComplete (not_ready)'],
  ['rejected', 'retry', 'refuse NothingToRetry (not_ready)'],
  ['rejected', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['implementing', 'plan', 'refuse BeyondPlanning (done)'],
  ['implementing', 'lean', 'refuse BeyondPlanning (done)'],
  ['implementing', 'impl', 'confirm_plan'],
  ['implementing', 'review', 'confirm_plan'],
  ['implementing', 'archive', 'refuse ChangeNotComplete (not_ready)'],
  ['implementing', 'retry', 'stalled yes: reconfirm_plan; else confirm_plan'],
  ['implementing', 'undo', 'lean yes: proposed; else challenged'],
  ['complete', 'plan', 'refuse BeyondPlanning (done)'],
  ['complete', 'lean', 'refuse BeyondPlanning (done)'],
  ['complete', 'impl', 'refuse AlreadyComplete (done)'],
  ['complete', 'review', 'confirm_review'],
  ['complete', 'archive', 'confirm_code'],
  [
    'complete',
    'retry',
    'rereview yes: confirm_review; else stalled yes: reconfirm_code; else refuse NothingToRetry (not_ready)',
  ],
  ['complete', 'undo', 'lean yes: proposed; else challenged'],
  ['archived', 'plan', 'refuse BeyondPlanning (done)'],
  ['archived', 'lean', 'refuse BeyondPlanning (done)'],
  ['archived', 'impl', 'refuse ChangeNotReady (not_ready)'],
  ['archived', 'review', 'refuse ChangeNotReady (not_ready)'],
  ['archived', 'archive', 'refuse AlreadyArchived (done)'],
  ['archived', 'retry', 'refuse NothingToRetry (not_ready)'],
  ['archived', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['survey', 'nothing', 'propose'],
  ['survey', 'specs_missing', 'specify'],
  ['survey', 'tasks_missing', 'list_tasks'],
  ['survey', 'complete', 'validate'],
  ['survey', 'invalid', 'proposed'],
  ['propose', 'reported', 'order'],
  ['order', 'specs_missing', 'specify'],
  ['order', 'tasks_missing', 'list_tasks'],
  ['order', 'complete', 'validate'],
  ['order', 'invalid', 'proposed'],
  ['specify', 'reported', 'more specs: specify; else find_tasks'],
  ['find_tasks', 'missing', 'list_tasks'],
  ['find_tasks', 'present', 'validate'],
  ['list_tasks', 'reported', 'validate'],
  ['validate', 'valid', 'challenge'],
  ['validate', 'invalid', 'repaired no: repair; else proposed'],
  ['repair', 'reported', 'order'],
  ['challenge', 'approved', 'challenged'],
  ['challenge', 'needs_revision', 'planning left: revise, spend planning; else ask_revision'],
  ['challenge', 'needs_minor_revision', 'planning left: revise, spend planning; else ask_revision'],
  ['challenge', 'rejected', 'rejected'],
  ['revise', 'reported', 'order'],
  ['ask_revision', 'implement_anyway', 'high yes: refuse HighIssueOpen (needs_person); else challenged'],
  ['ask_revision', 'continue', 'revise, spend planning, grant planning'],
  ['ask_revision', 'view', 'again'],
  ['ask_revision', 'withdrawn', 'proposed'],
  ['compare_rejected', 'changed', 'survey'],
  ['compare_rejected', 'unchanged', 'rejected'],
  ['compare_approved', 'changed', 'survey'],
  ['compare_approved', 'unchanged', 'challenged'],
  ['make_lean', 'reported', 'accept_lean'],
  ['accept_lean', 'valid', 'run_checks'],
  ['accept_lean', 'invalid', 'repaired no: make_lean; else proposed'],
  ['accept_lean', 'too_large', 'proposed'],
  ['confirm_plan', 'unchanged', 'select_tasks'],
  ['confirm_plan', 'accepted', 'select_tasks'],
  ['confirm_plan', 'edited', 'return (not_ready)'],
  ['reconfirm_plan', 'unchanged', 'return'],
  ['reconfirm_plan', 'accepted', 'return'],
  ['reconfirm_plan', 'edited', 'rereview yes: complete (not_ready); else implementing (not_ready)'],
  ['select_tasks', 'work', 'implement'],
  ['confirm_review', 'unchanged', 'run_checks'],
  ['confirm_review', 'accepted', 'run_checks'],
  ['confirm_review', 'edited', 'complete (not_ready)'],
  ['select_tasks', 'to_review', 'run_checks'],
  ['select_tasks', 'to_fix', 'implementation left: fix, spend implementation; else implementing'],
  ['select_tasks', 'approved', 'complete'],
  ['select_tasks', 'subset_done', 'implementing (done)'],
  ['select_tasks', 'blocked', 'implementing'],
  ['select_tasks', 'invalid', 'return (not_ready)'],
  ['implement', 'reported', 'more groups: implement; else tally'],
  ['implement', 'partly', 'retries left: again, spend retries; else implementing (failed)'],
  ['implement', 'blocked', 'implementing'],
  ['tally', 'all_done', 'run_checks'],
  ['tally', 'subset_done', 'implementing (done)'],
  ['tally', 'blocked', 'implementing'],
  ['run_checks', 'ran', 'review'],
  ['review', 'approved', 'complete'],
  [
    'review',
    'needs_fix',
    'rereview yes: implementing; else implementation left: fix, spend implementation; else implementing',
  ],
  ['review', 'major_issues', 'implementing'],
  ['review', 'edited', 'rereview yes: complete (not_ready); else implementing (not_ready)'],
  ['fix', 'reported', 'tally'],
  ['confirm_code', 'unchanged', 'merge'],
  ['confirm_code', 'changed', 'complete (not_ready)'],
  ['reconfirm_code', 'unchanged', 'return'],
  ['reconfirm_code', 'changed', 'complete (not_ready)'],
  ['merge', 'merged', 'archived'],
  ['merge', 'conflicts', 'merge_by_hand'],
  ['merge', 'invalid', 'complete (needs_person)'],
  ['merge_by_hand', 'reported', 'more conflicts: merge_by_hand; else review_merge'],
  ['merge_by_hand', 'text_lost', 'archiving left: again, spend archiving; else complete (needs_person)'],
  ['review_merge', 'approved', 'finish_merge'],
  ['review_merge', 'needs_fix', 'archiving left: merge, spend archiving; else complete (needs_person)'],
  ['reconfirm_merge', 'unchanged', 'return'],
  ['reconfirm_merge', 'edited', 'review_merge'],
  ['reconfirm_merge', 'changed', 'complete (not_ready)'],
  ['finish_merge', 'merged', 'archived'],
  ['finish_merge', 'invalid', 'complete (needs_person)'],
];

const retried = 'retries left: again, spend retries; else REST (failed)';
const stopped = (outcome: string): string => `REST (${outcome})`;
const faults: Readonly<Record<Fault, string>> = {
  failed: retried,
  timed_out: retried,
  unparseable: retried,
  out_of_bounds: retried,
  rate_limited: stopped('temporary'),
  unavailable: stopped('unavailable'),
  over_budget: stopped('over_budget'),
  interrupted: stopped('interrupted'),
};
/** Where a dispatch that cannot be had leaves the change. */
const rests: Readonly<Record<string, string>> = {
  propose: 'proposed',
  specify: 'proposed',
  list_tasks: 'proposed',
  repair: 'proposed',
  challenge: 'proposed',
  revise: 'proposed',
  make_lean: 'proposed',
  implement: 'implementing',
  fix: 'implementing',
  review: 'implementing',
  merge_by_hand: 'complete',
  review_merge: 'complete',
};

test.each(rows)('%s, %s: %s', (state, signal, leadsTo) => {
  expect(routingRows(machine)).toContainEqual([state, signal, leadsTo]);
});

test('there is no row beyond these', () => {
  expect(
    routingRows(machine).filter((row) => !rows.some((known) => known[0] === row[0] && known[1] === row[1])),
  ).toEqual([]);
});

test.each(Object.entries(rests))('%s: every fault ends where the change rests, %s, or is retried', (step, rest) => {
  const state = stateOf(machine, step);
  for (const [fault, leadsTo] of Object.entries(faults)) {
    const route = Object.entries(state.on).find(([signal]) => signal === fault)?.[1];
    // A fresh review of a complete change leaves it complete.
    const rests = step === 'review' ? 'rereview yes: complete ($1); else implementing ($1)' : `${rest} ($1)`;
    expect(route && routeInWords(branchesOf(route))).toBe(leadsTo.replace(/REST \((\w+)\)/, rests));
  }
});

test('every dispatch state is among them', () => {
  const dispatching = Object.entries(machine.states).filter(([, state]) => state.kind === 'dispatch');
  expect(dispatching.map(([name]) => name).toSorted()).toEqual(Object.keys(rests).toSorted());
});
