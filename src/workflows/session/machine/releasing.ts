/** From judged code to the end, and the ways to go on after a stop. */

import { check, blockedUntil, work } from './rows.ts';

const notBegun = { refuse: 'SessionNotFound', outcome: 'not_ready' } as const;
const begun = { refuse: 'SessionExists', outcome: 'not_ready' } as const;
const finished = { refuse: 'SessionFinished', outcome: 'done' } as const;
const nothingToUndo = { refuse: 'NothingToUndo', outcome: 'not_ready' } as const;

/** Files that changed since they were judged are judged before anything builds on them. */
const judgeFirst = {
  when: { flag: 'pending_reviews', is: 'all' },
  to: 'review',
  set: { round: 'final' },
} as const;

/** What becomes of a build that is not green. Checks that change files are mended like checks that fail. */
const notGreen = {
  changed: [
    { when: { left: 'fix_build' }, to: 'review', spend: 'fix_build', set: { round: 'final', pending_reviews: 'all' } },
    { to: 'ask_fix_build', set: { pending_reviews: 'all' } },
  ],
  red: [{ when: { left: 'fix_build' }, to: 'fix_build', spend: 'fix_build' }, { to: 'ask_fix_build' }],
  tasks_left: blockedUntil('schedule'),
  invalid: blockedUntil('integrate'),
} as const;

/** The same in the release, whose own changes nobody has judged yet. */
const notReleasable = {
  ...notGreen,
  red: [
    { when: { left: 'fix_build' }, to: 'fix_build', spend: 'fix_build' },
    { to: 'ask_fix_build', set: { pending_reviews: 'all' } },
  ],
  invalid: { ...blockedUntil('integrate'), set: { pending_reviews: 'all' } },
} as const;

const integration = { phase: 'INTEGRATE' } as const;
const release = { phase: 'RELEASE' } as const;
const released = { ...release, makes: 'code' } as const;

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

  integrate: check('integrate', integration, { green: [judgeFirst, { to: 'judge_criteria' }], ...notGreen }),
  judge_criteria: check('judge_criteria', integration, {
    settled: [judgeFirst, { when: { flag: 'mode', is: 'lean' }, to: 'finish' }, { to: 'docs' }],
    open: { to: 'ask_criteria' },
  }),
  docs: work('Docs', released, { reported: { to: 'release_notes' } }),
  release_notes: work('Integrator', released, { reported: { to: 'verify_release' } }),
  // A release may touch the build: what was green before it is looked at again.
  verify_release: check('integrate', release, {
    green: [judgeFirst, { to: 'review', set: { round: 'release', pending_reviews: 'none' } }],
    ...notReleasable,
  }),
  finish: check(
    'finish',
    { phase: [{ when: { flag: 'mode', is: 'lean' }, is: 'INTEGRATE' }, 'RELEASE'] },
    {
      complete: [judgeFirst, { to: 'done' }],
      incomplete: { to: 'blocked', remember: 'judge_criteria', outcome: 'needs_person' },
    },
  ),

  // Whoever was waited for may have edited anything: what was approved is compared before the work goes on.
  recheck: check(
    'recheck',
    { phase: 'IMPLEMENT_LOOP', showsReturn: true },
    {
      intact: { to: 'return' },
      code_changed: [
        // In the release a review alone would do; for code that somebody changed it does not.
        { when: { flag: 'round', is: 'release' }, to: 'return', set: { pending_reviews: 'all', round: 'final' } },
        { to: 'return', set: { pending_reviews: 'all' } },
      ],
      design_changed: { to: 'reapprove_design' },
      no_strategy: [
        { when: { flag: 'mode', is: 'per_batch' }, to: 'review_strategy' },
        { when: { flag: 'mode', is: 'single_final' }, to: 'review_strategy' },
        // Before there is a plan, none can be chosen.
        { to: 'blocked', outcome: 'needs_person' },
      ],
    },
  ),
  blocked: {
    kind: 'parked',
    phase: 'BLOCKED',
    outcome: 'failed',
    on: { start: begun, start_lean: begun, retry: { to: 'recheck' }, undo: nothingToUndo },
  },
  // The question waits, and with it the way back to whoever asked.
  blocked_asking: {
    kind: 'parked',
    phase: 'BLOCKED',
    outcome: 'needs_person',
    on: { start: begun, start_lean: begun, retry: { to: 'ask_questions' }, undo: nothingToUndo },
  },
  done: {
    kind: 'final',
    phase: 'DONE',
    outcome: 'done',
    on: { start: finished, start_lean: finished, retry: finished, undo: nothingToUndo },
  },
} as const;
