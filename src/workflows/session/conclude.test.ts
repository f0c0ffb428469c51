import { describe, expect, test } from 'vitest';
import type { Json } from '../../engine/snapshot.ts';
import { conclude } from './conclude.ts';
import * as paths from './files/session-paths.ts';
import { data as slots } from './run-data.ts';
import {
  after,
  decisionOf,
  designFiles,
  dispatched,
  endedOf,
  plannedFiles,
  run,
  tasksFile,
  ledger,
  tasksList,
  viewOf,
  type DispatchSetting,
} from './session.fixture.ts';

type Args = Readonly<Record<string, Json>>;
const ok: Args = { status: 'OK', summary: 'Done.' };

function reported(setting: DispatchSetting, args: Args = ok, changed: readonly string[] = []) {
  const task = { files: plannedFiles, lists: tasksList('T-001'), ...setting };
  return conclude(endedOf(task, changed), [{ tool: 'report', args }]);
}

/** What is on record once that was concluded. */
function decisionsAfter(setting: DispatchSetting, conclusion: ReturnType<typeof conclude>) {
  if (!('signal' in conclusion)) throw new Error(conclusion.insufficient);
  return after(viewOf({ files: plannedFiles, ...setting }), conclusion.signal).snapshot.decisions;
}

test('a dispatch without a report, or with one that is none, has come to nothing', () => {
  const context = endedOf({ state: 'plan', files: plannedFiles });
  expect(conclude(context, [])).toEqual({ insufficient: 'the Planner ended without calling report' });
  expect(conclude(context, [{ tool: 'report', args: { status: 'GREAT' } }])).toEqual({
    insufficient: expect.stringContaining('status'),
  });
});

test.each(['intake', 'plan', 'code', 'review', 'docs'])(
  'FAIL in %s blocks, with a way out [session/table/fail]',
  (state) => {
    expect(reported({ state }, { status: 'FAIL', summary: 'No such thing.' })).toMatchObject({
      signal: {
        name: 'gave_up',
        problem: {
          code: 'role_failed',
          message: expect.stringContaining('No such thing.'),
          fix: expect.stringContaining('pawl retry'),
        },
      },
    });
  },
);

describe('questions', () => {
  const questions = [
    { question: 'Which?', suggestions: ['a'] },
    { question: 'Keys in files?', kind: 'security' },
  ];

  test.each([
    ['research', 'NEEDS_INFO', 'DESIGN'],
    ['code', 'OK', 'IMPLEMENT_LOOP'],
    ['fix_review', 'BLOCKED', 'FIX_REVIEW'],
    ['docs', 'OK', 'RELEASE'],
  ])(
    'of whoever works in %s are pending, and belong to that state [session/questions/any-role] [session/table/needs-info]',
    (state, status, context) => {
      const conclusion = reported({ state }, { status, summary: 'Unsure.', questions });
      expect(conclusion).toMatchObject({
        signal: {
          name: 'questions',
          asks: { detail: 'Unsure.', parts: [{ binding: false, suggestions: ['a'] }, { binding: true }] },
        },
        writes: [],
      });
      expect(decisionsAfter({ state }, conclusion)).toMatchObject({
        'UD-1': { question: 'Which?', status: 'pending', context },
        'UD-2': { question: 'Keys in files?', context },
      });
    },
  );

  test('of Security are never passed over, whatever it calls them [session/decisions/security-never-cancelled]', () => {
    const plain = [{ question: 'Is this key public?' }, { question: 'Who calls it?', kind: 'info' }];
    const bindingOf = (state: string) => reported({ state }, { ...ok, questions: plain });
    expect(bindingOf('security')).toMatchObject({
      signal: { asks: { parts: [{ binding: true }, { binding: true }] } },
    });
    expect(bindingOf('qa')).toMatchObject({
      signal: { asks: { parts: [{ binding: false }, { binding: false }] } },
    });
  });

  test('a Coder that is blocked asks how to go on [session/table/coder-blocked]', () => {
    expect(reported({ state: 'code' }, { status: 'BLOCKED', summary: 'No database.' })).toMatchObject({
      signal: { name: 'questions', asks: { title: 'The Coder is blocked', detail: 'No database.' } },
    });
  });

  test('an Integrator that is blocked hands the build over to the Coder [session/table/integrate-red]', () => {
    expect(reported({ state: 'fix_build' }, { status: 'BLOCKED', summary: 'It is the code.' })).toMatchObject({
      signal: { name: 'hand_over', data: { handedOver: 'It is the code.' } },
    });
  });
});

describe('documents a step is for', () => {
  test.each([
    ['intake', { files: {} }, 'spec.md: it is missing'],
    ['intake_lean', { files: designFiles }, 'tasks.yaml: it is missing'],
    ['architect', { files: {} }, 'architecture.md: it is missing'],
    ['research', { data: { intake: { needsResearch: true } } }, 'research report'],
    ['design_ui', { data: { intake: { hasUi: true } } }, 'design spec'],
    ['plan', { files: designFiles }, 'tasks.yaml: it is missing'],
    ['correct_spec', { files: {} }, 'spec.md: it is missing'],
  ])('%s without them has come to nothing [session/budgets/engine-never-works]', (state, setting, problem) => {
    expect(reported({ state, ...setting })).toEqual({ insufficient: expect.stringContaining(problem) });
    expect(reported({ state })).toMatchObject({ signal: { name: 'reported' } });
  });
});

test('a session that is called like a document asks its Researcher for a report, and for nothing else', () => {
  const run_ = '2026-05-01_research-caching-options';
  const files = { [`.agents-work/${run_}/research/caching.md`]: '# Options\n' };
  const context = { ...endedOf({ state: 'research', files, data: { intake: { needsResearch: true } } }), run: run_ };
  expect(conclude(context, [{ tool: 'report', args: ok }])).toMatchObject({ signal: { name: 'reported' } });
});

describe('the SpecAgent', () => {
  const lean = { unambiguous: true, three_files_at_most: true, no_decisions: true, five_minutes_at_most: true };

  test('says what follows: research, user interface, assumptions [session/roles/spec-agent-output]', () => {
    const args = {
      ...ok,
      needs_research: true,
      research_question: 'Which format?',
      has_ui: true,
      assumptions: ['small'],
    };
    expect(reported({ state: 'intake' }, args)).toMatchObject({
      signal: {
        name: 'reported',
        data: {
          intake: { needsResearch: true, hasUi: true, research: 'Which format?' },
          assumptions: ['small'],
        },
      },
    });
  });

  test('judges it lean: the person is shown why, and decides [session/table/start-lean-judged]', () => {
    const judged = reported({ state: 'intake' }, { ...ok, lean: { ...lean, reason: 'One line.' } });
    expect(judged).toMatchObject({
      signal: { name: 'lean', asks: { detail: expect.stringContaining('One line.'), parts: [{ binding: true }] } },
    });
    expect(decisionsAfter({ state: 'intake' }, judged)).toMatchObject({
      'UD-1': { status: 'pending', context: 'INTAKE' },
    });
  });

  test.each(Object.keys(lean))('not when %s does not hold [session/table/start-lean-judged]', (criterion) => {
    expect(reported({ state: 'intake' }, { ...ok, lean: { ...lean, [criterion]: false } })).toMatchObject({
      signal: { name: 'reported' },
    });
  });

  test('nor when the person wanted it full before', () => {
    expect(reported({ state: 'intake', data: { fullWanted: true } }, { ...ok, lean })).toMatchObject({
      signal: { name: 'reported' },
    });
  });
});

describe('the Coder', () => {
  test('takes its task to implemented, never further [session/roles/coder] [session/files/completed-by-engine]', () => {
    const done = reported({ state: 'code' });
    expect(done).toMatchObject({ writes: [{ path: paths.tasksPath(run) }] });
    expect(JSON.stringify(done)).toContain('status: implemented');
    expect(JSON.stringify(done)).not.toContain('completed');
  });

  test.each([
    [['README.md'], { behaviour: false, risky: false }],
    [['src/csv.ts'], { behaviour: true, risky: false }],
    [['src/login.ts'], { behaviour: true, risky: true }],
  ])(
    'touched what git says: %j, whatever it reports [session/strategy/per-batch-qa] [session/strategy/per-batch-security]',
    (changed, touched) => {
      expect(reported({ state: 'code' }, { ...ok, files_changed: ['README.md'] }, changed)).toMatchObject({
        signal: { data: { touched } },
      });
    },
  );

  test('can only add to that by what it says itself [session/strategy/per-batch-qa] [session/strategy/per-batch-security]', () => {
    const none = { needs_tests: false, security_concerns: [] };
    const said = (gates: Json, changed: readonly string[], state = 'code') =>
      reported({ state }, { ...ok, gates }, changed);
    const touched = (behaviour: boolean, risky: boolean) => ({ signal: { data: { touched: { behaviour, risky } } } });
    expect(said({ ...none, needs_tests: true }, ['README.md'])).toMatchObject(touched(true, false));
    expect(said({ ...none, security_concerns: ['a secret'] }, ['README.md'])).toMatchObject(touched(false, true));
    expect(said(none, ['src/login.ts'])).toMatchObject(touched(true, true));
    expect(said({ needs_tests: true, security_concerns: ['x'] }, ['README.md'], 'fix_review')).toMatchObject(
      touched(true, true),
    );
  });

  test('a risk flag of the task is a risk [session/strategy/per-batch-security]', () => {
    const files = { ...plannedFiles, ...tasksFile({ risk_flags: ['security'] }) };
    expect(reported({ state: 'code', files }, ok, ['src/csv.ts'])).toMatchObject({
      signal: { data: { touched: { risky: true } } },
    });
  });

  test('finds lean work more complex than expected: what it says is kept for the full intake [session/table/lean-complex]', () => {
    const args = { ...ok, summary: 'Needs a store.', more_complex_than_expected: true };
    expect(reported({ state: 'code', flags: { mode: 'lean' } }, args)).toEqual({
      signal: { name: 'complex', data: { fullWanted: true, leanOutcome: 'Needs a store.' } },
      writes: [],
    });
    expect(reported({ state: 'code', flags: { mode: 'per_batch' } }, args)).toMatchObject({
      signal: { name: 'reported' },
    });
  });

  test('tells how it is run, for the report of a lean session [session/integrate/lean]', () => {
    expect(reported({ state: 'code' }, { ...ok, commands_to_run: ['npm start'] })).toMatchObject({
      signal: { data: { docs: { howToRun: '    npm start' } } },
    });
  });
});

test.each(['fix_review', 'fix_tests', 'fix_own_tests', 'fix_security', 'fix_build', 'fix_build_code'])(
  '%s: what was tried is kept, guidance is used up [session/budgets/repairs-asked]',
  (state) => {
    const data = { attempts: [{ kind: 'fix_review', tried: 'First.' }], guidance: 'x' };
    expect(reported({ state, data }, ok, ['src/a.ts'])).toMatchObject({
      signal: {
        name: 'reported',
        data: {
          attempts: [{ tried: 'First.' }, { kind: state, tried: 'Done.' }],
          guidance: null,
          touched: { behaviour: true },
        },
      },
    });
  },
);

test('what a person saw before a repair is asked again after it; a waiver stays [session/integrate/manual] [session/acceptance/waiver]', () => {
  const data = {
    ...slots.verdict.set('manual: read it', { status: 'met', words: '' }),
    ...slots.verdict.set('AC-001', { status: 'waived', words: 'not now' }),
  };
  const { signal } = reported({ state: 'fix_build_code', data }) as { signal: { data: Args } };
  expect(signal.data).toMatchObject({ 'verdict:manual: read it': null });
  expect(signal.data).not.toHaveProperty(['verdict:AC-001']);
});

test('Docs says how it is run and tested [session/roles/docs]', () => {
  const said = { ...ok, how_to_run: 'npm start', how_to_test: 'npm test' };
  expect(reported({ state: 'docs' }, said, ['README.md'])).toMatchObject({
    signal: { name: 'reported', data: { docs: { summary: 'Done.', howToRun: 'npm start', howToTest: 'npm test' } } },
  });
});

test('what a role reports may stand in artifacts or beside it [session/dispatch/report]', () => {
  const args = { ...ok, artifacts: { has_ui: true } };
  expect(reported({ state: 'intake' }, args)).toMatchObject({ signal: { data: { intake: { hasUi: true } } } });
});

describe('the Reviewer', () => {
  const note = { severity: 'minor', category: 'names', file: 'a.ts', line: 3, message: 'A name' };
  const review = (args: Args, setting: Partial<DispatchSetting> = {}) =>
    reported({ state: 'review', ...setting }, { ...ok, checklist_summary: 'all', ...args });

  test.each([
    [{ verdict: 'PASS' }, 'passed'],
    [{ verdict: 'NEEDS FIXES', review_comments: [{ ...note, severity: 'major' }] }, 'blocked'],
    [{ verdict: 'PASS', status: 'BLOCKED' }, 'blocked'],
    [{ verdict: 'PASS WITH NOTES', review_comments: [note] }, 'notes'],
  ])('%j: %s [session/review/needs-fixes] [session/roles/reviewer]', (args, signal) => {
    expect(review(args)).toMatchObject({ signal: { name: signal, data: { 'judgement:review': { scope: 'T-001' } } } });
  });

  test('counts the repair it asks for, by task [session/budgets/repairs-persisted]', () => {
    expect(review({ verdict: 'NEEDS FIXES' }, { data: { 'retries:T-001': { FIX_REVIEW: 1 } } })).toMatchObject({
      signal: { data: { 'retries:T-001': { FIX_REVIEW: 2 } } },
    });
  });

  test('[DEF-18] trial 2 B8: none left: asks with what was tried of that kind and why, the findings, and the ways out [session/budgets/repairs-asked]', () => {
    const attempts = [
      { kind: 'fix_review', tried: 'Renamed it.', why: 'An odd name.', scope: 'T-001' },
      { kind: 'fix_tests', tried: 'Wrote a test.', why: 'No test.', scope: 'T-001' },
    ];
    const asked = review(
      { verdict: 'NEEDS FIXES', summary: 'Still odd.', review_comments: [note] },
      { budgets: { fix_review: 0 }, data: { attempts } },
    );
    expect(asked).toMatchObject({
      signal: {
        name: 'blocked',
        asks: {
          title: 'T-001 (Write rows) still fails its review after 3 attempts. What now?',
          detail: [
            'Still wrong: Still odd.',
            '  - [minor, names] a.ts:3 A name',
            'Attempts:',
            '  1. problem: An odd name.',
            '     attempt: Renamed it.',
          ].join('\n'),
          parts: [
            {
              binding: true,
              suggestions: [
                'different approach',
                'accept with known issues',
                'simplify scope',
                expect.stringContaining('guidance'),
                'defer',
              ],
            },
          ],
        },
      },
    });
    expect(decisionsAfter({ state: 'review', budgets: { fix_review: 0 } }, asked)).toMatchObject({
      'UD-1': { status: 'pending', context: 'IMPLEMENT_LOOP' },
    });
  });

  test('passes with notes: each has an id [session/review/notes]', () => {
    const noted = review({ verdict: 'PASS WITH NOTES', review_comments: [note] });
    expect(noted).toMatchObject({
      signal: { asks: { detail: 'The Reviewer says: Done.\nN1  [minor, names] a.ts:3 A name' } },
    });
    expect(decisionsAfter({ state: 'review' }, noted)).toMatchObject({ 'UD-1': { status: 'pending' } });
  });

  test('what it says besides is not a note, whatever it looks like [session/review/notes]', () => {
    const summary = 'N7  nothing\nN8  either';
    expect(review({ verdict: 'PASS WITH NOTES', summary, review_comments: [note] })).toMatchObject({
      signal: { asks: { detail: 'The Reviewer says: N7  nothing N8  either\nN1  [minor, names] a.ts:3 A name' } },
    });
  });

  test('notes that were declined are not asked about again [session/review/notes-once]', () => {
    const data = { 'declined:1': '[minor, names] a.ts:3 A name' };
    expect(review({ verdict: 'PASS WITH NOTES', review_comments: [note] }, { data })).toMatchObject({
      signal: { name: 'passed' },
    });
    const two = [note, { ...note, message: 'Another' }];
    expect(review({ verdict: 'PASS WITH NOTES', review_comments: two }, { data })).toMatchObject({
      signal: { name: 'notes', asks: { detail: 'The Reviewer says: Done.\nN1  [minor, names] a.ts:3 Another' } },
    });
  });
});

describe('QA', () => {
  const seen = { history: [dispatched('review', { tree: 'now' })], judged: { digest: 'now', files: [] } };

  test('passes what the reviewer saw; with new tests it is for the reviewer again [session/review/after-fix]', () => {
    expect(reported({ state: 'qa', ...seen })).toMatchObject({ signal: { name: 'passed' } });
    expect(reported({ state: 'qa', ...seen }, ok, ['test/a.test.ts'])).toMatchObject({
      signal: { name: 'passed_unreviewed' },
    });
    expect(reported({ state: 'qa', ...seen, judged: { digest: 'other', files: [] } })).toMatchObject({
      signal: { name: 'passed_unreviewed' },
    });
  });

  test('blocks: for the Coder, or for itself where only tests are wrong [session/table/qa-tests-wrong] [session/roles/qa]', () => {
    const args = { status: 'BLOCKED', summary: 'Red.', test_results: '3 failed', coverage_gaps: ['empty files'] };
    expect(reported({ state: 'qa', ...seen }, args)).toMatchObject({
      signal: {
        name: 'blocked',
        data: { 'judgement:qa': { findings: [{ results: '3 failed' }, { gap: 'empty files' }] } },
      },
    });
    expect(reported({ state: 'qa', ...seen }, { ...args, only_tests_wrong: true })).toMatchObject({
      signal: { name: 'tests_wrong', data: { 'retries:T-001': { FIX_TESTS: 1 } } },
    });
  });
});

describe('Security', () => {
  const finding = (severity: string) => ({
    severity,
    category: 'input',
    file: 'a.ts',
    description: 'Unbounded.',
    recommended_fix: 'A limit.',
  });
  const secure = (args: Args, setting: Partial<DispatchSetting> = {}) =>
    reported({ state: 'security', ...setting }, { ...ok, ...args });

  test.each([
    ['OK', [], 'passed'],
    ['OK', ['low'], 'passed'],
    ['OK', ['critical'], 'blocked'],
    ['NEEDS_DECISION', ['high', 'medium'], 'blocked'],
    ['BLOCKED', ['high'], 'blocked'],
    ['NEEDS_DECISION', ['medium'], 'decision'],
    ['OK', ['medium'], 'decision'],
  ])(
    '%s with %j: %s; the findings decide [session/roles/findings-decide] [session/table/security-blocked]',
    (status, severities, signal) => {
      expect(secure({ status, findings: severities.map(finding) })).toMatchObject({ signal: { name: signal } });
    },
  );

  test('medium ones are asked about one by one, and bind [session/table/security-decision]', () => {
    const asked = secure({ status: 'NEEDS_DECISION', findings: [finding('medium'), finding('low')] });
    expect(asked).toMatchObject({
      signal: { asks: { parts: [{ binding: true, suggestions: ['fix-now', 'fix-later', 'accept'] }] } },
    });
    expect(decisionsAfter({ state: 'security' }, asked)).toMatchObject({
      'UD-1': { status: 'pending', question: 'T-001: [medium, input] a.ts Unbounded. Suggested: A limit.' },
    });
  });

  test.each([
    ['accept', 'passed'],
    ['fix-later', 'passed'],
    ['fix-now', 'decision'],
  ])('one that was answered %s: %s [session/review/notes-once]', (answer, signal) => {
    const decisions = ledger(decisionOf({ about: finding('medium'), status: 'answered', answer }));
    expect(secure({ findings: [finding('medium')] }, { decisions })).toMatchObject({
      signal: { name: signal },
    });
  });
});

test('[rule 78] [session/release/readme] Docs that change nothing say why the documentation is current', () => {
  expect(reported({ state: 'docs' })).toEqual({ insufficient: expect.stringContaining('nothing_to_document') });
  const why = { ...ok, nothing_to_document: 'Only tests were added.' };
  expect(reported({ state: 'docs' }, why)).toMatchObject({ signal: { name: 'reported' } });
  // An earlier attempt at the release has brought it up to date.
  const history = [dispatched('docs', { role: 'Docs', signal: 'reported' })];
  expect(reported({ state: 'docs', history })).toMatchObject({ signal: { name: 'reported' } });
});

test('[rule 77] what Docs and Integrator changed is kept for the reviewer of the release', () => {
  expect(reported({ state: 'docs' }, ok, ['README.md'])).toMatchObject({
    signal: { data: { released: ['README.md'] } },
  });
  const notes = { state: 'release_notes', data: { released: ['README.md'] } };
  expect(reported(notes, ok, ['package.json'])).toMatchObject({
    signal: { data: { released: ['README.md', 'package.json'] } },
  });
});
