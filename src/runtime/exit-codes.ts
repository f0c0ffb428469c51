/** The pinned exit codes: scripts and CI rely on them. */

import type { Outcome } from '../engine/machine.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  needs_person: 3,
  not_ready: 4,
  over_budget: 5,
  locked: 6,
  unavailable: 69,
  temporary: 75,
  interrupted: 130,
} as const satisfies Record<Outcome | 'usage' | 'locked', number>;
