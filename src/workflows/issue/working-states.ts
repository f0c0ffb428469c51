/** The states in which an issue is at work, phase by phase. */

import { faultRoutes } from '../../engine/define-machine.ts';
import type { Outcome } from '../../engine/machine.ts';

const fail = { to: 'fail' } as const;

/** Two more attempts, then the run fails; what passes by itself, or needs another agent, stops it where it is. */
const faults = faultRoutes(
  [{ when: { left: 'retries' }, to: 'again', spend: 'retries' }, fail] as const,
  (outcome: Outcome) => ({ to: 'stopped', remember: true, outcome }) as const,
);

function dispatchIn<const P extends string>(phase: P) {
  return <const R extends string, const O, const M extends object>(role: R, on: O, more: M) =>
    ({ kind: 'dispatch', phase, role, on: { ...on, ...faults }, ...more }) as const;
}

function checkIn<const P extends string>(phase: P) {
  return <const C extends string, const O>(check: C, on: O) => ({ kind: 'check', phase, check, on }) as const;
}

const code = { makes: 'code' } as const;

/** Upstream: another plan, as long as the run has one left. */
const upstream = [{ when: { left: 'plan_rework' }, to: 'rework', spend: 'plan_rework' }, fail] as const;
/** Incomplete in whatever way: `check` says why, at most twice for a plan. */
const escalate = [{ when: { left: 'escalations' }, to: 'diagnose', spend: 'escalations' }, ...upstream] as const;

/** A document that may not be handed to an agent is written again. */
function unclean<const S>(to: S) {
  return [{ when: { left: 'rewrites' }, to, spend: 'rewrites' }, fail] as const;
}

const inPlan = dispatchIn('plan');
const inPlanReview = dispatchIn('plan review');
const inSplit = dispatchIn('split');
const inSplitReview = dispatchIn('split review');

/** From an issue to the one task of this run; the others are filed. */
export const planning = {
  open_issue: {
    kind: 'check',
    phase: 'context',
    check: 'open_issue',
    on: { opened: { to: 'draft_plan', load: 'plans' }, invalid: fail },
  },
  draft_plan: inPlan('planner', { drafted: { to: 'inspect_plan' } }, { makes: 'plan' }),
  inspect_plan: checkIn('plan review')('inspect_plan', {
    clean: { to: 'review_plan' },
    unclean: unclean('revise_plan'),
  }),
  review_plan: inPlanReview(
    'check',
    {
      acceptable: { to: 'draft_tasks' },
      needs_work: [{ when: { left: 'plan_edits' }, to: 'revise_plan', spend: 'plan_edits' }, { to: 'draft_tasks' }],
      converged: { to: 'draft_tasks' },
    },
    { after: 'inspect_plan', beside: 'simplify' },
  ),
  revise_plan: inPlanReview('planner', { revised: { to: 'inspect_plan' } }, { makes: 'plan' }),

  draft_tasks: inSplit(
    'planner',
    { one: { to: 'inspect_task' }, several: { to: 'inspect_split' } },
    { makes: 'split' },
  ),
  inspect_split: checkIn('split review')('inspect_split', {
    clean: { to: 'review_split' },
    unclean: unclean('revise_tasks'),
  }),
  review_split: inSplitReview(
    'check',
    {
      acceptable: { to: 'file_rest' },
      needs_work: [{ when: { left: 'split_edits' }, to: 'revise_tasks', spend: 'split_edits' }, { to: 'file_rest' }],
      // ADR-17: the plan itself is edited, and reviewed again.
      block: [{ when: { left: 'plan_rework' }, to: 'revise_plan', spend: 'plan_rework', finish: true }, fail],
    },
    { after: 'inspect_split', each: 'plans' },
  ),
  revise_tasks: inSplitReview(
    'planner',
    { one: { to: 'inspect_task' }, several: { to: 'inspect_split' } },
    { makes: 'split' },
  ),
  file_rest: checkIn('split')('file_rest', { filed: { to: 'inspect_task' } }),
  inspect_task: checkIn('tests')('inspect_task', {
    new_symbols: { to: 'write_stubs', set: { making: 'stubs', refused: 'no' } },
    known_symbols: { to: 'write_tests', set: { making: 'body', refused: 'no' } },
    unclean: unclean('revise_tasks'),
  }),
} as const;

const inTests = dispatchIn('tests');
const checkTests = checkIn('tests');
/** If the code is to blame, what the tests lack is made, and they are written again. */
const untestedYet = [
  { when: { left: 'escalations' }, to: 'diagnose', spend: 'escalations', set: { making: 'seam' } },
  ...upstream,
] as const;

/** From a task to tests that fail for the right reason. */
export const testing = {
  write_stubs: inTests('make', { complete: { to: 'check_stubs' }, incomplete: escalate }, code),
  check_stubs: checkTests('check_stubs', {
    valid: { to: 'write_tests', set: { making: 'body' } },
    not_available: { to: 'write_tests', set: { making: 'body' } },
    invalid: [{ when: { left: 'escalations' }, to: 'write_stubs', spend: 'escalations' }, ...upstream],
  }),
  write_tests: inTests(
    'test',
    {
      tests_ready: { to: 'prove_red' },
      escalated: { to: 'review_tests' },
      not_testable: { to: 'sign_off' },
      missing_seam: [
        { when: { left: 'escalations' }, to: 'add_seam', spend: 'escalations', set: { making: 'seam' } },
        ...upstream,
      ],
      blocked: untestedYet,
    },
    code,
  ),
  review_tests: inTests('check', { acceptable: { to: 'prove_red' }, needs_work: { to: 'fix_tests' } }, {}),
  fix_tests: inTests('test', { revised: { to: 'prove_red' }, blocked: untestedYet }, code),
  sign_off: inTests(
    'check',
    {
      signed: { to: 'entry_check', set: { making: 'body' } },
      refused: [{ when: { flag: 'refused', is: 'no' }, to: 'write_tests', set: { refused: 'yes' } }, fail],
    },
    {},
  ),
  add_seam: inTests('make', { complete: { to: 'write_tests' }, incomplete: escalate }, code),
  prove_red: checkTests('prove_red', {
    red: { to: 'entry_check', set: { making: 'body' } },
    not_available: { to: 'entry_check', set: { making: 'body' } },
    structural: [{ when: { left: 'escalations' }, to: 'write_tests', spend: 'escalations' }, ...upstream],
  }),
} as const;

const inCode = dispatchIn('implementation');
const inReview = dispatchIn('final review');
const fix = { to: 'draft_fix', set: { making: 'fix' } } as const;
const edits = { when: { left: 'review_edits' }, spend: 'review_edits' } as const;
const giveUp = { to: 'give_up' } as const;

/** From failing tests to reviewed code. */
export const implementing = {
  entry_check: checkIn('implementation')('entry_check', {
    red: { to: 'implement' },
    untested: { to: 'implement' },
    // What `make` left of an earlier attempt is there, or `check` has said that the tests are right.
    resumed: { to: 'implement' },
    not_available: { to: 'implement' },
    unexpected: escalate,
  }),
  implement: inCode('make', { complete: { to: 'run_suite' }, incomplete: escalate }, { ...code, after: 'entry_check' }),
  run_suite: checkIn('final review')('run_suite', {
    green: { to: 'review_code' },
    not_available: { to: 'review_code' },
    failing: escalate,
    moved: fail,
  }),
  // ADR-19.
  diagnose: inCode(
    'check',
    {
      test_design: [
        { when: { flag: 'making', is: 'fix' }, to: 'retest' },
        { when: { flag: 'making', is: 'stubs' }, to: 'write_stubs' },
        { to: 'reset_code' },
      ],
      production_logic: [
        { when: { flag: 'making', is: 'fix' }, to: 'draft_fix' },
        { when: { flag: 'making', is: 'stubs' }, to: 'write_stubs' },
        { when: { flag: 'making', is: 'seam' }, to: 'add_seam' },
        { to: 'entry_check' },
      ],
      split_needed: fail,
    },
    {},
  ),
  // Tests are designed anew for the code as it was before the attempt that failed.
  reset_code: checkIn('tests')('reset_code', { reset: { to: 'write_tests' } }),
  rework: { ...checkIn('plan')('rework', { reset: { to: 'draft_plan', finish: true } }), each: 'plans' },

  review_code: inReview(
    'check',
    {
      acceptable: { to: 'confirm_code' },
      plan_level: upstream,
      test: [{ ...edits, to: 'diagnose', set: { making: 'fix' } }, giveUp],
      production: [{ ...edits, ...fix }, giveUp],
      cosmetic: [{ ...edits, to: 'apply_edits' }, giveUp],
      converged: giveUp,
    },
    { after: 'run_suite', beside: 'simplify' },
  ),
  draft_fix: inReview('planner', { drafted: { to: 'inspect_fix' } }, {}),
  inspect_fix: checkIn('final review')('inspect_fix', { clean: { to: 'fix_code' }, unclean: unclean('draft_fix') }),
  fix_code: inReview(
    'make',
    { complete: { to: 'run_suite' }, incomplete: escalate },
    { ...code, after: 'inspect_fix' },
  ),
  retest: inReview('test', { revised: { to: 'reverify' }, blocked: escalate }, code),
  reverify: inReview('make', { complete: { to: 'run_suite' }, incomplete: escalate }, code),
  apply_edits: checkIn('final review')('apply_edits', { applied: { to: 'run_suite' }, not_cosmetic: fix }),
  give_up: checkIn('final review')('give_up', { recorded: { to: 'confirm_code' } }),
} as const;

const ending = checkIn('finishing');

/** Commits, and the record of what was done. */
export const finishing = {
  confirm_code: ending('confirm_code', {
    unchanged: { to: 'commit_code' },
    changed: [{ ...edits, to: 'run_suite' }, fail],
    moved: fail,
  }),
  commit_code: {
    ...ending('commit_code', { committed: { to: 'update_issue' }, refused: fail }),
    resume: { to: 'confirm_code' },
  },
  update_issue: dispatchIn('finishing')('pm', { updated: { to: 'close_issue' } }, {}),
  close_issue: ending('close_issue', { closed: { to: 'commit_todo' } }),
  commit_todo: ending('commit_todo', { committed: { to: 'done' }, refused: fail }),
  fail: { kind: 'check', phase: 'failing', check: 'fail', on: { recorded: { to: 'commit_wip' } } },
  commit_wip: {
    kind: 'check',
    phase: 'failing',
    check: 'commit_wip',
    on: { committed: { to: 'failed' }, refused: { to: 'failed' } },
  },
} as const;
