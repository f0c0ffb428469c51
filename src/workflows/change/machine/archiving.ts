/** From reviewed code to merged specs. */

import { faults } from './faults.ts';

const faulty = faults('complete');
const check = { kind: 'check', phase: 'complete' } as const;
const changed = { to: 'complete', outcome: 'not_ready' } as const;
const invalid = { to: 'complete', outcome: 'needs_person' } as const;

export const archiving = {
  confirm_code: { ...check, check: 'confirm_code', on: { unchanged: { to: 'merge' }, changed } },
  reconfirm_code: {
    ...check,
    check: 'confirm_code',
    on: { unchanged: { to: 'return', set: { stalled: 'no' } }, changed },
  },
  merge: {
    ...check,
    check: 'merge',
    on: { merged: { to: 'archived' }, conflicts: { to: 'merge_by_hand', load: 'conflicts' }, invalid },
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
      ...faulty,
    },
  },
  review_merge: {
    kind: 'dispatch',
    phase: 'complete',
    role: 'reviewer',
    on: {
      approved: { to: 'finish_merge' },
      needs_fix: [{ when: { left: 'archiving' }, to: 'merge', spend: 'archiving' }, invalid],
      ...faulty,
    },
  },
  finish_merge: { ...check, check: 'merge', on: { merged: { to: 'archived' }, invalid } },
} as const;
