/** Where a change rests between commands: the phases, and what each command does in each of them. */

const notFound = { refuse: 'ChangeNotFound', outcome: 'not_ready' } as const;
const notReady = { refuse: 'ChangeNotReady', outcome: 'not_ready' } as const;
const notComplete = { refuse: 'ChangeNotComplete', outcome: 'not_ready' } as const;
const beyondPlanning = { refuse: 'BeyondPlanning', outcome: 'done' } as const;
const nothingToRetry = { refuse: 'NothingToRetry', outcome: 'not_ready' } as const;
const nothingToUndo = { refuse: 'NothingToUndo', outcome: 'not_ready' } as const;

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
      impl: notReady,
      review: notReady,
      archive: notComplete,
      retry: [
        { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
        { to: 'survey', set: { repaired: 'no' } },
      ],
      undo: nothingToUndo,
    },
  },
  challenged: {
    kind: 'parked',
    outcome: 'done',
    on: {
      plan: { to: 'compare_approved' },
      impl: { to: 'confirm_plan', remember: true },
      review: notReady,
      archive: notComplete,
      retry: nothingToRetry,
      undo: nothingToUndo,
    },
  },
  rejected: {
    kind: 'parked',
    outcome: 'needs_person',
    on: {
      plan: { to: 'compare_rejected' },
      impl: notReady,
      review: notReady,
      archive: notComplete,
      retry: nothingToRetry,
      undo: nothingToUndo,
    },
  },

  implementing: {
    kind: 'parked',
    outcome: 'needs_person',
    on: {
      plan: beyondPlanning,
      impl: { to: 'confirm_plan', remember: true, set: { stalled: 'no' } },
      review: { to: 'confirm_plan', remember: true, set: { stalled: 'no' } },
      archive: notComplete,
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
      plan: beyondPlanning,
      impl: { refuse: 'AlreadyComplete', outcome: 'done' },
      review: { to: 'run_checks', set: { rereview: 'yes', stalled: 'no' } },
      archive: { to: 'confirm_code', set: { stalled: 'no', rereview: 'no' } },
      retry: [
        { when: { flag: 'rereview', is: 'yes' }, to: 'run_checks', set: { stalled: 'no' } },
        { when: { flag: 'stalled', is: 'yes' }, to: 'reconfirm_code' },
        nothingToRetry,
      ],
      undo: { to: 'challenged', set: { stalled: 'no', rereview: 'no' } },
    },
  },

  archived: {
    kind: 'final',
    outcome: 'done',
    on: {
      plan: beyondPlanning,
      impl: notReady,
      review: notReady,
      archive: { refuse: 'AlreadyArchived', outcome: 'done' },
      retry: nothingToRetry,
      undo: nothingToUndo,
    },
  },
} as const;
