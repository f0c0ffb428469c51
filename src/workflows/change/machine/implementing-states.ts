/** From an approved plan to reviewed code. */

import { checkIn, faults, nextItem, reviewFaults } from './steps.ts';

const faulty = faults('implementing');
const check = checkIn('implementing');
const code = { kind: 'dispatch', phase: 'implementing', role: 'implementer', makes: 'code' } as const;
const fix = { when: { left: 'implementation' }, to: 'fix', spend: 'implementation' } as const;
const stop = { to: 'implementing', set: { rereview: 'no' } } as const;
const reviewing = { phase: [{ when: { flag: 'rereview', is: 'yes' }, is: 'complete' }, 'implementing'] } as const;
const resumed = { to: 'return', set: { stalled: 'no' } } as const;
const subsetDone = { to: 'implementing', outcome: 'done' } as const;
const blocked = { to: 'implementing' } as const;

export const implementing = {
  confirm_plan: {
    ...check('confirm_plan', {
      unchanged: { to: 'select_tasks' },
      accepted: { to: 'select_tasks' },
      edited: { to: 'return', outcome: 'not_ready' },
    }),
    phase: 'challenged',
    showsReturn: true,
  },
  // `retry` goes back to the step that failed, but no further than the approval reaches.
  reconfirm_plan: check('confirm_plan', {
    unchanged: resumed,
    accepted: resumed,
    edited: { to: 'implementing', outcome: 'not_ready' },
  }),
  select_tasks: check('select_tasks', {
    work: { to: 'implement', load: 'groups' },
    to_review: { to: 'run_checks' },
    to_fix: [fix, { to: 'implementing' }],
    approved: { to: 'complete' },
    subset_done: subsetDone,
    blocked,
    invalid: { to: 'return', outcome: 'not_ready' },
  }),
  implement: {
    ...code,
    each: 'groups',
    on: { reported: nextItem('groups', 'implement', 'tally'), blocked, ...faulty },
  },
  tally: check('tally', { all_done: { to: 'run_checks' }, subset_done: subsetDone, blocked }),
  run_checks: { ...check('run_checks', { ran: { to: 'review' } }), ...reviewing },
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
