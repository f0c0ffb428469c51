/** From a goal to a design that a person approved, and on to tasks that were implemented and judged. */

import { designDecision, strategyDecision } from '../session-words.ts';
import { ask, askKeeping, blockedUntil, check, repaired, resumed, unanswered, unjudged, work } from './rows.ts';

export const lean = { flag: 'mode', is: 'lean' } as const;
export const isRelease = { flag: 'round', is: 'release' } as const;

/**
 * A correction is queued first, so that it is on record before anybody is set to work.
 * Another design means another plan, so a review strategy that was chosen is chosen again.
 */
const corrections = {
  change_spec: { to: 'queue_correction', remember: 'correct_spec', set: { mode: 'full' } },
  change_architecture: { to: 'queue_correction', remember: 'correct_architecture', set: { mode: 'full' } },
  change_ui: { to: 'queue_correction', remember: 'correct_ui', set: { mode: 'full' } },
} as const;

export const asking = { phase: 'ASK_USER' } as const;
const intake = { phase: 'INTAKE' } as const;
const intakeLean = { phase: 'INTAKE_LEAN' } as const;
const beginning = { phase: [{ when: lean, is: 'INTAKE_LEAN' }, 'INTAKE'] } as const;
const spec = { ...intake, makes: 'design' } as const;
const designed = { phase: 'DESIGN' } as const;
const design = { ...designed, makes: 'design' } as const;
const approval = { phase: 'APPROVE_DESIGN' } as const;
const gate = { ...approval, decision: designDecision } as const;
const correction = { ...approval, makes: 'design' } as const;
const corrected = { reported: { to: 'verify_correction' } } as const;

/** Where the return address is still needed. */
const again = { unanswered: { to: 'blocked', outcome: 'needs_person' } } as const;

export const designing = {
  open_session: check('open_session', beginning, { opened: [{ when: lean, to: 'intake_lean' }, { to: 'intake' }] }),
  intake: work('SpecAgent', spec, { reported: { to: 'check_intake' }, lean: { to: 'ask_lean' } }),
  // Lean work skips both gates, so whether it is lean is for a person to say.
  ask_lean: ask('lean', asking, {
    lean: { to: 'intake_lean', set: { mode: 'lean' } },
    full: { to: 'check_intake' },
  }),
  check_intake: check('check_intake', intake, { valid: { to: 'research' }, invalid: blockedUntil('intake') }),
  intake_lean: work('SpecAgent', intakeLean, { reported: { to: 'check_lean' } }),
  check_lean: check('check_lean', intakeLean, { valid: { to: 'schedule' }, invalid: blockedUntil('intake_lean') }),

  research: work('Researcher', design, { reported: { to: 'architect' }, not_needed: { to: 'architect' } }),
  architect: work('Architect', design, { reported: { to: 'design_ui' } }),
  design_ui: work('Designer', design, { reported: { to: 'check_design' }, not_needed: { to: 'check_design' } }),
  check_design: check('check_design', designed, {
    valid: { to: 'approve_design' },
    invalid: blockedUntil('architect'),
  }),
  approve_design: ask('design', gate, { approved: { to: 'plan' }, ...corrections, ...unanswered }),
  // Somebody edited what was approved: it is approved again where the work stands, or corrected.
  reapprove_design: askKeeping('design', gate, { approved: { to: 'recheck' }, ...corrections, ...again }, 'blocked'),

  queue_correction: check('queue_correction', { ...approval, showsReturn: true }, { queued: { to: 'return' } }),
  correct_spec: work('SpecAgent', correction, corrected),
  correct_architecture: work('Architect', correction, corrected),
  correct_ui: work('Designer', correction, corrected),
  // Whether the correction was made is shown to the person; it is never made twice.
  verify_correction: check('verify_correction', approval, {
    completed: { to: 'approve_design' },
    incomplete: { to: 'approve_design' },
  }),
} as const;

/** What a judgement passed leads to; the first branch that applies. */
const afterReview = [
  { when: isRelease, to: 'finish', set: { pending_reviews: 'none' } },
  { when: { flag: 'pending_reviews', is: 'review' }, to: 'security', set: { pending_reviews: 'none' } },
  { to: 'qa', set: { pending_reviews: 'none' } },
] as const;
const afterQa = [
  { when: { flag: 'pending_reviews', is: 'all' }, to: 'review', set: { pending_reviews: 'review' } },
  { to: 'security' },
] as const;
const afterSecurity = [
  { when: { flag: 'pending_reviews', is: 'all' }, to: 'review', set: { pending_reviews: 'none' } },
  { when: { flag: 'round', is: 'task' }, to: 'accept_task' },
  { to: 'accept_all' },
] as const;

/** Nothing is accepted that somebody may have edited since: the gates pass at once what is as they saw it. */
const judgedFirst = { resume: { to: 'recheck', remember: 'review' } } as const;
const plan = { phase: 'PLAN' } as const;
const loop = { phase: 'IMPLEMENT_LOOP' } as const;
const task = { ...loop, each: 'tasks' } as const;
const code = { ...task, makes: 'code' } as const;
const reviewed = { phase: [{ when: isRelease, is: 'RELEASE' }, 'IMPLEMENT_LOOP'], each: 'tasks' } as const;
const tested = {
  passed: afterQa,
  unchanged: afterQa,
  blocked: repaired('fix_tests', 'fix_tests'),
  passed_unreviewed: { to: 'review', set: { pending_reviews: 'review' } },
  tests_wrong: repaired('fix_own_tests', 'fix_tests'),
  not_needed: afterQa,
} as const;

export const implementing = {
  plan: work('Planner', { ...plan, makes: 'plan' }, { reported: { to: 'check_plan' } }),
  check_plan: check('check_plan', plan, { valid: { to: 'review_strategy' }, invalid: blockedUntil('plan') }),
  // After a person's words everything that was approved is looked at again.
  review_strategy: ask(
    'strategy',
    { phase: 'REVIEW_STRATEGY', decision: strategyDecision },
    {
      per_batch: { to: 'recheck', remember: 'schedule', set: { mode: 'per_batch' } },
      single_final: { to: 'recheck', remember: 'schedule', set: { mode: 'single_final' } },
      ...unanswered,
    },
  ),

  schedule: check('schedule', loop, {
    work: { to: 'begin_task', load: 'tasks', set: { round: 'task', pending_reviews: 'none' } },
    none_left: { to: 'review', set: { round: 'final', pending_reviews: 'none' } },
    stuck: blockedUntil('schedule'),
    invalid: blockedUntil('schedule'),
  }),
  begin_task: check('begin_task', { ...task, ...resumed }, { begun: { to: 'code' } }),
  code: work('Coder', code, {
    reported: [
      { when: { flag: 'mode', is: 'per_batch' }, to: 'review' },
      { when: lean, to: 'review' },
      { when: { more: 'tasks' }, to: 'begin_task', finish: true },
      { to: 'review', finish: true, set: { round: 'final' } },
    ],
    complex: [
      { when: lean, to: 'intake', set: { mode: 'full' } },
      { to: 'ask_questions', remember: true },
    ],
  }),

  review: work('Reviewer', reviewed, {
    passed: afterReview,
    unchanged: afterReview,
    blocked: repaired('fix_review', 'fix_review'),
    notes: { to: 'ask_notes' },
  }),
  qa: work('QA', code, tested, { set: unjudged }),
  security: work('Security', task, {
    passed: afterSecurity,
    unchanged: afterSecurity,
    blocked: repaired('fix_security', 'fix_security'),
    decision: { to: 'ask_security' },
    not_needed: afterSecurity,
  }),

  accept_task: check(
    'accept_task',
    { ...task, ...judgedFirst },
    {
      accepted: [
        { when: { more: 'tasks' }, to: 'begin_task', finish: true },
        { when: lean, to: 'integrate', finish: true, set: { round: 'final' } },
        { to: 'review', finish: true, set: { round: 'final' } },
      ],
    },
  ),
  accept_all: check('accept_all', { ...loop, ...judgedFirst }, { accepted: { to: 'integrate' } }),
} as const;
