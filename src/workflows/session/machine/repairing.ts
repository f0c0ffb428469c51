/** Repairs, each back to the gate that asked for it, and the person who decides when the attempts are spent. */

import type { Repair } from '../vocabulary.ts';
import { ask, openKeeping, work } from './rows.ts';

/** The files are new: every review of them is pending again, that of the gate itself comes first. */
const unjudged = { pending_reviews: 'all' } as const;

const goOnAfterReview = [
  { when: { flag: 'round', is: 'release' }, to: 'recheck', remember: 'finish', set: { pending_reviews: 'none' } },
  {
    when: { flag: 'pending_reviews', is: 'review' },
    to: 'recheck',
    remember: 'security',
    set: { pending_reviews: 'none' },
  },
  { to: 'recheck', remember: 'qa', set: { pending_reviews: 'none' } },
] as const;
const goOnAfterSecurity = [
  { when: { flag: 'pending_reviews', is: 'all' }, to: 'recheck', remember: 'review', set: { pending_reviews: 'none' } },
  { when: { flag: 'round', is: 'task' }, to: 'recheck', remember: 'accept_task' },
  { to: 'recheck', remember: 'accept_all' },
] as const;

const asking = { phase: 'ASK_USER' } as const;
const build = { phase: 'FIX_BUILD', makes: 'code' } as const;
const built = { to: 'integrate', set: unjudged } as const;

export const repairing = {
  fix_review: work(
    'Coder',
    { phase: 'FIX_REVIEW', each: 'tasks', makes: 'code' },
    {
      // What is changed in the release has to stand all tests again, not the reviewer's alone.
      reported: [
        { when: { flag: 'round', is: 'release' }, to: 'review', set: { ...unjudged, round: 'final' } },
        { to: 'review', set: unjudged },
      ],
    },
  ),
  fix_tests: fix('Coder', 'FIX_TESTS', 'qa'),
  fix_own_tests: fix('QA', 'FIX_TESTS', 'qa'),
  fix_security: fix('Coder', 'FIX_SECURITY', 'security'),
  fix_build: work('Integrator', build, { reported: built, hand_over: { to: 'fix_build_code' } }),
  fix_build_code: work('Coder', build, { reported: built }),

  ask_questions: {
    kind: 'decide',
    question: 'questions',
    phase: 'ASK_USER',
    on: { answered: { to: 'recheck' }, ...openKeeping('blocked_asking') },
  },
  ask_notes: ask('notes', asking, {
    fix: { to: 'recheck', remember: 'fix_review', grant: 'fix_review', spend: 'fix_review' },
    none: goOnAfterReview,
  }),
  ask_security: ask('findings', asking, {
    fix_now: { to: 'recheck', remember: 'fix_security', grant: 'fix_security', spend: 'fix_security' },
    settled: goOnAfterSecurity,
  }),
  ask_fix_review: spent('fix_review', goOnAfterReview),
  // Tests that QA wrote before it found the code blockedUntil have not been seen by the reviewer.
  ask_fix_tests: spent('fix_tests', { to: 'recheck', remember: 'review', set: { pending_reviews: 'review' } }),
  ask_fix_security: spent('fix_security', goOnAfterSecurity),
  ask_fix_build: spent('fix_build', [
    { when: { flag: 'pending_reviews', is: 'all' }, to: 'recheck', remember: 'review' },
    { to: 'recheck', remember: 'judge_criteria' },
  ]),
  ask_criteria: ask('criteria', asking, {
    settled: { to: 'recheck', remember: 'judge_criteria' },
    unmet: { to: 'recheck', remember: 'fix_build_code', grant: 'fix_build', spend: 'fix_build' },
  }),
} as const;

function fix<const P extends 'FIX_TESTS' | 'FIX_SECURITY', const G extends string>(
  role: 'Coder' | 'QA',
  phase: P,
  gate: G,
) {
  return work(role, { phase, each: 'tasks', makes: 'code' }, { reported: { to: gate, set: unjudged } });
}

/** New attempts are granted for this kind alone; accepting what is wrong puts it among the known issues. */
function spent<const R extends Repair, const A>(repair: R, accept: A) {
  return ask('repair', asking, {
    try_again: { to: 'recheck', remember: repair, renew: repair, spend: repair },
    accept,
  });
}
