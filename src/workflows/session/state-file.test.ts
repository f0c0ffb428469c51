import { phaseOf } from './transition-table.ts';
import { describe, expect, test } from 'vitest';
import { explore } from '../../verifier/space.ts';
import * as paths from './files/session-paths.ts';
import { readStatus } from './files/status-file.ts';
import { machine } from './transition-table.ts';
import {
  answeredDecision,
  at,
  decisionOf,
  designFiles,
  later,
  ledger,
  plannedFiles,
  run,
  viewOf,
  type Setting,
} from './session.fixture.ts';
import { stateFile } from './state-file.ts';

const file = stateFile(run);
const rendered = (setting: Setting, before?: string) =>
  readStatus(file.render(before, viewOf(setting)), paths.statusPath(run));

test('status.json shows what is on record, strictly, keys of other tools included [session/files/status] [session/decisions/entry] [session/budgets/repairs-persisted]', () => {
  const data = {
    assumptions: ['small files'],
    'issue:1': 'slow',
    runtime: { instructions: true, checkedAt: at },
    ci: { result: 'red', failedStep: 'x' },
    'retries:T-001': { FIX_REVIEW: 2 },
  };
  const decisions = ledger(answeredDecision('UD-1', 'tabs'), decisionOf({ id: 'UD-2', extra: { note: 'by hand' } }));
  const { status, repairs } = rendered({
    state: 'ask_notes',
    data,
    decisions,
    flags: { mode: 'per_batch' },
    at: later,
  });
  expect(repairs).toEqual([]);
  expect(status).toEqual({
    current_state: 'ASK_USER',
    session: run,
    mode: 'full',
    assumptions: ['small files'],
    user_decisions: Object.values(decisions).map((decision) => ({ ...decision, binding: true })),
    gate_tracking: { APPROVE_DESIGN: { correction_status: 'none', last_correction_dispatch: null } },
    runtime_flags: { copilot_instructions_exists: true, copilot_checked_at: at },
    retry_counts: { 'T-001': { FIX_REVIEW: 2, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 } },
    known_issues: ['slow'],
    last_ci_result: 'red',
    last_update: later,
    extra: { blocked: null },
  });
});

test('a lean session says so, and a finished one is DONE [session/done/current-state]', () => {
  expect(rendered({ state: 'code', flags: { mode: 'lean' } }).status).toMatchObject({ mode: 'lean' });
  expect(rendered({ state: 'done' }).status).toMatchObject({ current_state: 'DONE' });
});

test('what Pawl does not know stays [session/reading/nothing-lost]', () => {
  const before = file.render(undefined, viewOf({ state: 'plan' })).replace('{', '{ "owner": "alice",');
  expect(rendered({ state: 'plan' }, before).status.extra).toMatchObject({ owner: 'alice' });
});

test('a blocked session says what is in the way, the way out, and where it goes on [session/faults/blocked-from]', () => {
  const problem = { code: 'task_blocked', message: 'T-001', fix: 'unblock it' };
  const { extra } = rendered({ state: 'blocked', returnTo: 'fix_tests', problem }).status;
  expect(extra?.['blocked']).toEqual({
    blocker: 'task_blocked',
    detail: 'T-001',
    way_out: 'unblock it',
    from: 'FIX_TESTS',
  });
});

describe('a correction is', () => {
  const sent = { summary: 'cut', role: 'Architect', dispatchedAt: later, from: '' };
  const queued = { ...sent, dispatchedAt: null };
  test.each([
    ['none', 'approve_design', null, null],
    ['queued', 'queue_correction', 'correct_ui', queued],
    ['queued', 'ask_questions', 'correct_ui', queued],
    ['dispatched', 'correct_ui', null, sent],
    ['dispatched', 'blocked', 'correct_ui', sent],
    ['dispatched', 'verify_correction', 'correct_ui', sent],
    ['completed', 'approve_design', 'correct_ui', sent],
    ['completed', 'plan', null, sent],
  ])('%s in %s, going back to %s [session/decisions/correction-status]', (status, state, returnTo, correction) => {
    // The return address is spent once the correction is verified.
    const address = state === 'approve_design' || state === 'plan' ? null : returnTo;
    const setting = { state, returnTo: address, data: correction === null ? {} : { correction } };
    expect(rendered(setting).status.gate_tracking.APPROVE_DESIGN).toEqual({
      correction_status: status,
      last_correction_dispatch:
        (correction?.dispatchedAt ?? null) === null ? null : { agent: 'Architect', task_id: 'meta', at: later },
    });
  });
});

test('every explored state is read back with its phase [session/files/status]', () => {
  for (const { snapshot } of explore(machine).states) {
    const phase = phaseOf(snapshot);
    if (phase === null) continue;
    const text = file.render(undefined, { ...viewOf(), snapshot });
    expect(file.identify(text)).toEqual({ phase, updatedAt: at });
  }
});

describe('a session that is known by its status.json', () => {
  const status = (more: object): string =>
    JSON.stringify({ session: run, current_state: 'INTAKE', mode: 'full', last_update: at, ...more });
  const both = [
    {
      decision_id: 'UD-APPROVE-DESIGN',
      question: 'Approved?',
      status: 'answered',
      answer: 'approved',
      asked_at: at,
      resolved_at: at,
    },
    {
      decision_id: 'UD-REVIEW-STRATEGY',
      question: 'How?',
      status: 'answered',
      answer: 'per-batch',
      asked_at: at,
      resolved_at: at,
    },
  ];
  const pending = (id: string, question: string, context: string) => ({
    decision_id: id,
    question,
    status: 'pending',
    answer: null,
    asked_at: at,
    state_context: context,
  });

  function adopted(more: object, files: Readonly<Record<string, string>> = plannedFiles, data: Setting['data'] = {}) {
    const view = viewOf({ files: { ...files, [paths.statusPath(run)]: status(more) }, data });
    return file.adopt(file.identify(status(more)).phase, view, 'tree');
  }

  test.each([
    ['INTAKE', 'intake', undefined, null],
    ['INTAKE_LEAN', 'intake_lean', undefined, null],
    ['DESIGN', 'check_intake', undefined, null],
    ['APPROVE_DESIGN', 'approve_design', undefined, null],
    ['PLAN', 'plan', undefined, 'approval of the design'],
    ['REVIEW_STRATEGY', 'check_plan', undefined, 'choice of the review strategy'],
    ['IMPLEMENT_LOOP', 'recheck', 'schedule', 'choice of the review strategy'],
    ['FIX_REVIEW', 'recheck', 'schedule', 'choice of the review strategy'],
    ['FIX_TESTS', 'recheck', 'schedule', 'choice of the review strategy'],
    ['FIX_SECURITY', 'recheck', 'schedule', 'choice of the review strategy'],
    ['FIX_BUILD', 'integrate', undefined, 'choice of the review strategy'],
    ['INTEGRATE', 'integrate', undefined, 'choice of the review strategy'],
    ['RELEASE', 'integrate', undefined, 'choice of the review strategy'],
    ['ASK_USER', 'recheck', 'schedule', 'choice of the review strategy'],
    ['BLOCKED', 'blocked', 'schedule', 'choice of the review strategy'],
  ])(
    'goes on from %s in %s, back to %s, passing %s [session/reading/foreign-session]',
    (phase, state, returnTo, gate) => {
      const adoption = adopted({ current_state: phase, user_decisions: both });
      expect(adoption).toMatchObject({ state, gate });
      expect(adoption.returnTo).toBe(returnTo);
      expect(Object.keys(machine.states)).toContain(adoption.state);
    },
  );

  test('a finished one is read-only [session/files/finished-read-only]', () => {
    expect(() => adopted({ current_state: 'DONE' })).toThrow('read-only');
  });

  test('what was judged before is judged again [session/review/after-fix]', () => {
    expect(adopted({ current_state: 'RELEASE', user_decisions: both }).flags).toEqual({
      mode: 'per_batch',
      round: 'final',
      pending_reviews: 'all',
    });
  });

  test('attempts at the session as a whole are not given back [session/budgets/repairs-persisted]', () => {
    const retry_counts = { meta: { FIX_BUILD: 2, FIX_REVIEW: 5 }, 'T-001': { FIX_TESTS: 3 } };
    const { budgets } = adopted({ retry_counts, current_state: 'INTEGRATE', user_decisions: both }, plannedFiles);
    expect(budgets).toEqual({ fix_review: 0, fix_build: 1 });
  });

  test('the goal that is on record stays, and so does everything the file knows', () => {
    const known = {
      assumptions: ['small'],
      known_issues: ['slow'],
      retry_counts: { 'T-001': { FIX_REVIEW: 2 } },
      last_ci_result: 'red',
    };
    const { data, decisions } = adopted({ ...known, current_state: 'PLAN', user_decisions: both }, plannedFiles, {
      goal: 'Export',
    });
    expect(data).toMatchObject({
      goal: 'Export',
      assumptions: ['small'],
      'issue:1': 'slow',
      'retries:T-001': { FIX_REVIEW: 2 },
      ci: { result: 'red' },
      approvedDesign: expect.stringMatching(/^sha256:/),
    });
    expect(decisions).toMatchObject({ 'UD-APPROVE-DESIGN': { answer: 'approved' } });
  });

  describe('without the answer of a gate', () => {
    test.each([
      ['PLAN', [], 'plan'],
      ['REVIEW_STRATEGY', [], 'check_plan'],
      ['IMPLEMENT_LOOP', [], 'check_plan'],
      ['IMPLEMENT_LOOP', both.slice(1), 'schedule'],
      ['RELEASE', [], 'check_plan'],
      ['RELEASE', both.slice(1), 'integrate'],
    ])(
      '%s with %j: the approval is asked for, then it goes on with %s [session/verify/proofs]',
      (phase, decisions, returnTo) => {
        const adoption = adopted({ current_state: phase, user_decisions: decisions });
        expect(adoption).toMatchObject({ state: 'recheck', returnTo, gate: null });
        expect(adoption.data).not.toHaveProperty('approvedDesign');
      },
    );

    test.each([
      ['IMPLEMENT_LOOP', 'recheck', 'check_plan'],
      ['INTEGRATE', 'check_plan', undefined],
      ['BLOCKED', 'blocked', 'check_plan'],
    ])('%s, approved only: a strategy is chosen first [session/verify/proofs]', (phase, state, returnTo) => {
      const adoption = adopted({ current_state: phase, user_decisions: both.slice(0, 1) });
      expect(adoption).toMatchObject({ state, gate: 'approval of the design', flags: { mode: 'full' } });
      expect(adoption.returnTo).toBe(returnTo);
    });

    test('lean needs neither', () => {
      expect(adopted({ current_state: 'IMPLEMENT_LOOP', mode: 'lean' })).toMatchObject({
        state: 'recheck',
        returnTo: 'schedule',
        flags: { mode: 'lean' },
      });
    });
  });

  test('lean, with a gate that is open: there is no such gate, other questions stay [session/done/no-pending]', () => {
    const open = [
      pending('UD-APPROVE-DESIGN', 'Approved?', 'APPROVE_DESIGN'),
      pending('UD-2', 'Which?', 'INTAKE_LEAN'),
    ];
    const { decisions } = adopted({ current_state: 'IMPLEMENT_LOOP', mode: 'lean', user_decisions: open });
    expect(decisions).toMatchObject({
      'UD-APPROVE-DESIGN': { status: 'cancelled', resolvedAt: at, reason: 'a lean session has no such gate' },
      'UD-2': { status: 'pending' },
    });
    const full = adopted({ current_state: 'APPROVE_DESIGN', user_decisions: open.slice(0, 1) });
    expect(full.decisions?.['UD-APPROVE-DESIGN']).toMatchObject({ status: 'pending' });
  });

  describe('with a correction under way', () => {
    const asked = (answer: string) => [{ ...both[0], answer }];
    const resumed = (correction_status: string | undefined, answer = 'changes-requested(Designer): wider') =>
      adopted({
        current_state: 'APPROVE_DESIGN',
        user_decisions: asked(answer),
        ...(correction_status !== undefined && { gate_tracking: { APPROVE_DESIGN: { correction_status } } }),
      });

    test.each<readonly (string | undefined)[]>([
      [
        undefined,
        'queue_correction',
        '[session/decisions/correction-resume-none] [session/reading/missing-gate-tracking]',
      ],
      ['none', 'queue_correction', '[session/decisions/correction-resume-none]'],
      ['queued', 'queue_correction', '[session/decisions/correction-resume-queued]'],
      ['dispatched', 'verify_correction', '[session/decisions/correction-resume-dispatched]'],
      ['completed', 'verify_correction', '[session/decisions/correction-resume-completed]'],
    ])('%s: %s %s', (correction, state) => {
      const adoption = resumed(correction);
      expect(adoption.state).toBe(state);
      expect(adoption.data['correction']).toMatchObject({ summary: 'wider', role: 'Designer' });
      if (state === 'queue_correction') expect(adoption.returnTo).toBe('correct_ui');
    });

    test('of nobody named: the one’s whose business it is, the Architect’s where that is open', () => {
      expect(resumed('queued', 'changes-requested: wider').returnTo).toBe('correct_architecture');
      const layout = resumed('queued', 'changes-requested: the layout of the table');
      expect(layout.returnTo).toBe('correct_ui');
      expect(layout.data['correction']).toMatchObject({ role: 'Designer' });
    });
  });

  describe('with questions that are open', () => {
    test('asks them under their ids, then goes on where they came from [session/reading/unknown-ids]', () => {
      const open = [pending('Q-7', 'Which?', 'PLAN'), pending('UD-2', 'A security risk?', 'PLAN')];
      expect(adopted({ current_state: 'ASK_USER', user_decisions: [...both, ...open] })).toMatchObject({
        state: 'ask_questions',
        returnTo: 'plan',
        asked: { ids: ['Q-7', 'UD-2'] },
        decisions: { 'Q-7': { question: 'Which?', binding: true }, 'UD-2': { binding: true } },
      });
    });

    test('whatever phase it is in: none is left pending [session/decisions/none-left-pending]', () => {
      const open = [pending('UD-2', 'Which?', 'IMPLEMENT_LOOP')];
      const way = (phase: string) => {
        const { state, returnTo } = adopted({ current_state: phase, user_decisions: [...both, ...open] });
        return [state, returnTo];
      };
      expect(way('IMPLEMENT_LOOP')).toEqual(['ask_questions', 'schedule']);
      expect(way('RELEASE')).toEqual(['ask_questions', 'integrate']);
      expect(way('BLOCKED')).toEqual(['blocked_asking', 'schedule']);
    });

    test('of ASK_USER itself: they belong where the documents say [session/reading/ask-user-context]', () => {
      const open = [pending('UD-2', 'Which?', 'ASK_USER')];
      const { state, returnTo, notes } = adopted({ current_state: 'ASK_USER', user_decisions: open }, designFiles);
      expect([state, returnTo]).toEqual(['ask_questions', 'check_intake']);
      expect(notes?.join()).toContain('ASK_USER');
    });

    test('as bare text: asked where nothing says how they were resolved, and told [session/reading/bare-decisions]', () => {
      const user_decisions = ['Which separator?', 'Header? answered: yes'];
      const { state, asked, decisions, notes } = adopted({ current_state: 'DESIGN', user_decisions }, designFiles);
      expect(state).toBe('ask_questions');
      expect(asked?.ids).toEqual(['UD-1']);
      expect(decisions).toMatchObject({
        'UD-1': { question: 'Which separator?' },
        'UD-2': { status: 'answered', answer: 'yes' },
      });
      expect(notes?.join()).toContain('bare text');
    });
  });
});
