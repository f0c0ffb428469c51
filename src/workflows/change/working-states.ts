/** The states in which a change is at work, phase by phase. */

import { faultRoutes } from '../../engine/define-machine.ts';
import type { Outcome } from '../../engine/machine.ts';

function checkIn<const P extends string>(phase: P) {
  return <const C extends string, const O>(check: C, on: O) => ({ kind: 'check', phase, check, on }) as const;
}

/** What was approved is compared again where another process goes on. */
const planConfirmed = { resume: { to: 'reconfirm_plan', remember: true } } as const;
const codeConfirmed = { resume: { to: 'reconfirm_code', remember: true } } as const;

/** The next item of a list, or behind the last one the next step. */
function nextItem<const L, const S, const N>(list: L, step: S, next: N) {
  return [
    { when: { more: list }, to: step, finish: true },
    { to: next, finish: true },
  ] as const;
}

const again = { when: { left: 'retries' }, to: 'again', spend: 'retries' } as const;

/** Transient faults are retried; then, and for all others, the run stops where its phase rests and can be retried. */
function faults<const R extends 'proposed' | 'implementing' | 'complete'>(rest: R) {
  const stop = (outcome: Outcome) => stopAt(rest, outcome);
  return faultRoutes([again, stop('failed')] as const, stop);
}

/** A fresh review of a complete change leaves it complete when it cannot be had. */
function reviewFaults() {
  const fresh = { when: { flag: 'rereview', is: 'yes' } } as const;
  const stop = (outcome: Outcome) =>
    [{ ...fresh, ...stopAt('complete', outcome) }, stopAt('implementing', outcome)] as const;
  return faultRoutes([again, ...stop('failed')] as const, stop);
}

function stopAt<const R extends string>(to: R, outcome: Outcome) {
  return { to, remember: true, set: { stalled: 'yes' }, outcome } as const;
}

const inPlan = checkIn('proposed');
const planFaults = faults('proposed');
const plan = { kind: 'dispatch', phase: 'proposed', role: 'planner', makes: 'plan' } as const;

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

/** The format of every new version of the plan may be repaired once. */
const anew = { set: { repaired: 'no' } } as const;
const revise = { when: { left: 'planning' }, to: 'revise', spend: 'planning', ...anew } as const;
const replan = { to: 'survey', ...anew } as const;

/** From a description to a plan that was challenged. */
export const planning = {
  survey: inPlan('survey', { nothing: { to: 'propose' }, ...generate }),
  propose: { ...plan, on: { reported: { to: 'order' }, ...planFaults } },
  order: inPlan('order', generate),
  specify: { ...plan, each: 'specs', on: { reported: nextItem('specs', 'specify', 'find_tasks'), ...planFaults } },
  find_tasks: inPlan('find_tasks', { missing: { to: 'list_tasks' }, present: { to: 'validate' } }),
  list_tasks: { ...plan, on: { reported: { to: 'validate' }, ...planFaults } },
  validate: inPlan('validate', {
    valid: { to: 'challenge' },
    invalid: [
      { when: { flag: 'repaired', is: 'no' }, to: 'repair', set: { repaired: 'yes' } },
      { to: 'proposed', set: { repaired: 'no' } },
    ],
  }),
  repair: { ...plan, on: { reported: { to: 'order' }, ...planFaults } },
  challenge: {
    kind: 'dispatch',
    phase: 'proposed',
    role: 'challenger',
    after: 'validate',
    on: {
      approved: { to: 'challenged' },
      needs_revision: [revise, { to: 'ask_revision', set: { high: 'yes' } }],
      needs_minor_revision: [revise, { to: 'ask_revision', set: { high: 'no' } }],
      rejected: { to: 'rejected' },
      ...planFaults,
    },
  },
  revise: { ...plan, on: { reported: { to: 'order' }, ...planFaults } },
  ask_revision: {
    kind: 'decide',
    phase: 'proposed',
    question: 'revision',
    on: {
      implement_anyway: [
        { when: { flag: 'high', is: 'yes' }, refuse: 'HighIssueOpen', outcome: 'needs_person' },
        { to: 'challenged' },
      ],
      continue: { to: 'revise', grant: 'planning', spend: 'planning', ...anew },
      view: { to: 'again' },
      withdrawn: { to: 'proposed' },
    },
  },
  compare_rejected: checkIn('rejected')('compare_rejected', { changed: replan, unchanged: { to: 'rejected' } }),
  compare_approved: checkIn('challenged')('compare_approved', { changed: replan, unchanged: { to: 'challenged' } }),
} as const;

const inCode = checkIn('implementing');
const codeFaults = faults('implementing');
const edited = { to: 'implementing', outcome: 'not_ready' } as const;
const editedInReview = [
  { when: { flag: 'rereview', is: 'yes' }, to: 'complete', set: { rereview: 'no' }, outcome: 'not_ready' },
  edited,
] as const;
const code = { kind: 'dispatch', phase: 'implementing', role: 'implementer', makes: 'code', ...planConfirmed } as const;
const fix = { when: { left: 'implementation' }, to: 'fix', spend: 'implementation' } as const;
const stop = { to: 'implementing', set: { rereview: 'no' } } as const;
const reviewing = { phase: [{ when: { flag: 'rereview', is: 'yes' }, is: 'complete' }, 'implementing'] } as const;
const resumed = { to: 'return', set: { stalled: 'no' } } as const;
const subsetDone = { to: 'implementing', outcome: 'done' } as const;
const blocked = { to: 'implementing' } as const;

/** A small change: one agent plans and implements it, and another reviews both. */
export const leanWork = {
  make_lean: {
    kind: 'dispatch',
    phase: 'proposed',
    role: 'author',
    makes: 'code',
    on: { reported: { to: 'accept_lean' }, ...planFaults },
  },
  accept_lean: inPlan('accept_lean', {
    valid: { to: 'run_checks' },
    invalid: [
      { when: { flag: 'repaired', is: 'no' }, to: 'make_lean', set: { repaired: 'yes' } },
      { to: 'proposed', set: { repaired: 'no' } },
    ],
    too_large: { to: 'proposed', set: { lean: 'no' } },
  }),
} as const;

/** From an approved plan to reviewed code. */
export const implementing = {
  confirm_plan: {
    ...inCode('confirm_plan', {
      unchanged: { to: 'select_tasks' },
      accepted: { to: 'select_tasks' },
      edited: { to: 'return', outcome: 'not_ready' },
    }),
    phase: 'challenged',
    showsReturn: true,
  },
  // `retry`, and whoever goes on with an interrupted step, comes back to it, but no further than the approval reaches.
  reconfirm_plan: {
    ...inCode('confirm_plan', { unchanged: resumed, accepted: resumed, edited: editedInReview }),
    ...reviewing,
  },
  // Before a fresh review of a complete change.
  confirm_review: checkIn('complete')('confirm_plan', {
    unchanged: { to: 'run_checks' },
    accepted: { to: 'run_checks' },
    edited: { to: 'complete', set: { rereview: 'no' }, outcome: 'not_ready' },
  }),
  select_tasks: {
    ...inCode('select_tasks', {
      work: { to: 'implement', load: 'groups' },
      to_review: { to: 'run_checks' },
      to_fix: [fix, { to: 'implementing' }],
      approved: { to: 'complete' },
      subset_done: subsetDone,
      blocked,
      invalid: { to: 'return', outcome: 'not_ready' },
    }),
    resume: { to: 'confirm_plan' },
  },
  implement: {
    ...code,
    each: 'groups',
    // Tasks that were reported stay reported; the next attempt has only the others.
    on: {
      reported: nextItem('groups', 'implement', 'tally'),
      partly: [again, stopAt('implementing', 'failed')],
      blocked,
      ...codeFaults,
    },
  },
  tally: {
    ...inCode('tally', { all_done: { to: 'run_checks' }, subset_done: subsetDone, blocked }),
    ...planConfirmed,
  },
  run_checks: {
    ...inCode('run_checks', { ran: { to: 'review' } }),
    ...reviewing,
    ...planConfirmed,
  },
  review: {
    kind: 'dispatch',
    ...reviewing,
    role: 'reviewer',
    after: 'run_checks',
    ...planConfirmed,
    on: {
      approved: { to: 'complete', set: { rereview: 'no' } },
      needs_fix: [{ when: { flag: 'rereview', is: 'yes' }, ...stop }, fix, stop],
      major_issues: stop,
      // Before or while it was judged: nothing judges code by a plan that nobody approved.
      edited: editedInReview,
      ...reviewFaults(),
    },
  },
  // A fix may find that a task is not done after all, so the tasks are counted again.
  fix: { ...code, on: { reported: { to: 'tally' }, ...codeFaults } },
} as const;

const inMerge = checkIn('complete');
const mergeFaults = faults('complete');
const merging = { kind: 'dispatch', phase: 'complete', ...codeConfirmed } as const;
const changed = { to: 'complete', outcome: 'not_ready' } as const;
const invalid = { to: 'complete', outcome: 'needs_person' } as const;
const merged = { to: 'archived' } as const;

/** From reviewed code to merged specs. */
export const archiving = {
  confirm_code: inMerge('confirm_code', { unchanged: { to: 'merge' }, changed }),
  reconfirm_code: inMerge('confirm_code', { unchanged: { to: 'return', set: { stalled: 'no' } }, changed }),
  merge: {
    ...inMerge('merge', { merged, conflicts: { to: 'merge_by_hand', load: 'conflicts' }, invalid }),
    ...codeConfirmed,
  },
  merge_by_hand: {
    ...merging,
    role: 'archivist',
    each: 'conflicts',
    makes: 'merge',
    on: {
      reported: nextItem('conflicts', 'merge_by_hand', 'review_merge'),
      text_lost: [{ when: { left: 'archiving' }, to: 'again', spend: 'archiving' }, invalid],
      ...mergeFaults,
    },
  },
  review_merge: {
    ...merging,
    role: 'reviewer',
    on: {
      approved: { to: 'finish_merge' },
      needs_fix: [{ when: { left: 'archiving' }, to: 'merge', spend: 'archiving' }, invalid],
      ...mergeFaults,
    },
  },
  // The texts that were approved wait as files: edited meanwhile, they are judged again.
  reconfirm_merge: inMerge('confirm_merge', { unchanged: { to: 'return' }, edited: { to: 'review_merge' }, changed }),
  finish_merge: {
    ...inMerge('merge', { merged, invalid }),
    resume: { to: 'reconfirm_merge', remember: true },
  },
} as const;
