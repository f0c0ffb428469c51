/** The kinds of rows of a session's table, each with what all of its kind have in common. */

import { faultRoutes } from '../../../engine/define-machine.ts';
import type { Outcome } from '../../../engine/machine.ts';
import type { Phase } from '../files/status-file.ts';
import type { Role } from '../vocabulary.ts';

const block = (outcome: Outcome) => ({ to: 'blocked', remember: true, outcome }) as const;
const again = { when: { left: 'retries' }, to: 'again', spend: 'retries' } as const;
const owing = { owed: 'all' } as const;
const blockOwing = (outcome: Outcome) => ({ ...block(outcome), set: owing }) as const;

/** Questions go to a person; what cannot be done stops the session where `retry` takes it up again. */
const stops = {
  questions: { to: 'ask_questions', remember: true },
  gave_up: block('failed'),
  unfit: block('needs_person'),
  ...faultRoutes([again, block('failed')], block),
} as const;

/** The same where the role may have written something before it stopped: then all judgements are owed again. */
const stopsOwing = {
  questions: { to: 'ask_questions', remember: true, set: owing },
  gave_up: blockOwing('failed'),
  unfit: blockOwing('needs_person'),
  ...faultRoutes([{ ...again, set: owing }, blockOwing('failed')], blockOwing),
} as const;

/** A question is left only by an answer, or blocked until `retry` asks it again. */
const open = {
  noted: { to: 'again' },
  deferred: block('needs_person'),
  unwritten: block('failed'),
  withdrawn: block('interrupted'),
} as const;

/** The same without touching the return address, which is still needed. */
export function openKeeping<const T extends 'blocked' | 'blocked_asking'>(to: T) {
  return {
    noted: { to: 'again' },
    deferred: { to, outcome: 'needs_person' },
    unwritten: { to, outcome: 'failed' },
    withdrawn: { to, outcome: 'interrupted' },
  } as const;
}

type Shown = {
  readonly phase:
    | Phase
    | readonly [...{ readonly when: { readonly flag: string; readonly is: string }; readonly is: Phase }[], Phase];
};

/** A role works: `made` names what it makes, `each` that it works on the current task. */
export function work<const M, const On>(role: Role, more: M & Shown, on: On) {
  return { kind: 'dispatch' as const, role, ...more, on: { ...on, ...stops } };
}

export function workOwing<const M, const On>(role: Role, more: M & Shown, on: On) {
  return { kind: 'dispatch' as const, role, ...more, on: { ...on, ...stopsOwing } };
}

export function check<const N extends string, const M, const On>(name: N, more: M & Shown, on: On) {
  return { kind: 'check' as const, check: name, ...more, on };
}

/** A person decides. */
export function ask<const M, const On>(question: string, more: M & Shown, on: On) {
  return { kind: 'decide' as const, question, ...more, on: { ...on, ...open } };
}

/** A check that finds the files wanting stops in front of whoever writes them. */
export function wanting<const S extends string>(writer: S) {
  return { to: 'blocked', remember: writer, outcome: 'needs_person' } as const;
}
