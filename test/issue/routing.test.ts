/**
 * The routing matrix of the `issue` workflow: every row of its specification, in its words, and where the machine goes.
 * What is found out by code instead of an agent, and rows of phase 1, have their own tests, which cite the same ids.
 */

import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/engine/machine.ts';
import { branchesOf, stateOf } from '../../src/engine/transition.ts';
import { machine } from '../../src/workflows/issue/transition-table.ts';
import { routeInWords, routingRows } from '../routing-rows.ts';

const upstream = 'plan_rework left: rework, spend plan_rework; else fail';
const escalate = `escalations left: diagnose, spend escalations; else ${upstream}`;
const seam = `escalations left: diagnose, spend escalations, set making seam; else ${upstream}`;

/** The step of the machine, and where it leads. */
type Step = readonly [step: string, leadsTo: string];
type MatrixRow = readonly [id: string, phase: string, signal: string, action: string, ...steps: readonly Step[]];

const matrix: readonly MatrixRow[] = [
  [
    'issue/route/2-todo',
    '2',
    'Todo',
    'In Progress; README / parent updated',
    ['open_issue.opened', 'draft_plan, load plans'],
  ],
  ['issue/route/2-malformed', '2', 'issue not found, malformed', 'stop with error', ['open_issue.invalid', 'fail']],
  [
    'issue/route/3-drafted',
    '3',
    'plan drafted',
    'hygiene checked, file verified, 4',
    ['draft_plan.drafted', 'inspect_plan'],
    ['inspect_plan.clean', 'review_plan'],
    ['inspect_plan.unclean', 'rewrites left: revise_plan, spend rewrites; else fail'],
  ],
  [
    'issue/route/5-drafted',
    '5',
    'tasks drafted',
    'hygiene checked, each file verified; N=1: 6; N>1: 5.5',
    ['draft_tasks.one', 'inspect_task'],
    ['draft_tasks.several', 'inspect_split'],
    ['inspect_split.clean', 'review_split'],
    ['inspect_split.unclean', 'rewrites left: revise_tasks, spend rewrites; else fail'],
    ['inspect_task.new_symbols', 'write_stubs, set making stubs, set refused no'],
    ['inspect_task.known_symbols', 'write_tests, set making body, set refused no'],
    ['inspect_task.unclean', 'rewrites left: revise_tasks, spend rewrites; else fail'],
  ],
  [
    'issue/route/5.5-acceptable',
    '5.5',
    'ACCEPTABLE',
    '5.6, then 6 with task 1',
    ['review_split.acceptable', 'file_rest'],
    ['file_rest.filed', 'inspect_task'],
  ],
  [
    'issue/route/4-acceptable',
    '4',
    'ACCEPTABLE (whatever simplify says)',
    '5',
    ['review_plan.acceptable', 'draft_tasks'],
  ],
  [
    'issue/route/4-needs-work',
    '4',
    'NEEDS WORK, BLOCK',
    'plan.md edited in place, again (≤3)',
    ['review_plan.needs_work', 'plan_edits left: revise_plan, spend plan_edits; else draft_tasks'],
    ['revise_plan.revised', 'inspect_plan'],
  ],
  [
    'issue/route/4-converged',
    '4',
    'same check finding twice',
    'converged: stop looping, go on, blockers into the summary',
    ['review_plan.converged', 'draft_tasks'],
  ],
  [
    'issue/route/5.5-needs-work',
    '5.5',
    'NEEDS WORK',
    'task files edited in place, again (≤2), then go on with the open points recorded',
    ['review_split.needs_work', 'split_edits left: revise_tasks, spend split_edits; else file_rest'],
    ['revise_tasks.several', 'inspect_split'],
    ['revise_tasks.one', 'inspect_task'],
  ],
  [
    'issue/route/5.5-block',
    '5.5',
    'BLOCK (plan does not decompose)',
    'plan.md edited for the finding, `plan_rework_remaining` −1, re-enter 4 (ADR-17)',
    ['review_split.block', 'plan_rework left: revise_plan, spend plan_rework, finish the item; else fail'],
  ],
  [
    'issue/route/6-ready',
    '6',
    'TESTS_READY, no escalation',
    '7',
    ['write_tests.tests_ready', 'prove_red'],
    ['prove_red.red', 'entry_check, set making body'],
    ['prove_red.not_available', 'entry_check, set making body'],
    ['entry_check.red', 'implement'],
    ['entry_check.not_available', 'implement'],
  ],
  [
    'issue/route/6-escalate',
    '6',
    'TESTS_READY, escalate',
    'check light review → test fixes → 7',
    ['write_tests.escalated', 'review_tests'],
    ['review_tests.acceptable', 'prove_red'],
    ['review_tests.needs_work', 'fix_tests'],
    ['fix_tests.revised', 'prove_red'],
  ],
  [
    'issue/route/6-not-testable',
    '6',
    'NOT_TESTABLE',
    'check signs off → 7 without tests, entry in the manifest; not signed off: back to test once, then failure',
    ['write_tests.not_testable', 'sign_off'],
    ['sign_off.signed', 'entry_check, set making body'],
    ['sign_off.refused', 'refused no: write_tests, set refused yes; else fail'],
    ['entry_check.untested', 'implement'],
  ],
  [
    'issue/route/6-missing-seam',
    '6',
    'NOT_TESTABLE: missing seam',
    'make adds the seam, test again',
    ['write_tests.missing_seam', `escalations left: add_seam, spend escalations, set making seam; else ${upstream}`],
    ['add_seam.complete', 'write_tests'],
    ['add_seam.incomplete', escalate],
  ],
  [
    'issue/route/6-blocked',
    '6',
    'BLOCKED',
    'diagnosed by check like an incomplete implementation',
    ['write_tests.blocked', seam],
    ['fix_tests.blocked', seam],
  ],
  [
    'issue/route/6-no-stub',
    '6',
    'any new test that hits no stub',
    'rejected, test rewrites them',
    ['prove_red.structural', `escalations left: write_tests, spend escalations; else ${upstream}`],
  ],
  [
    'issue/route/7-entry',
    '7',
    'entry check: not RED, or other codes than handed over',
    'diagnosed by check',
    ['entry_check.unexpected', escalate],
  ],
  [
    'issue/route/7-green',
    '7',
    'Complete, project suite green',
    '8',
    ['implement.complete', 'run_suite'],
    ['run_suite.green', 'review_code'],
    ['run_suite.not_available', 'review_code'],
  ],
  ['issue/route/7-red', '7', 'Complete, project suite red', 'diagnosed by check', ['run_suite.failing', escalate]],
  [
    'issue/review/tree',
    '7, 9',
    'somebody else committed on the branch',
    'failure handler',
    ['run_suite.moved', 'fail'],
    ['confirm_code.moved', 'fail'],
  ],
  [
    'issue/route/7-incomplete',
    '7',
    'Incomplete (any hint)',
    'check diagnoses: test_design → test redesigns, fresh make; production_logic → make again with check’s notes; split_needed → failure handler',
    ['implement.incomplete', escalate],
    ['diagnose.test_design', 'making fix: retest; else making stubs: write_stubs; else reset_code'],
    ['reset_code.reset', 'write_tests'],
    [
      'diagnose.production_logic',
      'making fix: draft_fix; else making stubs: write_stubs; else making seam: add_seam; else entry_check',
    ],
    ['entry_check.resumed', 'implement'],
    ['diagnose.split_needed', 'fail'],
  ],
  [
    'issue/route/7-spent',
    '7',
    '2 escalation cycles spent',
    '`plan_rework_remaining` −1, back to 3',
    ['implement.incomplete', escalate],
    ['rework.reset', 'draft_plan, finish the item'],
  ],
  ['issue/route/8-acceptable', '8', 'ACCEPTABLE', '9', ['review_code.acceptable', 'confirm_code']],
  [
    'issue/route/8-production',
    '8',
    'production / behavioural finding',
    '`task-fix-N.md` on disk (ADR-16), make on it (≤3)',
    ['review_code.production', 'review_edits left: draft_fix, spend review_edits, set making fix; else give_up'],
    ['draft_fix.drafted', 'inspect_fix'],
    ['inspect_fix.clean', 'fix_code'],
    ['inspect_fix.unclean', 'rewrites left: draft_fix, spend rewrites; else fail'],
    ['fix_code.complete', 'run_suite'],
    ['fix_code.incomplete', escalate],
  ],
  [
    'issue/route/8-test',
    '8',
    'test finding',
    'diagnosis → test → make re-verifies; counts as one cycle of 8',
    ['review_code.test', 'review_edits left: diagnose, spend review_edits, set making fix; else give_up'],
    ['retest.revised', 'reverify'],
    ['retest.blocked', escalate],
    ['reverify.complete', 'run_suite'],
    ['reverify.incomplete', escalate],
  ],
  [
    'issue/route/8-plan-level',
    '8',
    'plan-level finding',
    '`plan_rework_remaining` −1, back to 3 with the finding',
    ['review_code.plan_level', upstream],
  ],
  [
    'issue/route/8-cosmetic',
    '8',
    'cosmetic (AST-preserving)',
    'engine applies the suggested edit, review again',
    ['review_code.cosmetic', 'review_edits left: apply_edits, spend review_edits; else give_up'],
    ['apply_edits.applied', 'run_suite'],
    ['apply_edits.not_cosmetic', 'draft_fix, set making fix'],
  ],
  [
    'issue/route/8-converged',
    '8',
    'same finding twice; 3 cycles spent',
    'recorded, go on; an open BLOCK becomes a `followup` issue',
    ['review_code.converged', 'give_up'],
    ['give_up.recorded', 'confirm_code'],
  ],
  [
    'issue/route/run-rework',
    'run',
    '`plan_rework_remaining` (start 1, ADR-13) is 0 and another upstream move is due',
    'failure handler, naming the signal that spent it',
    ['review_code.plan_level', upstream],
    ['fail.recorded', 'commit_wip'],
    ['commit_wip.committed', 'failed'],
    ['commit_wip.refused', 'failed'],
  ],
  [
    'issue/route/9-commits',
    '9',
    'reviewed code',
    'code commits, pm update, one `chore(todo): …` commit',
    ['confirm_code.unchanged', 'commit_code'],
    ['confirm_code.changed', 'review_edits left: run_suite, spend review_edits; else fail'],
    ['commit_code.committed', 'update_issue'],
    ['commit_code.refused', 'fail'],
    ['update_issue.updated', 'close_issue'],
    ['close_issue.closed', 'commit_todo'],
    ['commit_todo.committed', 'done'],
    ['commit_todo.refused', 'fail'],
  ],
  [
    'issue/route/6-stubs',
    '6',
    'new symbols',
    'make writes stubs first',
    ['write_stubs.complete', 'check_stubs'],
    ['write_stubs.incomplete', escalate],
    ['check_stubs.valid', 'write_tests, set making body'],
    ['check_stubs.not_available', 'write_tests, set making body'],
    ['check_stubs.invalid', `escalations left: write_stubs, spend escalations; else ${upstream}`],
  ],
];

const routes = new Map(
  routingRows(machine, { fully: true }).map(([state, signal, leadsTo]) => [`${state}.${signal}`, leadsTo]),
);

for (const [id, phase, signal, action, ...steps] of matrix) {
  describe(`[${id}] phase ${phase}: ${signal} → ${action}`, () => {
    test.each(steps)('%s leads to: %s', (step, leadsTo) => {
      expect(routes.get(step)).toBe(leadsTo);
    });
  });
}

test('no step of the machine is without a row', () => {
  const named = matrix.flatMap(([, , , , ...steps]) => steps.map(([step]) => step));
  const resting = ['new', 'stopped', 'done', 'failed'];
  const others = [...routes.keys()].filter((step) => !resting.includes(step.split('.')[0] ?? ''));
  expect(others.filter((step) => !named.includes(step))).toEqual([]);
});

const stops: Readonly<Record<Fault, string>> = {
  failed: 'retries left: again, spend retries; else fail',
  timed_out: 'retries left: again, spend retries; else fail',
  unparseable: 'retries left: again, spend retries; else fail',
  out_of_bounds: 'retries left: again, spend retries; else fail',
  rate_limited: 'stopped, back to here (temporary)',
  unavailable: 'stopped, back to here (unavailable)',
  over_budget: 'stopped, back to here (over_budget)',
  interrupted: 'stopped, back to here (interrupted)',
};

describe('[issue/route/any-fault] any: dispatch failed, timed out, unparseable, out of bounds → 2 retries, then failure handler', () => {
  const dispatches = Object.keys(machine.states).filter((name) => stateOf(machine, name).kind === 'dispatch');

  test.each(dispatches)('%s', (name) => {
    const { on } = stateOf(machine, name);
    const found = Object.keys(stops).map((fault) => {
      const route = on[fault];
      return [fault, route && routeInWords(branchesOf(route), { fully: true })];
    });
    expect(Object.fromEntries(found)).toEqual(stops);
  });

  test('two retries', () => {
    expect(machine.budgets['retries']).toEqual({ scope: 'visit', limit: 2 });
  });
});

describe('caps of the specification', () => {
  test('[issue/adr/13] one plan may be reworked, and the run never gets another', () => {
    expect(machine.budgets['plan_rework']).toEqual({ scope: 'run', limit: 1 });
  });

  test('[issue/caps/local] local caps are renewed with every plan: 3 reviews, 2 of a split, 2 escalations', () => {
    expect(machine.budgets).toMatchObject({
      plan_edits: { scope: 'item', limit: 2 },
      split_edits: { scope: 'item', limit: 1 },
      review_edits: { scope: 'item', limit: 2 },
      escalations: { scope: 'item', limit: 2 },
    });
  });
});
