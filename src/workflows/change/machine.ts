/**
 * The `change` workflow as a transition table.
 *
 * Parked and final states carry the names of the phases in STATE.yaml; a command decides on those alone.
 * Everything a route depends on beyond budgets and flags is found out by a check state and arrives as a signal.
 */

import { defineMachine } from '../../engine/define-machine.ts';
import { archiving } from './machine/archiving.ts';
import { implementing } from './machine/implementing.ts';
import { planning } from './machine/planning.ts';
import { refusals, resting } from './machine/resting.ts';

export const machine = defineMachine({
  initial: 'new',
  commands: ['plan', 'impl', 'review', 'archive', 'retry', 'undo'],
  refusals,
  budgets: {
    planning: { scope: 'command', limit: 2 },
    implementation: { scope: 'command', limit: 2 },
    archiving: { scope: 'command', limit: 1 },
    retries: { scope: 'visit', limit: 3 },
  },
  flags: {
    /** Whether the last review of the plan has a High finding: then nobody may go on with it. */
    high: ['no', 'yes'],
    /** Whether the planner was already sent back for the format of this version of the plan. */
    repaired: ['no', 'yes'],
    /** Whether a fault stopped the run, so that `retry` has a step to go back to. */
    stalled: ['no', 'yes'],
    /** Whether the review under way is a fresh one of a complete change. */
    rereview: ['no', 'yes'],
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
      ],
      confirmedBy: ['confirm_plan.unchanged', 'reconfirm_plan.unchanged'],
    },
    code_reviewed: {
      of: 'code',
      guards: ['merge', 'merge_by_hand', 'finish_merge', 'archived'],
      // The second is the recorded verdict again, found to be of this very tree: after the phase was set back by hand.
      passedBy: ['review.approved', 'select_tasks.approved'],
      confirmedBy: ['confirm_code.unchanged', 'reconfirm_code.unchanged'],
      voidedBy: ['implementing.undo', 'complete.undo'],
    },
    merge_reviewed: { of: 'merge', guards: ['finish_merge'], passedBy: ['review_merge.approved'] },
  },
  states: { ...resting, ...planning, ...implementing, ...archiving },
});
