/** The transition table of a session: read it as the routing matrix of the workflow. */

import { defineMachine } from '../../engine/define-machine.ts';
import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { phases, type Phase } from './session-words.ts';
import { refusals, releasing, repairing } from './machine/releasing.ts';
import { designing, implementing } from './machine/building.ts';

const perTask = { scope: 'item', limit: 3 } as const;

export const machine = defineMachine({
  initial: 'new',
  commands: ['start', 'start_lean', 'retry', 'undo'],
  refusals,
  budgets: {
    fix_review: perTask,
    fix_tests: perTask,
    fix_security: perTask,
    fix_build: perTask,
    retries: { scope: 'visit', limit: 2 },
  },
  flags: {
    /** How the session is carried out: `full` until a person has chosen a review strategy. */
    mode: ['full', 'lean', 'per_batch', 'single_final'],
    /** What the gates under way judge: one task, the whole session, or what the release changed. */
    round: ['task', 'final', 'release'],
    /** Judgements the present files still lack beside that of the gate at work: none, the reviewer's, all of them. */
    pending_reviews: ['none', 'review', 'all'],
  },
  lists: ['tasks'],
  artifacts: ['design', 'plan', 'code', 'session'],
  tones: {
    passed: 'good',
    approved: 'good',
    green: 'good',
    reported: 'quiet',
    notes: 'warn',
    red: 'bad',
    red_accepted: 'warn',
    blocked: 'bad',
    invalid: 'bad',
  },
  gates: {
    design: {
      of: 'design',
      guards: ['plan', 'code'],
      passedBy: ['approve_design.approved', 'reapprove_design.approved'],
      waivedBy: ['new.start_lean', 'ask_lean.lean'],
      foundBy: ['recheck.design_changed'],
      confirmedBy: ['recheck.intact', 'recheck.code_changed'],
    },
    strategy: {
      of: 'plan',
      guards: ['code', 'review', 'qa', 'security'],
      passedBy: ['review_strategy.per_batch', 'review_strategy.single_final'],
      waivedBy: ['new.start_lean', 'ask_lean.lean'],
      confirmedBy: ['recheck.intact', 'recheck.code_changed'],
    },
    review: {
      of: 'code',
      guards: ['docs', 'done'],
      passedBy: ['review.passed', 'review.unchanged', 'ask_notes.none', 'ask_fix_review.accept'],
      // All tasks were done before.
      foundBy: ['schedule.none_left'],
      // QA that wrote nothing leaves what the reviewer saw.
      confirmedBy: ['recheck.intact', 'qa.passed', 'qa.unchanged', 'qa.not_needed'],
      voidedBy: ['recheck.code_changed', 'integrate.changed', 'verify_release.changed'],
    },
    closing: { of: 'session', guards: ['done'], passedBy: ['finish.complete'], foundBy: ['finish.complete'] },
  },
  invariants: {
    judged_before_accepted: {
      never: ['accept_task', 'accept_all', 'done'],
      while: { flag: 'pending_reviews', is: 'all' },
    },
    lean_has_no_gates: {
      never: ['research', 'approve_design', 'plan', 'review_strategy', 'docs'],
      while: { flag: 'mode', is: 'lean' },
    },
    built_before_released: {
      only: ['judge_criteria', 'docs', 'done'],
      after: ['integrate.green', 'integrate.red_accepted', 'ask_fix_build.accept'],
      since: ['code.reported', 'fix_review.reported', 'fix_tests.reported', 'fix_security.reported'],
    },
    criteria_before_release: {
      only: ['docs', 'done'],
      after: ['judge_criteria.settled'],
      since: ['ask_criteria.unmet', 'fix_build.reported', 'fix_build_code.reported'],
    },
  },
  states: { ...designing, ...implementing, ...repairing, ...releasing },
});

/** The phase that status.json shows; null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const shown = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === shown) ?? null;
}
