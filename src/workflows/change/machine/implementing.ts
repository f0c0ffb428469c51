/** From an approved plan to reviewed code. */

import { faults, reviewFaults } from './faults.ts';

const faulty = faults('implementing');
const check = { kind: 'check', phase: 'implementing' } as const;
const code = { kind: 'dispatch', phase: 'implementing', role: 'implementer', makes: 'code' } as const;
const fix = { when: { left: 'implementation' }, to: 'fix', spend: 'implementation' } as const;
const stop = { to: 'implementing', set: { rereview: 'no' } } as const;
const reviewing = { phase: [{ when: { flag: 'rereview', is: 'yes' }, is: 'complete' }, 'implementing'] } as const;

export const implementing = {
  confirm_plan: {
    ...check,
    phase: 'challenged',
    showsReturn: true,
    check: 'confirm_plan',
    on: {
      unchanged: { to: 'select_tasks' },
      accepted: { to: 'select_tasks' },
      edited: { to: 'return', outcome: 'not_ready' },
    },
  },
  // `retry` goes back to the step that failed, but no further than the approval reaches.
  reconfirm_plan: {
    ...check,
    check: 'confirm_plan',
    on: {
      unchanged: { to: 'return', set: { stalled: 'no' } },
      accepted: { to: 'return', set: { stalled: 'no' } },
      edited: { to: 'implementing', outcome: 'not_ready' },
    },
  },
  select_tasks: {
    ...check,
    check: 'select_tasks',
    on: {
      work: { to: 'implement', load: 'groups' },
      to_review: { to: 'run_checks' },
      to_fix: [fix, { to: 'implementing' }],
      approved: { to: 'complete' },
      subset_done: { to: 'implementing', outcome: 'done' },
      blocked: { to: 'implementing' },
      invalid: { to: 'return', outcome: 'not_ready' },
    },
  },
  implement: {
    ...code,
    each: 'groups',
    on: {
      reported: [
        { when: { more: 'groups' }, to: 'implement', finish: true },
        { to: 'tally', finish: true },
      ],
      blocked: { to: 'implementing' },
      ...faulty,
    },
  },
  tally: {
    ...check,
    check: 'tally',
    on: {
      all_done: { to: 'run_checks' },
      subset_done: { to: 'implementing', outcome: 'done' },
      blocked: { to: 'implementing' },
    },
  },
  run_checks: { ...check, ...reviewing, check: 'run_checks', on: { ran: { to: 'review' } } },
  review: {
    kind: 'dispatch',
    ...reviewing,
    role: 'reviewer',
    on: {
      approved: { to: 'complete', set: { rereview: 'no' } },
      needs_fix: [{ when: { flag: 'rereview', is: 'yes' }, ...stop }, fix, stop],
      major_issues: stop,
      ...reviewFaults(),
    },
  },
  // A fix may find that a task is not done after all, so the tasks are counted again.
  fix: { ...code, on: { reported: { to: 'tally' }, ...faulty } },
} as const;
