/** Repairs, each back to the gate that asked for it, and the person who decides when the attempts are spent. */

import type { DispatchState, DecideState, Machine } from '../../../engine/machine.ts';
import type { Repair, SessionVocabulary as V } from '../vocabulary.ts';
import { open, openKeeping, stops } from './stops.ts';

/** The files are new: every judgement of them is owed again, that of the gate itself comes first. */
const unjudged = { owed: 'all' } as const;

export const repairing: Pick<
  Machine<V>['states'],
  | 'fix_review'
  | 'fix_tests'
  | 'fix_own_tests'
  | 'fix_security'
  | 'fix_build'
  | 'fix_build_code'
  | 'ask_questions'
  | 'ask_notes'
  | 'ask_security'
  | 'ask_fix_review'
  | 'ask_fix_tests'
  | 'ask_fix_security'
  | 'ask_fix_build'
  | 'ask_criteria'
> = {
  fix_review: {
    kind: 'dispatch',
    role: 'Coder',
    each: 'tasks',
    makes: 'code',
    on: {
      // What is changed in the release has to stand all tests again, not the reviewer's alone.
      reported: [
        { when: { flag: 'round', is: 'release' }, to: 'review', set: { ...unjudged, round: 'final' } },
        { to: 'review', set: unjudged },
      ],
      ...stops,
    },
  },
  fix_tests: fix('Coder', 'qa'),
  fix_own_tests: fix('QA', 'qa'),
  fix_security: fix('Coder', 'security'),
  fix_build: {
    kind: 'dispatch',
    role: 'Integrator',
    makes: 'code',
    on: { reported: { to: 'integrate', set: unjudged }, hand_over: { to: 'fix_build_code' }, ...stops },
  },
  fix_build_code: {
    kind: 'dispatch',
    role: 'Coder',
    makes: 'code',
    on: { reported: { to: 'integrate', set: unjudged }, ...stops },
  },

  ask_questions: {
    kind: 'decide',
    question: 'questions',
    on: { answered: { to: 'recheck' }, ...openKeeping('blocked_asking') },
  },
  ask_notes: {
    kind: 'decide',
    question: 'notes',
    on: {
      fix: { to: 'recheck', remember: 'fix_review', grant: 'fix_review', spend: 'fix_review' },
      none: goOnAfterReview(),
      ...open,
    },
  },
  ask_security: {
    kind: 'decide',
    question: 'findings',
    on: {
      fix_now: { to: 'recheck', remember: 'fix_security', grant: 'fix_security', spend: 'fix_security' },
      settled: goOnAfterSecurity(),
      ...open,
    },
  },
  ask_fix_review: spent('fix_review', goOnAfterReview()),
  // Tests that QA wrote before it found the code wanting have not been seen by the reviewer.
  ask_fix_tests: spent('fix_tests', { to: 'recheck', remember: 'review', set: { owed: 'review' } }),
  ask_fix_security: spent('fix_security', goOnAfterSecurity()),
  ask_fix_build: spent('fix_build', [
    { when: { flag: 'owed', is: 'all' }, to: 'recheck', remember: 'review' },
    { to: 'recheck', remember: 'judge_criteria' },
  ]),
  ask_criteria: {
    kind: 'decide',
    question: 'criteria',
    on: {
      settled: { to: 'recheck', remember: 'judge_criteria' },
      unmet: { to: 'recheck', remember: 'fix_build_code', grant: 'fix_build', spend: 'fix_build' },
      ...open,
    },
  },
};

function fix(role: 'Coder' | 'QA', gate: 'qa' | 'security'): DispatchState<V, V['states']['fix_tests']> {
  return {
    kind: 'dispatch',
    role,
    each: 'tasks',
    makes: 'code',
    on: { reported: { to: gate, set: unjudged }, ...stops },
  };
}

/** New attempts are granted for this kind alone; accepting what is wrong puts it among the known issues. */
function spent(
  repair: Repair,
  accepted: DecideState<V, V['states']['ask_fix_review']>['on']['accept'],
): DecideState<V, V['states']['ask_fix_review']> {
  return {
    kind: 'decide',
    question: 'repair',
    on: {
      try_again: { to: 'recheck', remember: repair, renew: repair, spend: repair },
      accept: accepted,
      ...open,
    },
  };
}

function goOnAfterReview() {
  return [
    { when: { flag: 'round', is: 'release' }, to: 'recheck', remember: 'finish', set: { owed: 'nothing' } },
    { when: { flag: 'owed', is: 'review' }, to: 'recheck', remember: 'security', set: { owed: 'nothing' } },
    { to: 'recheck', remember: 'qa', set: { owed: 'nothing' } },
  ] as const;
}

function goOnAfterSecurity() {
  return [
    { when: { flag: 'owed', is: 'all' }, to: 'recheck', remember: 'review', set: { owed: 'nothing' } },
    { when: { flag: 'round', is: 'task' }, to: 'recheck', remember: 'accept_task' },
    { to: 'recheck', remember: 'accept_all' },
  ] as const;
}
