/** From an approved design to tasks that were implemented and judged. */

import { strategyDecision } from '../vocabulary.ts';
import { ask, check, blockedUntil, work, workOwing } from './rows.ts';

/** What a judgement passed leads to; the first branch that applies. */
const afterReview = [
  { when: { flag: 'round', is: 'release' }, to: 'finish', set: { pending_reviews: 'none' } },
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

const plan = { phase: 'PLAN' } as const;
const loop = { phase: 'IMPLEMENT_LOOP' } as const;
const task = { ...loop, each: 'tasks' } as const;

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
    },
  ),

  schedule: check('schedule', loop, {
    work: { to: 'begin_task', load: 'tasks', set: { round: 'task', pending_reviews: 'none' } },
    none_left: { to: 'review', set: { round: 'final', pending_reviews: 'none' } },
    stuck: blockedUntil('schedule'),
    invalid: blockedUntil('schedule'),
  }),
  begin_task: check('begin_task', task, { begun: { to: 'code' } }),
  code: work(
    'Coder',
    { ...task, makes: 'code' },
    {
      reported: [
        { when: { flag: 'mode', is: 'per_batch' }, to: 'review' },
        { when: { flag: 'mode', is: 'lean' }, to: 'review' },
        { when: { more: 'tasks' }, to: 'begin_task', finish: true },
        { to: 'review', finish: true, set: { round: 'final' } },
      ],
      complex: [
        { when: { flag: 'mode', is: 'lean' }, to: 'intake', set: { mode: 'full' } },
        { to: 'ask_questions', remember: true },
      ],
    },
  ),

  review: work(
    'Reviewer',
    { phase: [{ when: { flag: 'round', is: 'release' }, is: 'RELEASE' }, 'IMPLEMENT_LOOP'], each: 'tasks' },
    {
      passed: afterReview,
      unchanged: afterReview,
      blocked: [{ when: { left: 'fix_review' }, to: 'fix_review', spend: 'fix_review' }, { to: 'ask_fix_review' }],
      notes: { to: 'ask_notes' },
    },
  ),
  qa: workOwing(
    'QA',
    { ...task, makes: 'code' },
    {
      passed: afterQa,
      unchanged: afterQa,
      blocked: [{ when: { left: 'fix_tests' }, to: 'fix_tests', spend: 'fix_tests' }, { to: 'ask_fix_tests' }],
      passed_with_tests: { to: 'review', set: { pending_reviews: 'review' } },
      tests_wrong: [{ when: { left: 'fix_tests' }, to: 'fix_own_tests', spend: 'fix_tests' }, { to: 'ask_fix_tests' }],
      not_needed: afterQa,
    },
  ),
  security: work('Security', task, {
    passed: afterSecurity,
    unchanged: afterSecurity,
    blocked: [
      { when: { left: 'fix_security' }, to: 'fix_security', spend: 'fix_security' },
      { to: 'ask_fix_security' },
    ],
    decision: { to: 'ask_security' },
    not_needed: afterSecurity,
  }),

  accept_task: check('accept_task', task, {
    accepted: [
      { when: { more: 'tasks' }, to: 'begin_task', finish: true },
      { when: { flag: 'mode', is: 'lean' }, to: 'integrate', finish: true, set: { round: 'final' } },
      { to: 'review', finish: true, set: { round: 'final' } },
    ],
  }),
  accept_all: check('accept_all', loop, { accepted: { to: 'integrate' } }),
} as const;
