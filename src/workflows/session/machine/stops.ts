/** What every dispatch and every question of a session has in common: where it leads when it comes to nothing. */

import type { Fault, Move, On } from '../../../engine/machine.ts';
import type { SessionVocabulary as V } from '../vocabulary.ts';

type Stopped = Exclude<Move['outcome'], undefined>;

const block = (outcome: Stopped) => ({ to: 'blocked', remember: true, outcome }) as const;
const retry = [{ when: { left: 'retries' }, to: 'again', spend: 'retries' }, block('failed')] as const;

/** Questions go to a person; what cannot be done stops the session where `retry` takes it up again. */
export const stops: On<Fault | 'questions' | 'gave_up' | 'unfit', V> = {
  questions: { to: 'ask_questions', remember: true },
  gave_up: block('failed'),
  unfit: block('needs_person'),
  failed: retry,
  timed_out: retry,
  unparseable: retry,
  out_of_bounds: retry,
  rate_limited: block('temporary'),
  unavailable: block('unavailable'),
  over_budget: block('over_budget'),
  cancelled: block('interrupted'),
};

const owing = { owed: 'all' } as const;
const retryOwing = [
  { when: { left: 'retries' }, to: 'again', spend: 'retries', set: owing },
  { ...block('failed'), set: owing },
] as const;

/** The same where the role may have written something before it stopped: then all judgements are owed again. */
export const stopsOwing: typeof stops = {
  questions: { to: 'ask_questions', remember: true, set: owing },
  gave_up: { ...block('failed'), set: owing },
  unfit: { ...block('needs_person'), set: owing },
  failed: retryOwing,
  timed_out: retryOwing,
  unparseable: retryOwing,
  out_of_bounds: retryOwing,
  rate_limited: { ...block('temporary'), set: owing },
  unavailable: { ...block('unavailable'), set: owing },
  over_budget: { ...block('over_budget'), set: owing },
  cancelled: { ...block('interrupted'), set: owing },
};

/** A question is left only by an answer, or blocked until `retry` asks it again. */
export const open: On<'noted' | 'deferred' | 'unwritten' | 'cancelled', V> = {
  noted: { to: 'again' },
  deferred: block('needs_person'),
  unwritten: block('failed'),
  cancelled: block('interrupted'),
};

/** The same without touching the return address, which is still needed. */
export function openKeeping(to: 'blocked' | 'blocked_asking'): typeof open {
  return {
    noted: { to: 'again' },
    deferred: { to, outcome: 'needs_person' },
    unwritten: { to, outcome: 'failed' },
    cancelled: { to, outcome: 'interrupted' },
  };
}

/** A check that finds the files wanting stops in front of whoever writes them. */
export function wanting<S extends Exclude<Move<V>['to'], 'again' | 'return'>>(writer: S) {
  return { to: 'blocked', remember: writer, outcome: 'needs_person' } as const;
}
