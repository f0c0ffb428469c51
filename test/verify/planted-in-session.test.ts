/** Defects planted in copies of the `session` table: each is found, whatever the limits of its repairs are. */

import { expect, test } from 'vitest';
import type { Machine, Route } from '../../src/engine/machine.ts';
import { verify, type VerifyOptions } from '../../src/verifier/verifier.ts';
import { machine } from '../../src/workflows/session/transition-table.ts';
import { withBudget, withRoutes, withState } from './plant.fixture.ts';
import { describePlanted, type Planted } from './planted.fixture.ts';

const session: Machine = machine;
const options: VerifyOptions = {
  workflow: 'session',
  writers: ['Coder', 'QA', 'Integrator', 'Docs'],
  limits: { retries: 1 },
  worstCase: false,
};

function routes(edits: Readonly<Record<string, Route | null>>): Machine {
  return withRoutes(edits, session);
}

const planted: readonly Planted[] = [
  {
    defect: 'a plan for a design that was not approved',
    machine: routes({
      'check_design.valid': [{ when: { flag: 'pending_reviews', is: 'all' }, to: 'approve_design' }, { to: 'plan' }],
    }),
    proof: 'gate:design',
    says: 'plan can be entered although the design was never approved',
    ends: ['design_ui.reported → check_design', 'check_design.valid → plan'],
  },
  {
    defect: 'a gate that is left without an answer',
    machine: routes({ 'approve_design.deferred': { to: 'plan' } }),
    proof: 'gate:design',
    says: 'plan can be entered although the design was never approved',
    ends: ['check_design.valid → approve_design', 'approve_design.deferred → plan'],
  },
  {
    defect: 'code without a review strategy',
    machine: routes({
      'check_plan.valid': [{ when: { flag: 'pending_reviews', is: 'all' }, to: 'review_strategy' }, { to: 'schedule' }],
    }),
    proof: 'gate:strategy',
    says: 'code can be entered although the plan was never approved',
    ends: ['check_plan.valid → schedule', 'schedule.work → begin_task', 'begin_task.begun → code'],
  },
  {
    defect: 'lean work that becomes full and keeps its own approval',
    machine: routes({
      'code.complex': { to: 'intake' },
      'check_plan.valid': [{ when: { flag: 'mode', is: 'lean' }, to: 'schedule' }, { to: 'review_strategy' }],
    }),
    proof: 'gate:strategy',
    says: 'code can be entered although the plan was changed after it was approved',
    ends: [
      'plan.reported → check_plan',
      'check_plan.valid → schedule',
      'schedule.work → begin_task',
      'begin_task.begun → code',
    ],
  },
  {
    defect: 'work that continues after an answer without a check of the files',
    machine: routes({ 'ask_questions.answered': { to: 'return' } }),
    proof: 'gate:design',
    says: 'plan can be entered although the design may have been edited since it was approved',
    ends: ['plan.questions → ask_questions', 'ask_questions.answered → plan'],
  },
  {
    defect: 'retry goes straight back to the step that stopped',
    machine: routes({ 'blocked.retry': { to: 'return' } }),
    proof: 'gate:strategy',
    says: 'code can be entered although the plan may have been edited since it was approved',
    ends: ['code.gave_up → blocked', 'blocked.retry → code'],
  },
  {
    // DEF-5, as it was: the return address led past the gates.
    defect: 'a task accepted although somebody changed its code meanwhile',
    machine: routes({ 'ask_security.settled': { to: 'recheck', remember: 'accept_task' } }),
    proof: 'invariant:judged_before_accepted',
    says: 'accept_task can be entered while pending_reviews is all',
    ends: ['ask_security.settled → recheck', 'recheck.code_changed → accept_task'],
  },
  {
    // Found by the verifier in the workflow as it was.
    defect: 'a fix in the release that only the reviewer sees',
    machine: routes({
      'ask_fix_build.accept': [
        { when: { flag: 'pending_reviews', is: 'all' }, to: 'recheck', remember: 'review' },
        { to: 'recheck', remember: 'judge_criteria' },
      ],
    }),
    proof: 'invariant:criteria_before_release',
    says: 'done can be entered before judge_criteria.settled',
    ends: [
      'ask_fix_build.accept → recheck',
      'recheck.intact → review',
      'review.passed → finish',
      'finish.complete → done',
    ],
  },
  {
    // Found by the verifier in the workflow as it was.
    defect: 'a review strategy that is chosen before the design',
    machine: routes({ 'recheck.no_strategy': { to: 'review_strategy' } }),
    proof: 'gate:design',
    says: 'code can be entered although the design was never approved',
    ends: [
      'open_session.opened → intake',
      'intake.repeated → recheck',
      'recheck.no_strategy → review_strategy',
      'review_strategy.per_batch → recheck',
      'recheck.intact → schedule',
      'schedule.work → begin_task',
      'begin_task.begun → code',
    ],
  },
  {
    defect: 'tests of QA that the reviewer does not review',
    machine: routes({ 'qa.passed_unreviewed': { to: 'security' } }),
    proof: 'gate:review',
    says: 'docs can be entered although the code was changed after it was approved',
    ends: [
      'qa.passed_unreviewed → security',
      'security.passed → accept_all',
      'accept_all.accepted → integrate',
      'integrate.green → judge_criteria',
      'judge_criteria.settled → docs',
    ],
  },
  {
    // Found by the verifier in the workflow as it was.
    defect: 'accepting failing tests that the reviewer has not seen',
    machine: routes({ 'ask_fix_tests.accept': { to: 'recheck', remember: 'security' } }),
    proof: 'gate:review',
    says: 'docs can be entered although the code was changed after it was approved',
    ends: [
      'qa.blocked → ask_fix_tests',
      'ask_fix_tests.accept → recheck',
      'recheck.intact → security',
      'security.passed → accept_all',
      'accept_all.accepted → integrate',
      'integrate.green → judge_criteria',
      'judge_criteria.settled → docs',
    ],
  },
  {
    defect: 'files changed by checks that no role reviews',
    machine: routes({ 'integrate.changed': { to: 'judge_criteria' } }),
    proof: 'gate:review',
    says: 'docs can be entered although the code',
    ends: ['integrate.changed → judge_criteria', 'judge_criteria.settled → docs'],
  },
  {
    defect: 'a release that finishes although its checks changed files',
    machine: routes({ 'verify_release.changed': { to: 'finish' } }),
    proof: 'gate:review',
    says: 'done can be entered although the code',
    ends: ['verify_release.changed → finish', 'finish.complete → done'],
  },
  {
    defect: 'an end without a final check',
    machine: routes({
      'judge_criteria.settled': [{ when: { flag: 'mode', is: 'lean' }, to: 'done' }, { to: 'docs' }],
    }),
    proof: 'gate:closing',
    says: 'done can be entered although the session was never approved',
    ends: ['integrate.green → judge_criteria', 'judge_criteria.settled → done'],
  },
  {
    defect: 'a repair that spends no budget',
    machine: routes({
      'review.blocked': [{ when: { left: 'fix_review' }, to: 'fix_review' }, { to: 'ask_fix_review' }],
    }),
    proof: 'terminates',
    says: 'fix_review → review → fix_review is not bounded',
    cycle: ['review.blocked → fix_review', 'fix_review.reported → review'],
  },
  {
    defect: 'a repair whose budget is renewed in its loop',
    machine: routes({
      'review.blocked': [
        { when: { left: 'fix_review' }, to: 'begin_task', spend: 'fix_review', load: 'tasks' },
        { to: 'ask_fix_review' },
      ],
    }),
    proof: 'terminates',
    says: 'is not bounded',
    cycle: ['review.blocked → begin_task', 'begin_task.begun → code', 'code.reported → review'],
  },
  {
    defect: 'a repair budget that every state renews',
    machine: withBudget('fix_security', { scope: 'visit', limit: 3 }, session),
    proof: 'terminates',
    says: 'fix_security → security → fix_security is not bounded',
    cycle: ['security.blocked → fix_security', 'fix_security.reported → security'],
  },
  {
    defect: 'a repair budget that an agent renews',
    machine: routes({ 'fix_review.reported': { to: 'review', set: { pending_reviews: 'all' }, renew: 'fix_review' } }),
    proof: 'budgets',
    says: 'fix_review.reported adds to the budget fix_review, but it is sent by Coder, not by a person',
    ends: ['review.blocked → fix_review', 'fix_review.reported → review'],
  },
  {
    defect: 'a repair budget that is spent without a guard',
    machine: routes({ 'integrate.red': { to: 'fix_build', spend: 'fix_build' } }),
    proof: 'handled',
    says: 'integrate.red spends a budget that is already empty',
    ends: ['integrate.red → ?'],
  },
  {
    defect: 'a coder that reviews the code',
    machine: withState('review', { role: 'Coder' }, session),
    proof: 'roles',
    says: 'Coder makes the code and approves it too, in review',
    ends: ['code.reported → review', 'review.passed → qa'],
  },
  {
    defect: 'a repair that does not void the approval',
    machine: withState('fix_tests', { makes: undefined }, session),
    proof: 'roles',
    says: 'Coder may write the work tree, but fix_tests does not say what it makes there',
  },
  {
    defect: 'a stop that does not remember its state',
    machine: routes({ 'check_lean.invalid': { to: 'blocked' } }),
    proof: 'handled',
    says: 'recheck.intact returns, but nothing was remembered',
    ends: ['check_lean.invalid → blocked', 'blocked.retry → recheck', 'recheck.intact → ?'],
  },
  {
    defect: 'a stop without a way out',
    machine: routes({ 'blocked.retry': { refuse: 'No', outcome: 'not_ready' } }),
    proof: 'ends',
    says: 'from blocked no final state can be reached any more',
    ends: ['intake.gave_up → blocked'],
  },
  {
    defect: 'a fault without a route',
    machine: routes({ 'release_notes.unparseable': null }),
    proof: 'handled',
    says: 'release_notes has no route for "unparseable", which it can receive',
    ends: ['docs.reported → release_notes', 'release_notes.unparseable → ?'],
  },
];

describePlanted(planted, options);

test('the workflow without a defect is proven [session/verify/proofs]', () => {
  const { holds, proofs } = verify(session, options);
  expect(proofs.flatMap(({ refutations }) => refutations.map(({ what }) => what))).toEqual([]);
  expect(holds).toBe(true);
});
