/**
 * The `issue` workflow as a transition table: the routing matrix of its specification.
 *
 * Nobody is asked: whatever would need a person leads to `fail`, whose writes are the record of the failure.
 * A plan is an item of a work list: what bounds its reviews and attempts is renewed with the next plan, and how many
 * plans there may be is a budget of the run.
 */

import { defineMachine } from '../../engine/define-machine.ts';
import { implementing, finishing, planning, testing } from './working-states.ts';

const refuse = <const R extends string>(reason: R) => ({ refuse: reason, outcome: 'not_ready' }) as const;

const resting = {
  new: { kind: 'parked', phase: null, outcome: 'not_ready', on: { run: { to: 'open_issue' } } },
  // A limit, an interruption or a missing agent: the step is made again.
  stopped: { kind: 'parked', outcome: 'interrupted', showsReturn: true, on: { retry: { to: 'return' } } },
  done: { kind: 'final', outcome: 'done', on: {} },
  failed: { kind: 'final', outcome: 'failed', on: {} },
} as const;

const writesCode = ['write_stubs', 'add_seam', 'write_tests', 'implement', 'fix_code'] as const;

export const machine = defineMachine({
  initial: 'new',
  unattended: true,
  commands: ['run', 'retry'],
  refusals: { run: refuse('AlreadyRun'), retry: refuse('NothingToRetry') },
  budgets: {
    /** ADR-13: `plan_rework_remaining` of the specification. */
    plan_rework: { scope: 'run', limit: 1 },
    /** One review less than cycles: nothing is edited after the last one. */
    plan_edits: { scope: 'item', limit: 2 },
    split_edits: { scope: 'item', limit: 1 },
    review_edits: { scope: 'item', limit: 2 },
    /** Shared by the repeats of tests and of the implementation. */
    escalations: { scope: 'item', limit: 2 },
    /** Documents that break a rule for what is handed to an agent. */
    rewrites: { scope: 'item', limit: 2 },
    retries: { scope: 'visit', limit: 2 },
  },
  flags: {
    /** What `make` was last asked for: a diagnosis leads back to it. */
    making: ['stubs', 'seam', 'body', 'fix'],
    /** Whether a claim that the task cannot be tested was refused before. */
    refused: ['no', 'yes'],
  },
  lists: ['plans'],
  artifacts: ['plan', 'split', 'code'],
  tones: {
    acceptable: 'good',
    green: 'good',
    red: 'good',
    signed: 'good',
    clean: 'quiet',
    needs_work: 'warn',
    production: 'warn',
    test: 'warn',
    cosmetic: 'warn',
    converged: 'warn',
    incomplete: 'warn',
    structural: 'warn',
    failing: 'bad',
    moved: 'bad',
    block: 'bad',
    plan_level: 'bad',
    split_needed: 'bad',
    unclean: 'bad',
    refused: 'bad',
  },
  gates: {
    code_reviewed: {
      of: 'code',
      guards: ['commit_code'],
      passedBy: ['review_code.acceptable'],
      // The review could not be satisfied, and what stays open is on record.
      waivedBy: ['give_up.recorded'],
      confirmedBy: ['confirm_code.unchanged'],
      voidedBy: ['apply_edits.applied', 'reset_code.reset', 'rework.reset'],
    },
  },
  invariants: {
    plans_are_bounded: { shrinks: 'plan_rework' },
    plan_reviewed_before_split: {
      only: ['draft_tasks'],
      after: ['review_plan.acceptable', 'review_plan.needs_work', 'review_plan.converged'],
      since: ['draft_plan.drafted', 'revise_plan.revised'],
    },
    split_reviewed_before_filing: {
      only: ['file_rest'],
      after: ['review_split.acceptable', 'review_split.needs_work'],
      since: ['draft_tasks.several', 'revise_tasks.several'],
    },
    hygiene_before_work: {
      only: [...writesCode],
      after: ['inspect_task.new_symbols', 'inspect_task.known_symbols', 'inspect_fix.clean'],
      since: ['draft_tasks.one', 'draft_tasks.several', 'revise_tasks.one', 'revise_tasks.several'],
    },
    // Nothing is implemented but against tests that were seen to fail, or with `check`'s word that there can be none.
    red_or_signed_off: {
      only: ['implement'],
      after: ['prove_red.red', 'prove_red.not_available', 'sign_off.signed'],
      since: ['write_tests.tests_ready', 'write_tests.escalated', 'fix_tests.revised', 'write_stubs.complete'],
    },
    stubs_checked_before_tests: {
      only: ['write_tests', 'implement'],
      after: ['check_stubs.valid', 'check_stubs.not_available', 'inspect_task.known_symbols'],
      since: ['write_stubs.complete'],
    },
    fix_inspected: { only: ['fix_code'], after: ['inspect_fix.clean'], since: ['draft_fix.drafted'] },
    code_committed_before_issue: {
      only: ['update_issue', 'close_issue', 'commit_todo', 'done'],
      after: ['commit_code.committed'],
    },
    failure_on_record: { only: ['commit_wip', 'failed'], after: ['fail.recorded'] },
  },
  states: { ...resting, ...planning, ...testing, ...implementing, ...finishing },
});
