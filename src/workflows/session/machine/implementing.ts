/** From an approved design to tasks that were implemented and judged. */

import type { Machine } from '../../../engine/machine.ts';
import type { SessionVocabulary as V } from '../vocabulary.ts';
import { open, stops, stopsOwing, wanting } from './stops.ts';

/** After a person's words everything that was approved is looked at again. */
const goOnWith = { to: 'recheck' } as const;

/** What a judgement passed leads to; the first arm that applies. */
export const afterReview = [
  { when: { flag: 'round', is: 'release' }, to: 'finish', set: { owed: 'nothing' } },
  { when: { flag: 'owed', is: 'review' }, to: 'security', set: { owed: 'nothing' } },
  { to: 'qa', set: { owed: 'nothing' } },
] as const;
const afterQa = [
  { when: { flag: 'owed', is: 'all' }, to: 'review', set: { owed: 'review' } },
  { to: 'security' },
] as const;
const afterSecurity = [
  { when: { flag: 'owed', is: 'all' }, to: 'review', set: { owed: 'nothing' } },
  { when: { flag: 'round', is: 'task' }, to: 'accept_task' },
  { to: 'accept_all' },
] as const;

export const implementing: Pick<
  Machine<V>['states'],
  | 'plan'
  | 'check_plan'
  | 'review_strategy'
  | 'schedule'
  | 'begin_task'
  | 'code'
  | 'review'
  | 'qa'
  | 'security'
  | 'accept_task'
  | 'accept_all'
> = {
  plan: {
    kind: 'dispatch',
    role: 'Planner',
    makes: 'plan',
    on: { reported: { to: 'check_plan' }, ...stops },
  },
  check_plan: {
    kind: 'check',
    check: 'check_plan',
    on: { valid: { to: 'review_strategy' }, invalid: wanting('plan') },
  },
  review_strategy: {
    kind: 'decide',
    question: 'strategy',
    on: {
      per_batch: { ...goOnWith, remember: 'schedule', set: { course: 'per_batch' } },
      single_final: { ...goOnWith, remember: 'schedule', set: { course: 'single_final' } },
      ...open,
    },
  },

  schedule: {
    kind: 'check',
    check: 'schedule',
    on: {
      work: { to: 'begin_task', load: 'tasks', set: { round: 'task', owed: 'nothing' } },
      none_left: { to: 'review', set: { round: 'final', owed: 'nothing' } },
      stuck: wanting('schedule'),
      invalid: wanting('schedule'),
    },
  },
  begin_task: { kind: 'check', check: 'begin_task', each: 'tasks', on: { begun: { to: 'code' } } },
  code: {
    kind: 'dispatch',
    role: 'Coder',
    each: 'tasks',
    makes: 'code',
    on: {
      reported: [
        { when: { flag: 'course', is: 'per_batch' }, to: 'review' },
        { when: { flag: 'course', is: 'lean' }, to: 'review' },
        { when: { more: 'tasks' }, to: 'begin_task', finish: true },
        { to: 'review', finish: true, set: { round: 'final' } },
      ],
      complex: [
        { when: { flag: 'course', is: 'lean' }, to: 'intake', set: { course: 'full' } },
        { to: 'ask_questions', remember: true },
      ],
      ...stops,
    },
  },

  review: {
    kind: 'dispatch',
    role: 'Reviewer',
    each: 'tasks',
    on: {
      passed: afterReview,
      unchanged: afterReview,
      notes: { to: 'ask_notes' },
      blocked: [{ when: { left: 'fix_review' }, to: 'fix_review', spend: 'fix_review' }, { to: 'ask_fix_review' }],
      ...stops,
    },
  },
  qa: {
    kind: 'dispatch',
    role: 'QA',
    each: 'tasks',
    makes: 'code',
    on: {
      passed: afterQa,
      unchanged: afterQa,
      not_needed: afterQa,
      passed_with_tests: { to: 'review', set: { owed: 'review' } },
      blocked: [{ when: { left: 'fix_tests' }, to: 'fix_tests', spend: 'fix_tests' }, { to: 'ask_fix_tests' }],
      tests_wrong: [{ when: { left: 'fix_tests' }, to: 'fix_own_tests', spend: 'fix_tests' }, { to: 'ask_fix_tests' }],
      ...stopsOwing,
    },
  },
  security: {
    kind: 'dispatch',
    role: 'Security',
    each: 'tasks',
    on: {
      passed: afterSecurity,
      unchanged: afterSecurity,
      not_needed: afterSecurity,
      decision: { to: 'ask_security' },
      blocked: [
        { when: { left: 'fix_security' }, to: 'fix_security', spend: 'fix_security' },
        { to: 'ask_fix_security' },
      ],
      ...stops,
    },
  },

  accept_task: {
    kind: 'check',
    check: 'accept_task',
    each: 'tasks',
    on: {
      accepted: [
        { when: { more: 'tasks' }, to: 'begin_task', finish: true },
        { when: { flag: 'course', is: 'lean' }, to: 'integrate', finish: true, set: { round: 'final' } },
        { to: 'review', finish: true, set: { round: 'final' } },
      ],
    },
  },
  accept_all: { kind: 'check', check: 'accept_all', on: { accepted: { to: 'integrate' } } },
};
