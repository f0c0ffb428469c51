/** From an approved plan to reviewed code. */

import { faults, reviewFaults } from './faults.ts';

const stopImplementing = { to: 'implementing', set: { rereview: 'no' } } as const;

export const implementing = {
  confirm_plan: {
    kind: 'check',
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
    kind: 'check',
    phase: 'implementing',
    check: 'confirm_plan',
    on: {
      unchanged: { to: 'return', set: { stalled: 'no' } },
      accepted: { to: 'return', set: { stalled: 'no' } },
      edited: { to: 'implementing', outcome: 'not_ready' },
    },
  },
  select_tasks: {
    kind: 'check',
    phase: 'implementing',
    check: 'select_tasks',
    on: {
      work: { to: 'implement', load: 'groups' },
      to_review: { to: 'run_checks' },
      to_fix: [{ when: { left: 'implementation' }, to: 'fix', spend: 'implementation' }, { to: 'implementing' }],
      approved: { to: 'complete' },
      subset_done: { to: 'implementing', outcome: 'done' },
      blocked: { to: 'implementing' },
      invalid: { to: 'return', outcome: 'not_ready' },
    },
  },
  implement: {
    kind: 'dispatch',
    phase: 'implementing',
    role: 'implementer',
    each: 'groups',
    makes: 'code',
    on: {
      reported: [
        { when: { more: 'groups' }, to: 'implement', finish: true },
        { to: 'tally', finish: true },
      ],
      blocked: { to: 'implementing' },
      ...faults('implementing'),
    },
  },
  tally: {
    kind: 'check',
    phase: 'implementing',
    check: 'tally',
    on: {
      all_done: { to: 'run_checks' },
      subset_done: { to: 'implementing', outcome: 'done' },
      blocked: { to: 'implementing' },
    },
  },
  run_checks: {
    kind: 'check',
    phase: [{ when: { flag: 'rereview', is: 'yes' }, is: 'complete' }, 'implementing'],
    check: 'run_checks',
    on: { ran: { to: 'review' } },
  },
  review: {
    kind: 'dispatch',
    phase: [{ when: { flag: 'rereview', is: 'yes' }, is: 'complete' }, 'implementing'],
    role: 'reviewer',
    on: {
      approved: { to: 'complete', set: { rereview: 'no' } },
      needs_fix: [
        { when: { flag: 'rereview', is: 'yes' }, ...stopImplementing },
        { when: { left: 'implementation' }, to: 'fix', spend: 'implementation' },
        stopImplementing,
      ],
      major_issues: stopImplementing,
      ...reviewFaults(),
    },
  },
  // A fix may find that a task is not done after all, so the tasks are counted again.
  fix: {
    kind: 'dispatch',
    phase: 'implementing',
    role: 'implementer',
    makes: 'code',
    on: { reported: { to: 'tally' }, ...faults('implementing') },
  },
} as const;
