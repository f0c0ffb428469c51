/**
 * The `feature` workflow as a transition table.
 *
 * One loop for documents, one for code: the executor makes or revises, a check looks at what needs no agent, a reviewer
 * judges. `input` tells whether the document that a phase cannot do without was found.
 */

import { defineMachine } from '../../engine/define-machine.ts';
import { finishing } from './finishing-states.ts';
import { coding, documenting, entering, resting } from './phase-states.ts';

const refuse = <const R extends string>(reason: R) => ({ refuse: reason, outcome: 'not_ready' }) as const;

const notActive = refuse('NotActive');
const created = refuse('AlreadyCreated');

const commands = ['brainstorm', 'specify', 'design', 'create_plan', 'create_tasks', 'implement', 'verify'] as const;
const atWork = [
  'produce',
  'review',
  'review_verification',
  'implement_task',
  'revise',
  'review_code',
  'final_review',
] as const;

export const machine = defineMachine({
  initial: 'new',
  commands: ['create_hotfix', 'create_quick', 'create_standard', 'create_full', ...commands, 'finish', 'retry'],
  refusals: {
    create_hotfix: created,
    create_quick: created,
    create_standard: created,
    create_full: created,
    brainstorm: notActive,
    specify: notActive,
    design: notActive,
    create_plan: notActive,
    create_tasks: notActive,
    implement: notActive,
    verify: notActive,
    finish: notActive,
    retry: refuse('NothingToRetry'),
  },
  budgets: {
    /** One less than the iterations of the mode, which sets both when a phase begins. */
    rounds: { scope: 'item', limit: 2 },
    addresses: { scope: 'item', limit: 3 },
    retries: { scope: 'visit', limit: 2 },
  },
  flags: {
    mode: ['standard', 'hotfix', 'quick', 'full'],
    /** The phase at work, and the last one that was completed. */
    target: ['brainstorm', 'specify', 'design', 'create_plan', 'create_tasks', 'implement', 'verify'],
    current: ['created', 'brainstorm', 'specify', 'design', 'create_plan', 'create_tasks', 'implement', 'verify'],
    input: ['unneeded', 'missing', 'found', 'waived'],
    verify: ['optional', 'required', 'approved'],
  },
  lists: ['work'],
  artifacts: ['document', 'code'],
  tones: {
    approved: 'good',
    sound: 'quiet',
    verified: 'quiet',
    unverified: 'quiet',
    ready: 'quiet',
    merged: 'good',
    changes: 'warn',
    findings: 'warn',
    warned: 'warn',
    skipped: 'warn',
    unsound: 'bad',
    missing: 'bad',
    dirty: 'bad',
    conflict: 'bad',
    refused: 'bad',
  },
  gates: {
    // Full mode finishes only what `verify` approved, as it was then; the other modes need no verification.
    verified: {
      of: 'code',
      guards: ['ask_finish', 'merge', 'open_pull_request'],
      passedBy: ['review_verification.approved'],
      foundBy: ['inspect.sound'],
      confirmedBy: ['inspect_finish.verified', 'inspect_merge.verified', 'inspect_request.verified'],
      waivedBy: ['inspect_finish.unverified', 'inspect_merge.unverified', 'inspect_request.unverified'],
      voidedBy: ['admit.proceed', 'confirm_move.proceed'],
    },
  },
  invariants: {
    input_before_work: { never: ['admit', 'start', ...atWork], while: { flag: 'input', is: 'missing' } },
    admitted_before_work: {
      only: ['start', ...atWork],
      after: ['admit.proceed', 'confirm_move.proceed'],
      since: [...commands.flatMap((each) => [`idle.${each}`, `stopped.${each}`] as const), 'admit.warned'],
    },
    input_found_again: {
      only: atWork,
      after: ['refind_input.found', 'refind_input.missing', 'admit.proceed', 'confirm_move.proceed'],
      since: ['stopped.retry', ...['retry' as const, ...commands].map((each) => `suspended.${each}` as const)],
    },
    reviewed_or_skipped: {
      only: ['complete'],
      after: [
        'review.approved',
        'review.changes',
        'review_verification.approved',
        'review_verification.changes',
        'final_review.approved',
        'ask_findings.proceed',
        'inspect.skipped',
        'inspect_code.skipped',
      ],
      since: ['start.begun', 'start.partial', 'start.tasks_done', 'produce.made', 'implement_task.made', 'revise.made'],
    },
    reviewed_before_final: {
      only: ['final_review'],
      after: ['review_code.approved', 'review_code.changes'],
      since: ['start.begun', 'start.partial', 'start.tasks_done', 'implement_task.made', 'revise.made'],
    },
    full_is_verified: {
      never: ['ask_finish', 'merge', 'open_pull_request', 'clean_up', 'done'],
      while: { flag: 'verify', is: 'required' },
    },
    discard_is_typed: {
      only: ['inspect_discard', 'discard', 'discarded'],
      after: ['confirm_discard.confirmed'],
      since: ['ask_finish.discard'],
    },
  },
  states: { ...resting, ...entering, ...documenting, ...coding, ...finishing },
});
