/** Defects planted in copies of the bundled workflow: each is found, with a way to it that a reader understands. */

import { expect, test } from 'vitest';
import type { State } from '../../src/engine/machine.ts';
import { verify } from '../../src/verifier/verifier.ts';
import { machine as change } from '../../src/workflows/change/transition-table.ts';
import { withBudget, withRoutes, withState } from './plant.fixture.ts';
import { describePlanted, type Planted } from './planted.fixture.ts';

const refused = { refuse: 'No', outcome: 'not_ready' } as const;
const everyCommand = (route: typeof refused) => Object.fromEntries(change.commands.map((name) => [name, route]));

/** The implementer comes back to reviewed code. */
const touchUp = withState('touch_up', {
  kind: 'dispatch',
  role: 'implementer',
  makes: 'code',
  on: { ...change.states['fix']?.on, reported: { to: 'complete' } },
});

const planted: readonly Planted[] = [
  {
    defect: 'an undo that keeps the approval of what it took back',
    machine: withRoutes({ 'complete.undo': { to: 'complete', set: { stalled: 'no', rereview: 'no' } } }),
    proof: 'gate:code_reviewed',
    says: 'merge can be entered although the code was changed after it was approved',
    ends: ['complete.undo → complete', 'complete.archive → confirm_code', 'confirm_code.unchanged → merge'],
  },
  {
    defect: 'a flag that survives the step that should clear it',
    machine: withRoutes({
      'proposed.retry': [{ when: { flag: 'stalled', is: 'yes' }, to: 'return' }, { to: 'survey' }],
    }),
    proof: 'invariant:retry_clears_stalled',
    says: 'propose can be entered while stalled is yes',
    ends: ['proposed.retry → propose'],
  },
  {
    defect: 'a plan that is approved but was never made',
    machine: withRoutes({ 'survey.nothing': { to: 'validate' } }),
    proof: 'gate:plan_approved',
    says: 'challenge.approved approves the plan, which nothing has made',
    ends: ['survey.nothing → validate', 'validate.valid → challenge', 'challenge.approved → challenged'],
  },
  {
    defect: '[D22] a state that takes the signal by which a run is abandoned for something else',
    machine: withRoutes({ 'proposed.abandoned': { to: 'survey' } }),
    proof: 'abandonable',
    says: 'a run in proposed cannot be abandoned',
  },
  {
    defect: 'a value in an invariant that the flag never has',
    machine: {
      ...change,
      invariants: { x: { never: ['archived'], while: { flag: 'high', is: 'yse' } } },
    },
    proof: 'names',
    says: 'invariant x: there is no value of high "yse"',
  },
  {
    defect: 'a dispatch that is to come after another instead of a check',
    machine: withState('review', { ...change.states['review'], after: 'fix' } as State),
    proof: 'names',
    says: 'review: fix, which it is to come after, is no check',
  },
  {
    defect: 'a review without the checks before it',
    machine: withRoutes({ 'tally.all_done': { to: 'review' } }),
    proof: 'checked',
    says: 'review can be entered without run_checks before it',
    ends: ['tally.all_done → review'],
  },
  {
    defect: 'a person who may override a High finding',
    machine: withRoutes({ 'ask_revision.implement_anyway': { to: 'challenged' } }),
    proof: 'invariant:high_issue_stays_open',
    says: 'ask_revision.implement_anyway can be taken while high is yes',
    ends: ['challenge.needs_revision → ask_revision', 'ask_revision.implement_anyway → challenged'],
  },
  {
    defect: 'a fix that is reviewed although a task may be open again',
    machine: withRoutes({ 'fix.reported': { to: 'run_checks' } }),
    proof: 'invariant:tasks_counted_before_review',
    says: 'review can be entered before tally.all_done, accept_lean.valid, select_tasks.to_review, complete.review or complete.retry',
    ends: ['fix.reported → run_checks', 'run_checks.ran → review'],
  },
  {
    defect: 'a verdict without a route',
    machine: withRoutes({ 'challenge.rejected': null }),
    proof: 'handled',
    says: 'challenge has no route for "rejected", which it can receive',
    ends: ['validate.valid → challenge', 'challenge.rejected → ?'],
  },
  {
    defect: 'a fault without a route',
    machine: withRoutes({ 'fix.timed_out': null }),
    proof: 'handled',
    says: 'fix has no route for "timed_out", which it can receive',
    ends: ['fix.timed_out → ?'],
  },
  {
    defect: 'a misspelt signal',
    machine: withRoutes({ 'review.aproved': { to: 'complete' } }),
    proof: 'handled',
    says: 'review has a route for "aproved", which it never receives',
  },
  {
    defect: 'a budget that is spent without a guard',
    machine: withRoutes({ 'challenge.needs_revision': { to: 'revise', spend: 'planning' } }),
    proof: 'handled',
    says: 'challenge.needs_revision spends a budget that is already empty',
    ends: ['challenge.needs_revision → ?'],
  },
  {
    defect: 'a return without a remembered state',
    machine: withRoutes({ 'challenged.impl': { to: 'confirm_plan' } }),
    proof: 'handled',
    says: 'confirm_plan.edited returns, but nothing was remembered',
    ends: ['challenged.impl → confirm_plan', 'confirm_plan.edited → ?'],
  },
  {
    defect: 'a target that does not exist',
    machine: withRoutes({ 'challenge.approved': { to: 'chalenged' } }),
    proof: 'names',
    says: 'challenge.approved: there is no state "chalenged"',
  },
  {
    defect: 'an unreachable state',
    machine: withState('limbo', { kind: 'parked', outcome: 'needs_person', on: everyCommand(refused) }),
    proof: 'reachable',
    says: 'nothing leads to limbo',
  },
  {
    defect: 'a branch after one that always holds',
    machine: withRoutes({
      'select_tasks.to_fix': [{ when: { flag: 'stalled', is: 'yes' }, to: 'implementing' }, { to: 'implementing' }],
    }),
    proof: 'reachable',
    says: 'select_tasks.to_fix never takes the branch "stalled: yes" (to implementing)',
  },
  {
    defect: 'a state from which no end can be reached',
    machine: withState('rejected', { kind: 'parked', outcome: 'needs_person', on: everyCommand(refused) }),
    proof: 'ends',
    says: 'from rejected no final state can be reached any more',
    ends: ['challenge.rejected → rejected'],
  },
  {
    defect: 'a loop without a budget',
    machine: withRoutes({ 'challenge.needs_revision': { to: 'revise' } }),
    proof: 'terminates',
    says: 'is not bounded: it spends no budget and asks no person',
    cycle: ['challenge.needs_revision → revise', 'revise.reported → order'],
  },
  {
    defect: 'a run budget that every transition renews',
    machine: withBudget('archiving', { scope: 'visit', limit: 1 }),
    proof: 'terminates',
    says: 'merge → merge_by_hand → review_merge → merge is not bounded',
    cycle: ['review_merge.needs_fix → merge'],
  },
  {
    defect: 'a budget that an agent raises',
    machine: withRoutes({ 'fix.reported': { to: 'tally', grant: 'implementation' } }),
    proof: 'budgets',
    says: 'fix.reported adds to the budget implementation, but it is sent by implementer, not by a person',
    ends: ['fix.reported → tally'],
  },
  {
    defect: 'a budget that is never spent',
    machine: withBudget('patience', { scope: 'run', limit: 3 }),
    proof: 'budgets',
    says: 'the budget patience is never spent',
  },
  {
    defect: 'a path around the challenge',
    machine: withRoutes({ 'proposed.impl': { to: 'confirm_plan', remember: true } }),
    proof: 'gate:plan_approved',
    says: 'implement can be entered although the plan was never approved',
    ends: ['proposed.impl → confirm_plan', 'confirm_plan.unchanged → select_tasks', 'select_tasks.work → implement'],
  },
  {
    defect: 'a verdict with the wrong target',
    machine: withRoutes({ 'review.needs_fix': { to: 'complete' } }),
    proof: 'gate:code_reviewed',
    says: 'merge can be entered although the code was never approved',
    ends: ['review.needs_fix → complete', 'complete.archive → confirm_code', 'confirm_code.unchanged → merge'],
  },
  {
    defect: 'an approval that stays valid after the plan is revised',
    machine: withRoutes({ 'complete.review': { to: 'touch_up' } }, touchUp),
    proof: 'gate:code_reviewed',
    says: 'merge can be entered although the code was changed after it was approved',
    ends: [
      'complete.review → touch_up',
      'touch_up.reported → complete',
      'complete.archive → confirm_code',
      'confirm_code.unchanged → merge',
    ],
  },
  {
    // Found by the verifier in the workflow as it was.
    defect: 'retry goes straight back to the step that failed',
    machine: withRoutes({ 'implementing.retry': { to: 'return', set: { stalled: 'no' } } }),
    proof: 'gate:plan_approved',
    says: 'implement can be entered although the plan may have been edited since it was approved',
    ends: ['implement.rate_limited → implementing', 'implementing.retry → implement'],
  },
  {
    // Found by the verifier in the workflow as it was.
    defect: 'a return address left over from an earlier phase',
    machine: withRoutes({ 'complete.review': { to: 'run_checks', set: { rereview: 'yes' } } }),
    proof: 'gate:code_reviewed',
    says: 'merge_by_hand can be entered although the code may have been edited since it was approved',
    ends: [
      'review.needs_fix → implementing',
      'implementing.retry → reconfirm_plan',
      'reconfirm_plan.unchanged → merge_by_hand',
    ],
  },
  {
    defect: 'a planner that challenges its own plan',
    machine: withState('challenge', { role: 'planner' }),
    proof: 'roles',
    says: 'planner makes the plan and approves it too, in challenge',
    ends: ['challenge.approved → challenged'],
  },
  {
    defect: 'a state that writes code and does not void the approval',
    machine: withState('fix', { makes: undefined }),
    proof: 'roles',
    says: 'implementer may write the work tree, but fix does not say what it makes there',
  },
];

describePlanted(planted, { workflow: 'change', writers: ['implementer'] });

test('the workflow without a defect is proven', () => {
  const { holds, proofs } = verify(change, { workflow: 'change', writers: ['implementer'] });
  expect(proofs.flatMap(({ refutations }) => refutations.map(({ what }) => what))).toEqual([]);
  expect(holds).toBe(true);
});
