import type { Fault, Move, On, Route } from '../../../engine/machine.ts';
import type { ChangeVocabulary as V } from '../vocabulary.ts';

type Stopped = Exclude<Move['outcome'], undefined>;

/** Transient faults are retried; then, and for all others, the run stops where its phase rests and can be retried. */
export function faults(rest: 'proposed' | 'implementing' | 'complete'): On<Fault, V> {
  const stop = (outcome: Stopped) => ({ to: rest, remember: true, set: { stalled: 'yes' }, outcome }) as const;
  return routes(stop, [{ when: { left: 'retries' }, to: 'again', spend: 'retries' }, stop('failed')]);
}

/** A fresh review of a complete change leaves it complete when it cannot be had. */
export function reviewFaults(): On<Fault, V> {
  const stopAt = (to: 'implementing' | 'complete', outcome: Stopped) =>
    ({ to, remember: true, set: { stalled: 'yes' }, outcome }) as const;
  const stop = (outcome: Stopped): Route<V> => [
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', outcome) },
    stopAt('implementing', outcome),
  ];
  return routes(stop, [
    { when: { left: 'retries' }, to: 'again', spend: 'retries' },
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', 'failed') },
    stopAt('implementing', 'failed'),
  ]);
}

function routes(stop: (outcome: Stopped) => Route<V>, retry: Route<V>): On<Fault, V> {
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
