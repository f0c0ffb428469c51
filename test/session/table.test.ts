/** The States table of the specification, row by row: which way leads from which phase to which. */

import { describe, expect, test } from 'vitest';
import { initialSnapshot } from '../../src/engine/snapshot.ts';
import { transition } from '../../src/engine/transition.ts';
import { snapshotsOn, type Sent } from '../../src/testing/walk.ts';
import { machine } from '../../src/workflows/session/transition-table.ts';
import { phaseOf } from '../../src/workflows/session/transition-table.ts';

const items = (...ids: readonly string[]) => ids.map((id) => ({ id, after: [] }));
const work = (...ids: readonly string[]): Sent => ({ name: 'work', items: items(...ids) });
const times = (count: number, signals: readonly Sent[]): Sent[] => Array.from({ length: count }, () => signals).flat();

const toDesign: readonly Sent[] = ['start', 'opened', 'reported', 'valid'];
const toApproval: readonly Sent[] = [...toDesign, 'not_needed', 'reported', 'not_needed', 'valid'];
const toPlan: readonly Sent[] = [...toApproval, 'approved'];
const toStrategy: readonly Sent[] = [...toPlan, 'reported', 'valid'];
/** In front of the Coder. */
const perBatch = (...ids: readonly string[]): Sent[] => [...toStrategy, 'per_batch', 'intact', work(...ids), 'begun'];
const singleFinal = (...ids: readonly string[]): Sent[] => [
  ...toStrategy,
  'single_final',
  'intact',
  work(...ids),
  'begun',
];
const lean: readonly Sent[] = ['start_lean', 'opened', 'reported', 'valid', work('T-001'), 'begun'];
/** From the Coder to the end of the task, and from the final review to INTEGRATE. */
const judged: readonly Sent[] = ['reported', 'passed', 'passed', 'passed', 'accepted'];
const finally_: readonly Sent[] = ['passed', 'not_needed', 'not_needed', 'accepted'];
const toIntegrate: readonly Sent[] = [...perBatch('T-001'), ...judged, ...finally_];
const toRelease: readonly Sent[] = [...toIntegrate, 'green', 'settled'];

/** The phases of a way, each once while it lasts. */
function phasesOn(signals: readonly Sent[]): readonly (string | null)[] {
  const phases = snapshotsOn({ machine }, signals).map(phaseOf);
  return phases.filter((phase, index) => index === 0 || phase !== phases[index - 1]);
}

function statesOn(signals: readonly Sent[]): readonly string[] {
  return snapshotsOn({ machine }, signals).map(({ state }) => state);
}

interface Way {
  readonly from: readonly Sent[];
  readonly signals: readonly Sent[];
  /** From where `from` ends. */
  readonly phases: readonly string[];
}

const table: Readonly<Record<string, Way>> = {
  'start --lean [session/table/start-lean]': {
    from: ['start_lean'],
    signals: ['opened', 'reported', 'valid'],
    phases: ['INTAKE_LEAN', 'IMPLEMENT_LOOP'],
  },
  'start, judged lean by the SpecAgent and by the person [session/table/start-lean-judged]': {
    from: ['start', 'opened'],
    signals: ['lean', 'lean', 'reported', 'valid'],
    phases: ['INTAKE', 'ASK_USER', 'INTAKE_LEAN', 'IMPLEMENT_LOOP'],
  },
  'judged lean, but the person wants it full [session/table/start-lean-judged]': {
    from: ['start', 'opened'],
    signals: ['lean', 'full', 'valid'],
    phases: ['INTAKE', 'ASK_USER', 'INTAKE', 'DESIGN'],
  },
  'start otherwise [session/table/start-full]': { from: ['start'], signals: ['opened'], phases: ['INTAKE'] },
  'INTAKE, documents valid [session/table/intake]': {
    from: ['start', 'opened'],
    signals: ['reported', 'valid'],
    phases: ['INTAKE', 'DESIGN'],
  },
  'INTAKE, documents not valid [session/table/intake]': {
    from: ['start', 'opened'],
    signals: ['reported', 'invalid', 'retry', 'intact'],
    phases: ['INTAKE', 'BLOCKED', 'INTAKE'],
  },
  'INTAKE_LEAN, documents and one task valid [session/table/intake-lean]': {
    from: ['start_lean', 'opened'],
    signals: ['reported', 'valid'],
    phases: ['INTAKE_LEAN', 'IMPLEMENT_LOOP'],
  },
  'DESIGN valid [session/table/design]': {
    from: toDesign,
    signals: ['reported', 'reported', 'reported', 'valid'],
    phases: ['DESIGN', 'APPROVE_DESIGN'],
  },
  'DESIGN not valid [session/table/design]': {
    from: toDesign,
    signals: ['not_needed', 'reported', 'not_needed', 'invalid', 'retry', 'intact'],
    phases: ['DESIGN', 'BLOCKED', 'DESIGN'],
  },
  'APPROVE_DESIGN approved [session/table/approve-design]': {
    from: toApproval,
    signals: ['approved'],
    phases: ['APPROVE_DESIGN', 'PLAN'],
  },
  'APPROVE_DESIGN, corrected by each role, as often as wanted [session/table/approve-design-changes]': {
    from: toApproval,
    signals: [
      ...['change_spec', 'change_architecture', 'change_ui'].flatMap((each) => [
        each,
        'queued',
        'reported',
        'completed',
      ]),
      ...times(20, ['change_architecture', 'queued', 'reported', 'incomplete']),
      'approved',
    ],
    phases: ['APPROVE_DESIGN', 'PLAN'],
  },
  'APPROVE_DESIGN without a valid answer [session/table/gate-missing-answer]': {
    from: toApproval,
    signals: ['deferred', 'retry', 'intact'],
    phases: ['APPROVE_DESIGN', 'BLOCKED', 'APPROVE_DESIGN'],
  },
  'REVIEW_STRATEGY deferred [session/table/gate-deferred]': {
    from: toStrategy,
    signals: ['deferred', 'retry', 'intact'],
    phases: ['REVIEW_STRATEGY', 'BLOCKED', 'REVIEW_STRATEGY'],
  },
  'PLAN, tasks valid [session/table/plan]': {
    from: toPlan,
    signals: ['reported', 'valid'],
    phases: ['PLAN', 'REVIEW_STRATEGY'],
  },
  'PLAN, tasks not valid [session/table/plan]': {
    from: toPlan,
    signals: ['reported', 'invalid', 'retry', 'intact'],
    phases: ['PLAN', 'BLOCKED', 'PLAN'],
  },
  'REVIEW_STRATEGY per-batch [session/table/review-strategy]': {
    from: toStrategy,
    signals: ['per_batch', 'intact', work('T-001')],
    phases: ['REVIEW_STRATEGY', 'IMPLEMENT_LOOP'],
  },
  'REVIEW_STRATEGY single-final [session/table/review-strategy]': {
    from: toStrategy,
    signals: ['single_final', 'intact', work('T-001')],
    phases: ['REVIEW_STRATEGY', 'IMPLEMENT_LOOP'],
  },
  'Reviewer BLOCKED [session/table/review-blocked]': {
    from: [...perBatch('T-001'), 'reported'],
    signals: ['blocked', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'FIX_REVIEW', 'IMPLEMENT_LOOP'],
  },
  'QA BLOCKED [session/table/qa-blocked]': {
    from: [...perBatch('T-001'), 'reported', 'passed'],
    signals: ['blocked', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'FIX_TESTS', 'IMPLEMENT_LOOP'],
  },
  'QA BLOCKED, only tests wrong [session/table/qa-tests-wrong]': {
    from: [...singleFinal('T-001'), 'reported', 'passed'],
    signals: ['tests_wrong', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'FIX_TESTS', 'IMPLEMENT_LOOP'],
  },
  'Security BLOCKED [session/table/security-blocked]': {
    from: [...lean, 'reported', 'passed', 'not_needed'],
    signals: ['blocked', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'FIX_SECURITY', 'IMPLEMENT_LOOP'],
  },
  'Security NEEDS_DECISION, settled [session/table/security-decision]': {
    from: [...perBatch('T-001', 'T-002'), 'reported', 'passed', 'passed'],
    signals: ['decision', 'noted', 'settled', 'intact'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'IMPLEMENT_LOOP'],
  },
  'Security NEEDS_DECISION, to be fixed now [session/table/security-decision]': {
    from: [...perBatch('T-001', 'T-002'), 'reported', 'passed', 'passed'],
    signals: ['decision', 'fix_now', 'intact', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'FIX_SECURITY', 'IMPLEMENT_LOOP'],
  },
  'PASS WITH NOTES, none to fix [session/table/pass-with-notes]': {
    from: [...perBatch('T-001'), 'reported'],
    signals: ['notes', 'none', 'intact'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'IMPLEMENT_LOOP'],
  },
  'PASS WITH NOTES, some to fix [session/table/pass-with-notes]': {
    from: [...perBatch('T-001'), 'reported'],
    signals: ['notes', 'fix', 'intact', 'reported'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'FIX_REVIEW', 'IMPLEMENT_LOOP'],
  },
  'ambiguity or scope creep [session/table/ambiguity]': {
    from: perBatch('T-001'),
    signals: ['questions', 'answered', 'intact'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'IMPLEMENT_LOOP'],
  },
  'repair budget spent [session/table/repairs-spent]': {
    from: [...perBatch('T-001'), 'reported', ...times(3, ['blocked', 'reported'])],
    signals: ['blocked', 'accept', 'intact'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'IMPLEMENT_LOOP'],
  },
  'all tasks completed and the final review passed, per-batch [session/table/all-completed]': {
    from: perBatch('T-001', 'T-002'),
    signals: [...judged, 'begun', ...judged, ...finally_],
    phases: ['IMPLEMENT_LOOP', 'INTEGRATE'],
  },
  'all tasks completed and the final review passed, single-final [session/table/all-completed]': {
    from: singleFinal('T-001', 'T-002'),
    signals: ['reported', 'begun', 'reported', 'passed', 'passed', 'passed', 'accepted'],
    phases: ['IMPLEMENT_LOOP', 'INTEGRATE'],
  },
  'all tasks completed, lean [session/table/all-completed]': {
    from: lean,
    signals: ['reported', 'passed', 'not_needed', 'not_needed', 'accepted'],
    phases: ['IMPLEMENT_LOOP', 'INTEGRATE'],
  },
  'lean, more complex than expected [session/table/lean-complex]': {
    from: lean,
    signals: ['complex', 'reported', 'valid'],
    phases: ['IMPLEMENT_LOOP', 'INTAKE', 'DESIGN'],
  },
  'INTEGRATE red, mended by the Integrator [session/table/integrate-red]': {
    from: toIntegrate,
    signals: ['red', 'reported'],
    phases: ['INTEGRATE', 'FIX_BUILD', 'INTEGRATE'],
  },
  'INTEGRATE red, mended by the Integrator, then the Coder [session/table/integrate-red]': {
    from: toIntegrate,
    signals: ['red', 'hand_over', 'reported'],
    phases: ['INTEGRATE', 'FIX_BUILD', 'INTEGRATE'],
  },
  'INTEGRATE green, full [session/table/integrate-green-full]': {
    from: toIntegrate,
    signals: ['green', 'settled'],
    phases: ['INTEGRATE', 'RELEASE'],
  },
  'INTEGRATE green, lean [session/table/integrate-green-lean]': {
    from: [...lean, 'reported', 'passed', 'not_needed', 'not_needed', 'accepted'],
    signals: ['green', 'settled', 'complete'],
    phases: ['INTEGRATE', 'DONE'],
  },
  'RELEASE [session/table/release]': {
    from: toRelease,
    signals: ['reported', 'reported', 'green', 'passed', 'complete'],
    phases: ['RELEASE', 'DONE'],
  },
  'persistence retries spent [session/table/persistence-spent]': {
    from: toApproval,
    signals: ['unwritten'],
    phases: ['APPROVE_DESIGN', 'BLOCKED'],
  },
  'dispatch retries spent [session/table/dispatch-spent]': {
    from: toPlan,
    signals: ['failed', 'timed_out', 'unparseable'],
    phases: ['PLAN', 'BLOCKED'],
  },
  'FAIL [session/table/fail]': { from: toPlan, signals: ['gave_up'], phases: ['PLAN', 'BLOCKED'] },
  'a task stuck blocked [session/table/task-blocked]': {
    from: [...toStrategy, 'per_batch', 'intact'],
    signals: ['stuck', 'retry', 'intact', work('T-001')],
    phases: ['IMPLEMENT_LOOP', 'BLOCKED', 'IMPLEMENT_LOOP'],
  },
  'Researcher NEEDS_INFO [session/table/needs-info]': {
    from: toDesign,
    signals: ['questions', 'answered', 'intact', 'reported'],
    phases: ['DESIGN', 'ASK_USER', 'DESIGN'],
  },
  'Coder BLOCKED [session/table/coder-blocked]': {
    from: singleFinal('T-001'),
    signals: ['questions', 'answered', 'intact'],
    phases: ['IMPLEMENT_LOOP', 'ASK_USER', 'IMPLEMENT_LOOP'],
  },
  'BLOCKED is left by resume, to where it was blocked [session/table/blocked-resume]': {
    from: [...perBatch('T-001'), 'reported', 'blocked'],
    signals: ['gave_up', 'retry', 'intact', 'reported'],
    phases: ['FIX_REVIEW', 'BLOCKED', 'FIX_REVIEW', 'IMPLEMENT_LOOP'],
  },
};

test.each(Object.entries(table))('%s', (_, { from, signals, phases }) => {
  const before = phasesOn(from).length - 1;
  expect(phasesOn([...from, ...signals]).slice(before)).toEqual(phases);
});

describe('per-batch', () => {
  test('judges each task before the next, then everything together [session/strategy/per-batch-task]', () => {
    const way = statesOn([...perBatch('T-001', 'T-002'), ...judged, 'begun', ...judged, ...finally_]);
    expect(way.slice(way.indexOf('begin_task'))).toEqual([
      'begin_task',
      'code',
      'review',
      'qa',
      'security',
      'accept_task',
      'begin_task',
      'code',
      'review',
      'qa',
      'security',
      'accept_task',
      'review',
      'qa',
      'security',
      'accept_all',
      'integrate',
    ]);
  });

  test('the last task is followed by the meta review [session/strategy/per-batch-meta]', () => {
    const last = snapshotsOn({ machine }, [...perBatch('T-001'), ...judged]).at(-1);
    expect(last).toMatchObject({ state: 'review', flags: { round: 'final' } });
  });
});

describe('single-final', () => {
  test('implements everything, then judges once [session/strategy/single-final-all] [session/strategy/single-final-pass]', () => {
    const way = statesOn([
      ...singleFinal('T-001', 'T-002'),
      'reported',
      'begun',
      'reported',
      'passed',
      'passed',
      'passed',
    ]);
    expect(way.slice(way.indexOf('begin_task'))).toEqual([
      'begin_task',
      'code',
      'begin_task',
      'code',
      'review',
      'qa',
      'security',
      'accept_all',
    ]);
  });

  test.each([
    ['review', ['blocked', 'reported', 'passed', 'passed', 'passed'], ['review', 'qa', 'security']],
    ['qa', ['passed', 'blocked', 'reported', 'passed', 'passed', 'passed'], ['qa', 'review', 'security']],
    ['qa', ['passed', 'tests_wrong', 'reported', 'passed', 'passed', 'passed'], ['qa', 'review', 'security']],
    [
      'security',
      ['passed', 'passed', 'blocked', 'reported', 'passed', 'passed', 'passed', 'unchanged'],
      ['security', 'review', 'qa', 'security'],
    ],
  ])(
    'a fix for %s is followed by the whole pass, that gate first [session/review/after-fix-single-final]',
    (_, signals, pass) => {
      const way = statesOn([...singleFinal('T-001'), 'reported', ...signals]);
      expect(way.slice(way.findIndex((state) => state.startsWith('fix_')) + 1)).toEqual([...pass, 'accept_all']);
    },
  );
});

test('a lean session has no final pass [session/strategy/lean]', () => {
  const way = statesOn([...lean, 'reported', 'passed', 'passed', 'passed', 'accepted']);
  expect(way.slice(way.indexOf('code'))).toEqual(['code', 'review', 'qa', 'security', 'accept_task', 'integrate']);
});

test('DESIGN goes from research to architecture to user interface [session/design/order]', () => {
  const way = statesOn([...toDesign, 'reported', 'reported', 'reported', 'valid']);
  expect(way.slice(way.indexOf('research'))).toEqual([
    'research',
    'architect',
    'design_ui',
    'check_design',
    'approve_design',
  ]);
});

test('RELEASE: Docs, the Integrator, then a review of what they changed [session/release/order]', () => {
  const way = snapshotsOn({ machine }, [...toRelease, 'reported', 'reported', 'green', 'passed', 'complete']);
  expect(way.slice(-6).map(({ state }) => state)).toEqual([
    'docs',
    'release_notes',
    'verify_release',
    'review',
    'finish',
    'done',
  ]);
  expect(way.at(-3)?.flags['round']).toBe('release');
});

test('what the release review has mended is judged, built and released again [session/review/after-fix]', () => {
  const again = ['blocked', 'reported', 'passed', 'passed', 'passed', 'accepted', 'green', 'settled'];
  const way = statesOn([...toRelease, 'reported', 'reported', 'green', ...again]);
  expect(way.slice(way.indexOf('verify_release') + 1)).toEqual([
    'review',
    'fix_review',
    'review',
    'qa',
    'security',
    'accept_all',
    'integrate',
    'judge_criteria',
    'docs',
  ]);
});

describe('what the release did to the build', () => {
  const released: readonly Sent[] = [...toRelease, 'reported', 'reported'];

  test('is looked at before it is reviewed, and a red build is mended and judged again [session/release/order] [session/review/after-fix]', () => {
    const way = snapshotsOn({ machine }, [...released, 'red', 'reported', 'green', 'passed']);
    expect(way.slice(-5).map(({ state }) => state)).toEqual([
      'verify_release',
      'fix_build',
      'integrate',
      'review',
      'qa',
    ]);
    expect(way.at(-2)?.flags).toMatchObject({ round: 'final', pending_reviews: 'all' });
  });

  test('is judged in full where nobody mends it any more [session/questions/integrate-spent]', () => {
    const spent = [...times(3, ['red', 'reported', 'green', ...finally_, 'green', 'settled', 'reported', 'reported'])];
    const way = statesOn([...released, ...spent, 'red', 'accept', 'intact', 'passed']);
    expect(way.slice(-5)).toEqual(['verify_release', 'ask_fix_build', 'recheck', 'review', 'qa']);
  });

  test('blocks where its checks cannot be run; then everything is judged again', () => {
    const way = statesOn([...released, 'invalid', 'retry', 'intact', 'green', 'passed']);
    expect(way.slice(-5)).toEqual(['blocked', 'recheck', 'integrate', 'review', 'qa']);
  });
});

test.each([
  ['integrate', toIntegrate],
  ['verify_release', [...toRelease, 'reported', 'reported']],
])(
  '%s: files that checks changed cost an attempt and are judged by all gates [session/review/after-fix]',
  (at, from) => {
    const way = snapshotsOn({ machine }, [...from, 'changed', 'passed', 'passed', 'passed', 'accepted']);
    expect(way.slice(-6).map(({ state }) => state)).toEqual([
      at,
      'review',
      'qa',
      'security',
      'accept_all',
      'integrate',
    ]);
    expect(way.at(-5)).toMatchObject({ budgets: { fix_build: 2 }, flags: { round: 'final', pending_reviews: 'all' } });
  },
);

test.each([
  ['integrate', toIntegrate],
  ['verify_release', [...toRelease, 'reported', 'reported']],
])('%s: tasks that are left are worked on after resume [session/table/all-completed]', (at, from) => {
  const way = statesOn([...from, 'tasks_left', 'retry', 'intact', work('T-002'), 'begun']);
  expect(way.slice(-6)).toEqual([at, 'blocked', 'recheck', 'schedule', 'begin_task', 'code']);
});

test('after a mended build everything is judged again before it counts [session/review/after-fix]', () => {
  const way = statesOn([...toIntegrate, 'red', 'reported', 'green', 'passed', 'passed', 'passed', 'accepted', 'green']);
  expect(way.slice(way.indexOf('fix_build'))).toEqual([
    'fix_build',
    'integrate',
    'review',
    'qa',
    'security',
    'accept_all',
    'integrate',
    'judge_criteria',
  ]);
});

describe('files that changed while a person was waited for', () => {
  test('are judged before the release [session/review/edited-while-waiting]', () => {
    const way = statesOn([...toIntegrate, 'green', 'open', 'settled', 'code_changed', 'settled']);
    expect(way.slice(-4)).toEqual(['ask_criteria', 'recheck', 'judge_criteria', 'review']);
  });

  test('in the release, by every gate, not by a review alone [session/review/edited-while-waiting]', () => {
    const asked: readonly Sent[] = [...toRelease, 'reported', 'reported', 'green', 'questions', 'answered'];
    expect(statesOn([...asked, 'intact', 'passed']).at(-1)).toBe('finish');
    const way = snapshotsOn({ machine }, [...asked, 'code_changed', 'passed']);
    expect(way.slice(-2)).toMatchObject([{ state: 'review', flags: { round: 'final' } }, { state: 'qa' }]);
  });

  test('and a design that changed is approved again, then the work goes on [session/design/bound]', () => {
    const way = statesOn([...perBatch('T-001'), 'questions', 'answered', 'design_changed', 'approved', 'intact']);
    expect(way.slice(-4)).toEqual(['recheck', 'reapprove_design', 'recheck', 'code']);
  });

  test('a strategy that is gone is chosen again [session/strategy/re-read]', () => {
    const way = statesOn([...perBatch('T-001'), 'questions', 'answered', 'no_strategy', 'single_final', 'intact']);
    expect(way.slice(-4)).toEqual(['recheck', 'review_strategy', 'recheck', 'schedule']);
  });
});

describe('repairs', () => {
  const gates = [
    { kind: 'fix_review', to: ['reported'], fails: 'blocked', asks: 'ask_fix_review' },
    { kind: 'fix_tests', to: ['reported', 'passed'], fails: 'blocked', asks: 'ask_fix_tests' },
    { kind: 'fix_tests', to: ['reported', 'passed'], fails: 'tests_wrong', asks: 'ask_fix_tests' },
    { kind: 'fix_security', to: ['reported', 'passed', 'passed'], fails: 'blocked', asks: 'ask_fix_security' },
  ] as const;

  test.each(gates)(
    '$kind after "$fails" is tried three times, then a person is asked [session/budgets/repairs]',
    (gate) => {
      const way = [...perBatch('T-001'), ...gate.to, ...times(3, [gate.fails, 'reported'])];
      expect(statesOn(way).filter((state) => state.startsWith('fix_'))).toHaveLength(3);
      expect(statesOn([...way, gate.fails]).at(-1)).toBe(gate.asks);
    },
  );

  test('INTEGRATE asks too when its repairs are spent [session/questions/integrate-spent]', () => {
    expect(statesOn([...toIntegrate, ...times(3, ['red', 'reported']), 'red']).at(-1)).toBe('ask_fix_build');
  });

  test('a grant renews that counter and no other [session/budgets/grant-resets-one]', () => {
    const spent: readonly Sent[] = [
      ...perBatch('T-001'),
      'reported',
      ...times(2, ['blocked', 'reported']),
      'passed',
      ...times(3, ['blocked', 'reported']),
      'blocked',
    ];
    const before = snapshotsOn({ machine }, spent).at(-1)?.budgets;
    expect(before).toMatchObject({ fix_review: 1, fix_tests: 0, fix_security: 3 });
    const after = snapshotsOn({ machine }, [...spent, 'try_again', 'intact']).at(-1);
    expect(after).toMatchObject({ state: 'fix_tests', budgets: { fix_review: 1, fix_tests: 2, fix_security: 3 } });
  });

  test('every task has its own, and so has the meta pass [session/budgets/repairs-own-counter]', () => {
    const way: Sent[] = [...perBatch('T-001', 'T-002'), 'reported', ...times(3, ['blocked', 'reported'])];
    const second: Sent[] = [...way, 'passed', 'passed', 'passed', 'accepted', 'begun', 'reported'];
    expect(snapshotsOn({ machine }, way).at(-1)?.budgets['fix_review']).toBe(0);
    expect(snapshotsOn({ machine }, second).at(-1)?.budgets['fix_review']).toBe(3);
    const meta: Sent[] = [...second, 'blocked', 'reported', 'passed', 'passed', 'passed', 'accepted'];
    const final = snapshotsOn({ machine }, meta).at(-1);
    expect(final).toMatchObject({ state: 'review', flags: { round: 'final' }, budgets: { fix_review: 3 } });
  });

  test('a fault is retried twice, then it blocks [session/budgets/dispatch-retries] [session/faults/retried]', () => {
    const way = statesOn([...toPlan, 'failed', 'out_of_bounds']);
    expect(way.at(-1)).toBe('plan');
    expect(statesOn([...toPlan, 'failed', 'out_of_bounds', 'timed_out']).at(-1)).toBe('blocked');
  });

  test('SpecAgent unavailable: blocked, nobody else writes the spec [session/faults/spec-agent-unavailable]', () => {
    expect(statesOn(['start', 'opened', 'unavailable', 'retry', 'intact']).slice(-3)).toEqual([
      'blocked',
      'recheck',
      'intake',
    ]);
  });
});

test('corrections are unlimited [session/budgets/corrections-unlimited]', () => {
  const once = ['change_spec', 'queued', 'reported', 'completed'];
  expect(statesOn([...toApproval, ...times(50, once)]).at(-1)).toBe('approve_design');
});

test('in a lean session the Coder mends the build [session/integrate/lean]', () => {
  const integrating: Sent[] = [...lean, 'reported', 'passed', 'not_needed', 'not_needed', 'accepted'];
  expect(statesOn([...integrating, 'red', 'hand_over', 'reported']).slice(-3)).toEqual([
    'fix_build',
    'fix_build_code',
    'integrate',
  ]);
});

test('a question comes back to whoever asked it, in any state [session/questions/any-role]', () => {
  const asking = Object.entries(machine.states).filter(([, state]) => 'questions' in state.on);
  expect(asking.map(([name]) => name)).toEqual(expect.arrayContaining(['intake', 'docs', 'fix_build', 'qa']));
  const way = statesOn([...toRelease, 'questions', 'answered', 'intact']);
  expect(way.slice(-4)).toEqual(['docs', 'ask_questions', 'recheck', 'docs']);
});

test('what a transition records does not grow with the number of tasks [session/scale/500-tasks]', () => {
  const ids = Array.from({ length: 500 }, (_, n) => `T-${String(n + 1).padStart(3, '0')}`);
  let snapshot = snapshotsOn({ machine }, perBatch(...ids)).at(-1) ?? initialSnapshot(machine);
  const sizes: number[] = [];
  for (const _ of ids) {
    let size = 0;
    for (const name of ['reported', 'passed', 'passed', 'passed', 'accepted', 'begun']) {
      const step = transition(machine, snapshot, { name });
      if (step.kind === 'refusal') break;
      size += JSON.stringify(step.delta).length;
      snapshot = step.snapshot;
    }
    sizes.push(size);
  }
  // The last task leads on to the final review.
  expect(new Set(sizes.slice(0, -1))).toEqual(new Set([sizes[0]]));
  expect(snapshot).toMatchObject({ state: 'review', flags: { round: 'final' } });
});
