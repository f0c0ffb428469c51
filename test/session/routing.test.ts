/** The routing matrix of `session`: one row per state and signal, what it leads to in words. */

import { expect, test } from 'vitest';
import type { Fault, Machine, State } from '../../src/engine/machine.ts';
import { branchesOf } from '../../src/engine/transition.ts';
import { machine as typed } from '../../src/workflows/session/transition-table.ts';
import { routeInWords, routingRows, type Row } from '../routing-rows.ts';

const machine: Machine = typed;

/** What all dispatches have in common, and all questions, is below. */
const rows: readonly Row[] = [
  ['open_session', 'opened', 'mode lean: intake_lean; else intake'],
  ['intake', 'reported', 'check_intake'],
  ['intake', 'lean', 'ask_lean'],
  ['ask_lean', 'lean', 'intake_lean, set mode lean'],
  ['ask_lean', 'full', 'check_intake'],
  ['check_intake', 'valid', 'research'],
  ['check_intake', 'invalid', 'blocked, back to intake (needs_person)'],
  ['intake_lean', 'reported', 'check_lean'],
  ['check_lean', 'valid', 'schedule'],
  ['check_lean', 'invalid', 'blocked, back to intake_lean (needs_person)'],
  ['research', 'reported', 'architect'],
  ['research', 'not_needed', 'architect'],
  ['architect', 'reported', 'design_ui'],
  ['design_ui', 'reported', 'check_design'],
  ['design_ui', 'not_needed', 'check_design'],
  ['check_design', 'valid', 'approve_design'],
  ['check_design', 'invalid', 'blocked, back to architect (needs_person)'],
  ['approve_design', 'approved', 'plan'],
  ['approve_design', 'change_spec', 'queue_correction, set mode full, back to correct_spec'],
  ['approve_design', 'change_architecture', 'queue_correction, set mode full, back to correct_architecture'],
  ['approve_design', 'change_ui', 'queue_correction, set mode full, back to correct_ui'],
  ['approve_design', 'unanswered', 'blocked, back to here (needs_person)'],
  ['reapprove_design', 'approved', 'recheck'],
  ['reapprove_design', 'unanswered', 'blocked (needs_person)'],
  ['reapprove_design', 'change_spec', 'queue_correction, set mode full, back to correct_spec'],
  ['reapprove_design', 'change_architecture', 'queue_correction, set mode full, back to correct_architecture'],
  ['reapprove_design', 'change_ui', 'queue_correction, set mode full, back to correct_ui'],
  ['queue_correction', 'queued', 'return'],
  ['correct_spec', 'reported', 'verify_correction'],
  ['correct_architecture', 'reported', 'verify_correction'],
  ['correct_ui', 'reported', 'verify_correction'],
  ['verify_correction', 'completed', 'approve_design'],
  ['verify_correction', 'incomplete', 'approve_design'],
  ['plan', 'reported', 'check_plan'],
  ['check_plan', 'valid', 'review_strategy'],
  ['check_plan', 'invalid', 'blocked, back to plan (needs_person)'],
  ['review_strategy', 'per_batch', 'recheck, set mode per_batch, back to schedule'],
  ['review_strategy', 'single_final', 'recheck, set mode single_final, back to schedule'],
  ['review_strategy', 'unanswered', 'blocked, back to here (needs_person)'],
  ['schedule', 'work', 'begin_task, load tasks, set round task, set pending_reviews none'],
  ['schedule', 'none_left', 'review, set round final, set pending_reviews none'],
  ['schedule', 'stuck', 'blocked, back to schedule (needs_person)'],
  ['schedule', 'invalid', 'blocked, back to schedule (needs_person)'],
  ['begin_task', 'begun', 'code'],
  [
    'code',
    'reported',
    'mode per_batch: review; else mode lean: review; else more tasks: begin_task, finish the item; else review, finish the item, set round final',
  ],
  ['code', 'complex', 'mode lean: intake, set mode full; else ask_questions, back to here'],
  [
    'review',
    'passed',
    'round release: finish, set pending_reviews none; else pending_reviews review: security, set pending_reviews none; else qa, set pending_reviews none',
  ],
  [
    'review',
    'unchanged',
    'round release: finish, set pending_reviews none; else pending_reviews review: security, set pending_reviews none; else qa, set pending_reviews none',
  ],
  ['review', 'notes', 'ask_notes'],
  ['review', 'blocked', 'fix_review left: fix_review, spend fix_review; else ask_fix_review'],
  ['qa', 'passed', 'pending_reviews all: review, set pending_reviews review; else security'],
  ['qa', 'unchanged', 'pending_reviews all: review, set pending_reviews review; else security'],
  ['qa', 'not_needed', 'pending_reviews all: review, set pending_reviews review; else security'],
  ['qa', 'passed_unreviewed', 'review, set pending_reviews review'],
  ['qa', 'blocked', 'fix_tests left: fix_tests, spend fix_tests; else ask_fix_tests'],
  ['qa', 'tests_wrong', 'fix_tests left: fix_own_tests, spend fix_tests; else ask_fix_tests'],
  [
    'security',
    'passed',
    'pending_reviews all: review, set pending_reviews none; else round task: accept_task; else accept_all',
  ],
  [
    'security',
    'unchanged',
    'pending_reviews all: review, set pending_reviews none; else round task: accept_task; else accept_all',
  ],
  [
    'security',
    'not_needed',
    'pending_reviews all: review, set pending_reviews none; else round task: accept_task; else accept_all',
  ],
  ['security', 'decision', 'ask_security'],
  ['security', 'blocked', 'fix_security left: fix_security, spend fix_security; else ask_fix_security'],
  [
    'accept_task',
    'accepted',
    'more tasks: begin_task, finish the item; else mode lean: integrate, finish the item, set round final; else review, finish the item, set round final',
  ],
  ['accept_all', 'accepted', 'integrate'],
  [
    'fix_review',
    'reported',
    'round release: review, set pending_reviews all, set round final; else review, set pending_reviews all',
  ],
  ['fix_tests', 'reported', 'qa, set pending_reviews all'],
  ['fix_own_tests', 'reported', 'qa, set pending_reviews all'],
  ['fix_security', 'reported', 'security, set pending_reviews all'],
  ['fix_build', 'reported', 'integrate, set pending_reviews all'],
  ['fix_build', 'hand_over', 'fix_build_code'],
  ['fix_build_code', 'reported', 'integrate, set pending_reviews all'],
  ['ask_questions', 'answered', 'recheck'],
  ['ask_notes', 'fix', 'recheck, spend fix_review, grant fix_review, back to fix_review'],
  [
    'ask_notes',
    'none',
    'round release: recheck, set pending_reviews none, back to finish; else pending_reviews review: recheck, set pending_reviews none, back to security; else recheck, set pending_reviews none, back to qa',
  ],
  ['ask_security', 'fix_now', 'recheck, spend fix_security, grant fix_security, back to fix_security'],
  ['ask_security', 'settled', 'recheck, set pending_reviews none, back to review'],
  ['ask_fix_review', 'try_again', 'recheck, spend fix_review, renew fix_review, back to fix_review'],
  [
    'ask_fix_review',
    'accept',
    'round release: recheck, set pending_reviews none, back to finish; else pending_reviews review: recheck, set pending_reviews none, back to security; else recheck, set pending_reviews none, back to qa',
  ],
  ['ask_fix_tests', 'try_again', 'recheck, spend fix_tests, renew fix_tests, back to fix_tests'],
  ['ask_fix_tests', 'accept', 'recheck, set pending_reviews review, back to review'],
  ['ask_fix_security', 'try_again', 'recheck, spend fix_security, renew fix_security, back to fix_security'],
  ['ask_fix_security', 'accept', 'recheck, set pending_reviews none, back to review'],
  ['ask_fix_build', 'try_again', 'recheck, spend fix_build, renew fix_build, back to fix_build'],
  [
    'ask_fix_build',
    'accept',
    'pending_reviews all: recheck, set round final, back to review; else recheck, back to judge_criteria',
  ],
  ['ask_criteria', 'settled', 'recheck, back to judge_criteria'],
  ['ask_criteria', 'unmet', 'recheck, spend fix_build, grant fix_build, back to fix_build_code'],
  ['new', 'start', 'open_session'],
  ['new', 'start_lean', 'open_session, set mode lean'],
  ['new', 'retry', 'refuse SessionNotFound (not_ready)'],
  ['new', 'undo', 'refuse SessionNotFound (not_ready)'],
  ['ask_commands', 'run', 'recheck, back to integrate'],
  ['ask_commands', 'unanswered', 'blocked, back to integrate (needs_person)'],
  ['integrate', 'green', 'pending_reviews all: review, set round final; else judge_criteria'],
  ['integrate', 'red_accepted', 'pending_reviews all: review, set round final; else judge_criteria'],
  [
    'integrate',
    'changed',
    'fix_build left: review, spend fix_build, set round final, set pending_reviews all; else ask_fix_build, set pending_reviews all',
  ],
  ['integrate', 'red', 'fix_build left: fix_build, spend fix_build; else ask_fix_build'],
  ['integrate', 'unapproved', 'ask_commands'],
  ['integrate', 'tasks_left', 'blocked, back to schedule (needs_person)'],
  ['integrate', 'invalid', 'blocked, back to integrate (needs_person)'],
  ['judge_criteria', 'settled', 'pending_reviews all: review, set round final; else mode lean: finish; else docs'],
  ['judge_criteria', 'open', 'ask_criteria'],
  ['docs', 'reported', 'release_notes'],
  ['release_notes', 'reported', 'verify_release'],
  [
    'verify_release',
    'green',
    'pending_reviews all: review, set round final; else review, set round release, set pending_reviews none',
  ],
  [
    'verify_release',
    'red_accepted',
    'pending_reviews all: review, set round final; else review, set round release, set pending_reviews none',
  ],
  [
    'verify_release',
    'changed',
    'fix_build left: review, spend fix_build, set round final, set pending_reviews all; else ask_fix_build, set pending_reviews all',
  ],
  ['verify_release', 'red', 'fix_build left: fix_build, spend fix_build; else ask_fix_build, set pending_reviews all'],
  ['verify_release', 'unapproved', 'ask_commands, set pending_reviews all'],
  ['verify_release', 'tasks_left', 'blocked, back to schedule (needs_person)'],
  ['verify_release', 'invalid', 'blocked, set pending_reviews all, back to integrate (needs_person)'],
  ['finish', 'complete', 'pending_reviews all: review, set round final; else done'],
  ['finish', 'incomplete', 'blocked, back to judge_criteria (needs_person)'],
  ['recheck', 'intact', 'return'],
  [
    'recheck',
    'code_changed',
    'round release: return, set pending_reviews all, set round final; else return, set pending_reviews all',
  ],
  ['recheck', 'design_changed', 'reapprove_design'],
  [
    'recheck',
    'no_strategy',
    'mode per_batch: review_strategy; else mode single_final: review_strategy; else blocked (needs_person)',
  ],
  ['blocked', 'start', 'refuse SessionExists (not_ready)'],
  ['blocked', 'start_lean', 'refuse SessionExists (not_ready)'],
  ['blocked', 'retry', 'recheck'],
  ['blocked', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['blocked_asking', 'start', 'refuse SessionExists (not_ready)'],
  ['blocked_asking', 'start_lean', 'refuse SessionExists (not_ready)'],
  ['blocked_asking', 'retry', 'ask_questions'],
  ['blocked_asking', 'undo', 'refuse NothingToUndo (not_ready)'],
  ['done', 'start', 'refuse SessionFinished (done)'],
  ['done', 'start_lean', 'refuse SessionFinished (done)'],
  ['done', 'retry', 'refuse SessionFinished (done)'],
  ['done', 'undo', 'refuse NothingToUndo (not_ready)'],
];

const states = Object.entries(machine.states);
const dispatches = statesOf('dispatch');
const questions = statesOf('decide');

function statesOf(kind: State['kind']): string[] {
  return states.filter(([, state]) => state.kind === kind).map(([name]) => name);
}

/** What a role may come back with instead of a result, and the ways a dispatch can fail. */
const stops: Readonly<Record<Fault | 'questions' | 'gave_up' | 'unfit', string>> = {
  questions: 'ask_questionsOWING, back to here',
  gave_up: 'blockedOWING, back to here (failed)',
  unfit: 'blockedOWING, back to here (needs_person)',
  failed: 'retries left: again, spend retriesOWING; else blockedOWING, back to here (failed)',
  timed_out: 'retries left: again, spend retriesOWING; else blockedOWING, back to here (failed)',
  unparseable: 'retries left: again, spend retriesOWING; else blockedOWING, back to here (failed)',
  out_of_bounds: 'retries left: again, spend retriesOWING; else blockedOWING, back to here (failed)',
  rate_limited: 'blockedOWING, back to here (temporary)',
  unavailable: 'blockedOWING, back to here (unavailable)',
  over_budget: 'blockedOWING, back to here (over_budget)',
  interrupted: 'blockedOWING, back to here (interrupted)',
};

/** QA may have written tests before it stopped: then all reviews are pending again. */
const owing = (state: string): string => (state === 'qa' ? ', set pending_reviews all' : '');

/** Beside its own answers. Two questions keep the return address of whoever asked. */
const open = { noted: 'again', deferred: 'needs_person', unwritten: 'failed', withdrawn: 'interrupted' };
const restOf: Readonly<Record<string, string>> = {
  reapprove_design: 'blocked',
  ask_questions: 'blocked_asking',
  ask_commands: 'blocked, back to integrate',
};

test.each(rows)('%s, %s: %s', (state, signal, leadsTo) => {
  expect(routingRows(machine, { fully: true })).toContainEqual([state, signal, leadsTo]);
});

test('there is no row beyond these', () => {
  const beyond = routingRows(machine, { fully: true }).filter(
    ([state, signal]) =>
      !rows.some((known) => known[0] === state && known[1] === signal) &&
      !(dispatches.includes(state) && signal in stops) &&
      !(questions.includes(state) && signal in open),
  );
  expect(beyond).toEqual([]);
});

test.each(dispatches)(
  '%s: whatever stops it asks, is retried, or blocks where resume returns [session/faults/stops]',
  (name) => {
    const on = machine.states[name]?.on ?? {};
    for (const [signal, leadsTo] of Object.entries(stops)) {
      const words = on[signal] && routeInWords(branchesOf(on[signal]), { fully: true });
      expect([signal, words]).toEqual([signal, leadsTo.replaceAll('OWING', owing(name))]);
    }
  },
);

test.each(questions)(
  '%s is left by an answer, or blocked where resume asks again [session/table/gate-deferred]',
  (name) => {
    const on = machine.states[name]?.on ?? {};
    for (const [signal, outcome] of Object.entries(open)) {
      const rest = restOf[name] === undefined ? 'blocked, back to here' : restOf[name];
      const words = on[signal] && routeInWords(branchesOf(on[signal]), { fully: true });
      expect([signal, words]).toEqual([signal, outcome === 'again' ? outcome : `${rest} (${outcome})`]);
    }
  },
);
