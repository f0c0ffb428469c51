/** The parts that the steps of all phases have in common. */

import { faultRoutes } from '../../../engine/define-machine.ts';
import type { Outcome } from '../../../engine/machine.ts';

export function checkIn<const P extends string>(phase: P) {
  return <const C extends string, const O>(check: C, on: O) => ({ kind: 'check', phase, check, on }) as const;
}

/** The next item of a list, or behind the last one the next step. */
export function nextItem<const L extends string, const S extends string, const N extends string>(
  list: L,
  step: S,
  next: N,
) {
  return [
    { when: { more: list }, to: step, finish: true },
    { to: next, finish: true },
  ] as const;
}

const again = { when: { left: 'retries' }, to: 'again', spend: 'retries' } as const;

/** Transient faults are retried; then, and for all others, the run stops where its phase rests and can be retried. */
export function faults<const R extends 'proposed' | 'implementing' | 'complete'>(rest: R) {
  const stop = (outcome: Outcome) => stopAt(rest, outcome);
  return faultRoutes([again, stop('failed')] as const, stop);
}

/** A fresh review of a complete change leaves it complete when it cannot be had. */
export function reviewFaults() {
  const stop = (outcome: Outcome) =>
    [
      { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', outcome) },
      stopAt('implementing', outcome),
    ] as const;
  return faultRoutes([again, ...stop('failed')] as const, stop);
}

function stopAt<const R extends string>(to: R, outcome: Outcome) {
  return { to, remember: true, set: { stalled: 'yes' }, outcome } as const;
}
