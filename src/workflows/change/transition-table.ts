/**
 * The `change` workflow as a transition table.
 *
 * Parked and final states carry the names of the phases in STATE.yaml; a command decides on those alone.
 * Everything a route depends on beyond budgets and flags is found out by a check state and arrives as a signal.
 */

import { defineMachine } from '../../engine/define-machine.ts';
import type { Outcome } from '../../engine/machine.ts';
import { archiving, implementing, leanWork, planning } from './working-states.ts';

const refuse = <const O extends Outcome>(reason: string, outcome: O) => ({ refuse: reason, outcome }) as const;
const notFound = refuse('ChangeNotFound', 'not_ready');
const inFull = refuse('PlannedInFull', 'not_ready');

const refusals = {
  plan: refuse('BeyondPlanning', 'done'),
  lean: refuse('BeyondPlanning', 'done'),
  impl: refuse('ChangeNotReady', 'not_ready'),
  review: refuse('ChangeNotReady', 'not_ready'),
  archive: refuse('ChangeNotComplete', 'not_ready'),
  retry: refuse('NothingToRetry', 'not_ready'),
  undo: refuse('NothingToUndo', 'not_ready'),
} as const;

/** Nobody challenged the plan of a lean change, so without its code it is a proposal. */
const unplanned = {
  when: { flag: 'lean', is: 'yes' },
  to: 'proposed',
  set: { stalled: 'no', rereview: 'no', lean: 'no' },
} as const;

const resting = {
  new: {
    kind: 'parked',
    phase: null,
    outcome: 'not_ready',
    on: {
      plan: { to: 'survey' },
      lean: { to: 'make_lean', set: { lean: 'yes' } },
      impl: notFound,
      review: notFound,
      archive: notFound,
      retry: notFound,
      undo: notFound,
    },
  },

  proposed: {
    kind: 'parked',
    outcome: 'needs_person',
    on: {
      plan: { to: 'survey', set: { stalled: 'no', repaired: 'no', lean: 'no' } },
      lean: [{ when: { flag: 'lean', is: 'yes' }, to: 'make_lean', set: { stalled: 'no', repaired: 'no' } }, inFull],
      retry: [
        { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
        { when: { flag: 'lean', is: 'yes' }, to: 'make_lean', set: { repaired: 'no' } },
        { to: 'survey', set: { repaired: 'no' } },
      ],
    },
  },
  challenged: {
    kind: 'parked',
    outcome: 'done',
    on: { plan: { to: 'compare_approved' }, lean: inFull, impl: { to: 'confirm_plan', remember: true } },
  },
  rejected: { kind: 'parked', outcome: 'needs_person', on: { plan: { to: 'compare_rejected' }, lean: inFull } },

  implementing: {
    kind: 'parked',
    outcome: 'needs_person',
    on: {
      impl: { to: 'confirm_plan', remember: true, set: { stalled: 'no' } },
      review: { to: 'confirm_plan', remember: true, set: { stalled: 'no' } },
      retry: [
        { when: { flag: 'stalled', is: 'yes' }, to: 'reconfirm_plan' },
        { to: 'confirm_plan', remember: true },
      ],
      undo: [unplanned, { to: 'challenged', set: { stalled: 'no' } }],
    },
  },
  complete: {
    kind: 'parked',
    outcome: 'done',
    on: {
      impl: refuse('AlreadyComplete', 'done'),
      review: { to: 'confirm_review', set: { rereview: 'yes', stalled: 'no' } },
      archive: { to: 'confirm_code', set: { stalled: 'no', rereview: 'no' } },
      retry: [
        { when: { flag: 'rereview', is: 'yes' }, to: 'confirm_review', set: { stalled: 'no' } },
        { when: { flag: 'stalled', is: 'yes' }, to: 'reconfirm_code' },
        refusals.retry,
      ],
      undo: [unplanned, { to: 'challenged', set: { stalled: 'no', rereview: 'no' } }],
    },
  },

  archived: { kind: 'final', outcome: 'done', on: { archive: refuse('AlreadyArchived', 'done') } },
} as const;

export const machine = defineMachine({
  initial: 'new',
  commands: ['plan', 'impl', 'review', 'archive', 'lean', 'retry', 'undo'],
  refusals,
  budgets: {
    planning: { scope: 'command', limit: 2 },
    implementation: { scope: 'command', limit: 2 },
    archiving: { scope: 'command', limit: 1 },
    retries: { scope: 'visit', limit: 3 },
  },
  flags: {
    /** Whether the last review of the plan has a High finding: then nobody may implement it. */
    high: ['no', 'yes'],
    /** Whether the planner was already sent back for the format of this version of the plan. */
    repaired: ['no', 'yes'],
    /** Whether a fault stopped the run, so that `retry` has a step to go back to. */
    stalled: ['no', 'yes'],
    /** Whether the review under way is a fresh one of a complete change. */
    rereview: ['no', 'yes'],
    /** Whether a person did without a challenge, because the change is small. */
    lean: ['no', 'yes'],
  },
  lists: ['specs', 'groups', 'conflicts'],
  artifacts: ['plan', 'code', 'merge'],
  tones: {
    approved: 'good',
    reported: 'quiet',
    ran: 'quiet',
    needs_revision: 'warn',
    needs_minor_revision: 'warn',
    needs_fix: 'warn',
    text_lost: 'warn',
    rejected: 'bad',
    major_issues: 'bad',
    blocked: 'bad',
    invalid: 'bad',
    edited: 'bad',
  },
  gates: {
    plan_approved: {
      of: 'plan',
      guards: ['implement', 'fix'],
      passedBy: [
        'challenge.approved',
        'ask_revision.implement_anyway',
        'confirm_plan.accepted',
        'reconfirm_plan.accepted',
        'confirm_review.accepted',
      ],
      confirmedBy: ['confirm_plan.unchanged', 'reconfirm_plan.unchanged', 'confirm_review.unchanged'],
      // A person began it as lean: see `lean_by_a_person`.
      waivedBy: ['accept_lean.valid'],
      voidedBy: ['proposed.plan'],
      // A plan that somebody wrote by hand.
      foundBy: ['survey.complete', 'accept_lean.valid'],
      keptBy: ['implementing.undo', 'complete.undo'],
    },
    code_reviewed: {
      of: 'code',
      guards: ['merge', 'merge_by_hand', 'finish_merge', 'archived'],
      // The second is the recorded verdict again, found to be of this very tree: after the phase was set back by hand.
      passedBy: ['review.approved', 'select_tasks.approved'],
      // All tasks were done before.
      foundBy: ['select_tasks.to_review', 'select_tasks.approved'],
      confirmedBy: [
        'confirm_code.unchanged',
        'reconfirm_code.unchanged',
        'reconfirm_merge.unchanged',
        'reconfirm_merge.edited',
      ],
    },
    merge_reviewed: {
      of: 'merge',
      guards: ['finish_merge'],
      passedBy: ['review_merge.approved'],
      confirmedBy: ['reconfirm_merge.unchanged'],
    },
  },
  invariants: {
    high_issue_stays_open: { never: ['ask_revision.implement_anyway'], while: { flag: 'high', is: 'yes' } },
    // `retry` goes back to a step once.
    retry_clears_stalled: {
      never: [
        'propose',
        'specify',
        'list_tasks',
        'repair',
        'revise',
        'challenge',
        'challenged',
        'implement',
        'fix',
        'review',
      ],
      while: { flag: 'stalled', is: 'yes' },
    },
    fresh_review_ends: {
      never: ['implementing', 'implement', 'fix', 'confirm_code', 'merge', 'archived'],
      while: { flag: 'rereview', is: 'yes' },
    },
    lean_by_a_person: { never: ['make_lean', 'accept_lean'], while: { flag: 'lean', is: 'no' } },
    lean_is_not_challenged: { never: ['propose', 'challenge', 'challenged'], while: { flag: 'lean', is: 'yes' } },
    lean_plan_checked_before_review: {
      only: ['review'],
      after: ['accept_lean.valid', 'confirm_plan.unchanged', 'confirm_plan.accepted'],
      since: ['make_lean.reported'],
    },
    tasks_counted_before_review: {
      only: ['review'],
      after: ['tally.all_done', 'accept_lean.valid', 'select_tasks.to_review', 'complete.review', 'complete.retry'],
      since: ['implement.reported', 'fix.reported', 'make_lean.reported'],
    },
    archived_by_command: {
      only: ['merge', 'archived'],
      after: ['complete.archive'],
      since: ['complete.review', 'complete.undo'],
    },
  },
  states: { ...resting, ...planning, ...leanWork, ...implementing, ...archiving },
});
