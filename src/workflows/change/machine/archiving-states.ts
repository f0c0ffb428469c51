/** From reviewed code to merged specs. */

import { checkIn, faults, nextItem } from './steps.ts';

const faulty = faults('complete');
const check = checkIn('complete');
const changed = { to: 'complete', outcome: 'not_ready' } as const;
const invalid = { to: 'complete', outcome: 'needs_person' } as const;
const merged = { to: 'archived' } as const;

export const archiving = {
  confirm_code: check('confirm_code', { unchanged: { to: 'merge' }, changed }),
  reconfirm_code: check('confirm_code', { unchanged: { to: 'return', set: { stalled: 'no' } }, changed }),
  merge: check('merge', { merged, conflicts: { to: 'merge_by_hand', load: 'conflicts' }, invalid }),
  merge_by_hand: {
    kind: 'dispatch',
    phase: 'complete',
    role: 'archivist',
    each: 'conflicts',
    makes: 'merge',
    on: { reported: nextItem('conflicts', 'merge_by_hand', 'review_merge'), ...faulty },
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
  finish_merge: check('merge', { merged, invalid }),
} as const;
