/** The kinds of rows of a session's table, each with what all of its kind have in common. */

import { faultRoutes } from '../../../engine/define-machine.ts';
import type { Outcome } from '../../../engine/machine.ts';
import type { Repair, Role } from '../session-words.ts';

const block = (outcome: Outcome) => ({ to: 'blocked', remember: true, outcome }) as const;
const again = { when: { left: 'retries' }, to: 'again', spend: 'retries' } as const;

/** A mandatory gate that was asked in vain. */
export const unanswered = { unanswered: block('needs_person') } as const;

/** The files are new: every review of them is pending again, that of the gate itself comes first. */
export const unjudged = { pending_reviews: 'all' } as const;

/** Questions go to a person; what cannot be done stops the session where `retry` takes it up again. */
function stops(more: { set?: typeof unjudged }) {
  const stop = (outcome: Outcome) => ({ ...block(outcome), ...more });
  return {
    questions: { to: 'ask_questions', remember: true, ...more },
    gave_up: stop('failed'),
    unfit: stop('needs_person'),
    ...faultRoutes([{ ...again, ...more }, stop('failed')], stop),
  } as const;
}

/** Whoever takes a session up again may have edited anything before: it is compared first. */
export const resumed = { resume: { to: 'recheck', remember: true } } as const;

/** `makes` names what a role makes, `each` that it works on the current task; `stopped` says what holds when it stops. */
export function work<const M, const On>(role: Role, more: M, on: On, stopped: { set?: typeof unjudged } = {}) {
  return { kind: 'dispatch' as const, role, ...resumed, ...more, on: { ...on, ...stops(stopped) } };
}

export function check<const N extends string, const M, const On>(name: N, more: M, on: On) {
  return { kind: 'check' as const, check: name, ...more, on };
}

/** A question is left only by an answer, or blocked until `retry` asks it again. */
function open<const B>(stop: (outcome: Outcome) => B) {
  const noted = { to: 'again' } as const;
  return { noted, deferred: stop('needs_person'), unwritten: stop('failed'), withdrawn: stop('interrupted') };
}

export function ask<const M, const On>(question: string, more: M, on: On) {
  return { kind: 'decide' as const, question, ...more, on: { ...on, ...open(block) } };
}

/** The same without touching the return address, which is still needed. */
export function askKeeping<const M, const On, const T extends string>(question: string, more: M, on: On, to: T) {
  const stops = open((outcome) => ({ to, outcome }) as const);
  return { kind: 'decide' as const, question, ...more, on: { ...on, ...stops } };
}

/** A question that a check asks: unanswered, the check is made again before it. */
export function askFor<const M, const On, const S extends string>(question: string, more: M, on: On, asker: S) {
  const stops = open((outcome) => ({ to: 'blocked', remember: asker, outcome }) as const);
  return { kind: 'decide' as const, question, ...more, on: { ...on, unanswered: blockedUntil(asker), ...stops } };
}

/** A gate that does not pass has its work repaired while attempts are left; then a person is asked. */
export function repaired<const F extends string, const R extends Repair>(to: F, by: R) {
  return [{ when: { left: by }, to, spend: by }, { to: `ask_${by}` }] as const;
}

/** A check that finds something wrong with the files stops in front of whoever writes them. */
export function blockedUntil<const S extends string>(writer: S) {
  return { to: 'blocked', remember: writer, outcome: 'needs_person' } as const;
}
