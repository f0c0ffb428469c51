/** From reviewed code to merged specs. */

import { faults } from './faults.ts';

export const archiving = {
  confirm_code: {
    kind: 'check',
    phase: 'complete',
    check: 'confirm_code',
    on: { unchanged: { to: 'merge' }, changed: { to: 'complete', outcome: 'not_ready' } },
  },
  reconfirm_code: {
    kind: 'check',
    phase: 'complete',
    check: 'confirm_code',
    on: { unchanged: { to: 'return', set: { stalled: 'no' } }, changed: { to: 'complete', outcome: 'not_ready' } },
  },
  merge: {
    kind: 'check',
    phase: 'complete',
    check: 'merge',
    on: {
      merged: { to: 'archived' },
      conflicts: { to: 'merge_by_hand', load: 'conflicts' },
      invalid: { to: 'complete', outcome: 'needs_person' },
    },
  },
  merge_by_hand: {
    kind: 'dispatch',
    phase: 'complete',
    role: 'archivist',
    each: 'conflicts',
    makes: 'merge',
    on: {
      reported: [
        { when: { more: 'conflicts' }, to: 'merge_by_hand', finish: true },
        { to: 'review_merge', finish: true },
      ],
      ...faults('complete'),
    },
  },
  review_merge: {
    kind: 'dispatch',
    phase: 'complete',
    role: 'reviewer',
    on: {
      approved: { to: 'finish_merge' },
      needs_fix: [
        { when: { left: 'archiving' }, to: 'merge', spend: 'archiving' },
        { to: 'complete', outcome: 'needs_person' },
      ],
      ...faults('complete'),
    },
  },
  finish_merge: {
    kind: 'check',
    phase: 'complete',
    check: 'merge',
    on: { merged: { to: 'archived' }, invalid: { to: 'complete', outcome: 'needs_person' } },
  },
} as const;
