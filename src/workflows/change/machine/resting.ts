/** The states in which a change rests between commands: its phases, and the effect of each command in them. */

import type { Outcome } from '../../../engine/machine.ts';

const refuse = <const O extends Outcome>(reason: string, outcome: O) => ({ refuse: reason, outcome }) as const;
const notFound = refuse('ChangeNotFound', 'not_ready');

/** For commands that a phase does not name. */
export const refusals = {
  plan: refuse('BeyondPlanning', 'done'),
  impl: refuse('ChangeNotReady', 'not_ready'),
  review: refuse('ChangeNotReady', 'not_ready'),
  archive: refuse('ChangeNotComplete', 'not_ready'),
  retry: refuse('NothingToRetry', 'not_ready'),
  undo: refuse('NothingToUndo', 'not_ready'),
} as const;

export const resting = {
  new: {
    kind: 'parked',
    phase: null,
    outcome: 'not_ready',
    on: {
      plan: { to: 'survey' },
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
      plan: { to: 'survey', set: { stalled: 'no', repaired: 'no' } },
      retry: [
        { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
        { to: 'survey', set: { repaired: 'no' } },
      ],
    },
  },
  challenged: {
    kind: 'parked',
    outcome: 'done',
    on: { plan: { to: 'compare_approved' }, impl: { to: 'confirm_plan', remember: true } },
  },
  rejected: { kind: 'parked', outcome: 'needs_person', on: { plan: { to: 'compare_rejected' } } },

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
      undo: { to: 'challenged', set: { stalled: 'no' } },
    },
  },
  complete: {
    kind: 'parked',
    outcome: 'done',
    on: {
      impl: refuse('AlreadyComplete', 'done'),
      review: { to: 'run_checks', set: { rereview: 'yes', stalled: 'no' } },
      archive: { to: 'confirm_code', set: { stalled: 'no', rereview: 'no' } },
      retry: [
        { when: { flag: 'rereview', is: 'yes' }, to: 'run_checks', set: { stalled: 'no' } },
        { when: { flag: 'stalled', is: 'yes' }, to: 'reconfirm_code' },
        refusals.retry,
      ],
      undo: { to: 'challenged', set: { stalled: 'no', rereview: 'no' } },
    },
  },

  archived: { kind: 'final', outcome: 'done', on: { archive: refuse('AlreadyArchived', 'done') } },
} as const;
