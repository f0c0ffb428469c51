import type { Fault, Move, On, Route } from '../../../engine/machine.ts';
import type { ChangeVocabulary as V } from '../vocabulary.ts';

/** Transient faults are retried; then, and for all others, the run stops where its phase rests and can be retried. */
export function faults(rest: 'proposed' | 'implementing' | 'complete'): On<Fault, V> {
  const stopAt = (to: typeof rest, outcome: NonNullable<Move['outcome']>) =>
    ({ to, remember: true, set: { stalled: 'yes', rereview: 'no' }, outcome }) as const;
  const stop = (outcome: NonNullable<Move['outcome']>): Route<V> => [
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', outcome) },
    stopAt(rest, outcome),
  ];
  const retry: Route<V> = [
    { when: { left: 'retries' }, to: 'again', spend: 'retries' },
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', 'failed') },
    stopAt(rest, 'failed'),
  ];
  return {
    failed: retry,
    timed_out: retry,
    unparseable: retry,
    out_of_bounds: retry,
    rate_limited: stop('temporary'),
    unavailable: stop('unavailable'),
    over_budget: stop('over_budget'),
    cancelled: stop('interrupted'),
  };
}
