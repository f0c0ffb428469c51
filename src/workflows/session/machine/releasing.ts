/** Repairs, each back to the gate that asked for it, and the way from judged code to the end. */

import { commandsDecision, type Repair, type RepairKind } from '../session-words.ts';
import { asking, isRelease, lean } from './building.ts';
import { ask, askFor, askKeeping, blockedUntil, check, repaired, resumed, unjudged, work } from './rows.ts';

const allPending = { flag: 'pending_reviews', is: 'all' } as const;
const nonePending = { pending_reviews: 'none' } as const;

const afterReview = [
  { when: isRelease, to: 'recheck', remember: 'finish', set: nonePending },
  { when: { flag: 'pending_reviews', is: 'review' }, to: 'recheck', remember: 'security', set: nonePending },
  { to: 'recheck', remember: 'qa', set: nonePending },
] as const;
// Through all gates once more: those whose judgement stands are passed at once, the others judge what was changed.
const afterSecurity = { to: 'recheck', remember: 'review', set: nonePending } as const;

const build = { phase: 'FIX_BUILD', makes: 'code' } as const;
const rebuilt = { to: 'integrate', set: unjudged } as const;
const fixing = <const P extends RepairKind>(phase: P) => ({ phase, each: 'tasks', makes: 'code' }) as const;

export const repairing = {
  fix_review: work('Coder', fixing('FIX_REVIEW'), {
    // What is changed in the release has to stand all tests again, not the reviewer's alone.
    reported: [
      { when: isRelease, to: 'review', set: { ...unjudged, round: 'final' } },
      { to: 'review', set: unjudged },
    ],
  }),
  fix_tests: work('Coder', fixing('FIX_TESTS'), { reported: { to: 'qa', set: unjudged } }),
  fix_own_tests: work('QA', fixing('FIX_TESTS'), { reported: { to: 'qa', set: unjudged } }),
  fix_security: work('Coder', fixing('FIX_SECURITY'), { reported: { to: 'security', set: unjudged } }),
  fix_build: work('Integrator', build, { reported: rebuilt, hand_over: { to: 'fix_build_code' } }),
  fix_build_code: work('Coder', build, { reported: rebuilt }),

  ask_questions: askKeeping('questions', asking, { answered: { to: 'recheck' } }, 'blocked_asking'),
  ask_notes: ask('notes', asking, {
    fix: { to: 'recheck', remember: 'fix_review', grant: 'fix_review', spend: 'fix_review' },
    none: afterReview,
  }),
  ask_security: ask('findings', asking, {
    fix_now: { to: 'recheck', remember: 'fix_security', grant: 'fix_security', spend: 'fix_security' },
    settled: afterSecurity,
  }),
  ask_fix_review: spent('fix_review', afterReview),
  // Tests that QA wrote before it found the code wrong have not been seen by the reviewer.
  ask_fix_tests: spent('fix_tests', { to: 'recheck', remember: 'review', set: { pending_reviews: 'review' } }),
  ask_fix_security: spent('fix_security', afterSecurity),
  ask_fix_build: spent('fix_build', [
    { when: allPending, to: 'recheck', remember: 'review', set: { round: 'final' } },
    { to: 'recheck', remember: 'judge_criteria' },
  ]),
  ask_criteria: ask('criteria', asking, {
    settled: { to: 'recheck', remember: 'judge_criteria' },
    unmet: { to: 'recheck', remember: 'fix_build_code', grant: 'fix_build', spend: 'fix_build' },
  }),
} as const;

/** New attempts are granted for this kind alone; accepting what is wrong puts it among the known issues. */
function spent<const R extends Repair, const A>(repair: R, accept: A) {
  return ask('repair', asking, {
    try_again: { to: 'recheck', remember: repair, renew: repair, spend: repair },
    accept,
  });
}

const notBegun = { refuse: 'SessionNotFound', outcome: 'not_ready' } as const;
const finished = { refuse: 'SessionFinished', outcome: 'done' } as const;

export const refusals = {
  start: { refuse: 'SessionExists', outcome: 'not_ready' },
  start_lean: { refuse: 'SessionExists', outcome: 'not_ready' },
  undo: { refuse: 'NothingToUndo', outcome: 'not_ready' },
} as const;

/** Files that changed since they were judged are judged before anything builds on them. */
const judgeFirst = { when: allPending, to: 'review', set: { round: 'final' } } as const;

/** What becomes of a build that is not green. Checks that change the same files again are fixed like checks that fail. */
const notGreen = {
  changed: [
    { when: { left: 'fix_build' }, to: 'review', spend: 'fix_build', set: { round: 'final', ...unjudged } },
    { to: 'ask_fix_build', set: unjudged },
  ],
  red: repaired('fix_build', 'fix_build'),
  unapproved: { to: 'ask_commands' },
  tasks_left: blockedUntil('schedule'),
  invalid: blockedUntil('integrate'),
} as const;

/** The same in the release, whose own changes nobody has judged yet. */
const notReleasable = {
  ...notGreen,
  red: [notGreen.red[0], { to: 'ask_fix_build', set: unjudged }],
  unapproved: { to: 'ask_commands', set: unjudged },
  invalid: { ...blockedUntil('integrate'), set: unjudged },
} as const;

/** Green, or red in a way that a person has accepted. */
const built = [judgeFirst, { to: 'judge_criteria' }] as const;
const releasable = [judgeFirst, { to: 'review', set: { round: 'release', ...nonePending } }] as const;

const integration = { phase: 'INTEGRATE', ...resumed } as const;
const released = { phase: 'RELEASE', ...resumed } as const;
const release = { ...released, makes: 'code' } as const;
const ending = { phase: [{ when: lean, is: 'INTEGRATE' }, 'RELEASE'], ...resumed } as const;
const rechecking = { phase: 'IMPLEMENT_LOOP', showsReturn: true } as const;

export const releasing = {
  new: {
    kind: 'parked',
    phase: null,
    outcome: 'not_ready',
    on: {
      start: { to: 'open_session' },
      start_lean: { to: 'open_session', set: { mode: 'lean' } },
      retry: notBegun,
      undo: notBegun,
    },
  },

  ask_commands: askFor(
    'commands',
    { phase: 'INTEGRATE', decision: commandsDecision },
    { run: { to: 'recheck', remember: 'integrate' } },
    'integrate',
  ),
  integrate: check('integrate', integration, { green: built, red_accepted: built, ...notGreen }),
  judge_criteria: check('judge_criteria', integration, {
    settled: [judgeFirst, { when: lean, to: 'finish' }, { to: 'docs' }],
    open: { to: 'ask_criteria' },
  }),
  docs: work(
    'Docs',
    { ...release, resume: { to: 'recheck', remember: 'judge_criteria' } },
    { reported: { to: 'release_notes' } },
  ),
  release_notes: work('Integrator', release, { reported: { to: 'verify_release' } }),
  // A release may touch the build: what was green before it is looked at again.
  verify_release: check('integrate', released, { green: releasable, red_accepted: releasable, ...notReleasable }),
  finish: check('finish', ending, {
    complete: [judgeFirst, { to: 'done' }],
    incomplete: blockedUntil('judge_criteria'),
  }),

  // Whoever was waited for may have edited anything: what was approved is compared before the work goes on.
  recheck: check('recheck', rechecking, {
    intact: { to: 'return' },
    code_changed: [
      // In the release a review alone would do; for code that somebody changed it does not.
      { when: isRelease, to: 'return', set: { ...unjudged, round: 'final' } },
      { to: 'return', set: unjudged },
    ],
    design_changed: { to: 'reapprove_design' },
    no_strategy: [
      { when: { flag: 'mode', is: 'per_batch' }, to: 'review_strategy' },
      { when: { flag: 'mode', is: 'single_final' }, to: 'review_strategy' },
      // Before there is a plan, none can be chosen.
      { to: 'blocked', outcome: 'needs_person' },
    ],
  }),
  blocked: { kind: 'parked', phase: 'BLOCKED', outcome: 'failed', on: { retry: { to: 'recheck' } } },
  // The question waits, and with it the way back to whoever asked.
  blocked_asking: { kind: 'parked', phase: 'BLOCKED', outcome: 'needs_person', on: { retry: { to: 'ask_questions' } } },
  done: {
    kind: 'final',
    phase: 'DONE',
    outcome: 'done',
    on: { start: finished, start_lean: finished, retry: finished },
  },
} as const;
