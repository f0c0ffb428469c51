import { describe, expect, test } from 'vitest';
import { designDigest, designTexts } from '../digest.ts';
import * as paths from '../files/paths.ts';
import {
  decisionOf,
  designFiles,
  later,
  plannedFiles,
  recorded,
  run,
  spec,
  tasksFile,
  viewOf,
  type Setting,
} from '../session.fixture.ts';
import { designQuestion, strategyQuestion } from './gates.ts';

const pending = recorded(decisionOf({ decision_id: 'UD-APPROVE-DESIGN', state_context: 'APPROVE_DESIGN' }));
/** What is there is what was shown. */
const atGate = ({ files = designFiles, ...more }: Setting = {}) => {
  const data = { ...pending, askedDesign: designTexts(viewOf({ files })), ...more.data };
  return viewOf({ state: 'approve_design', files, ...more, data });
};

function said(words: string | null, view = atGate(), question = designQuestion) {
  const part = question(view).freely?.parts[0]?.id ?? '';
  return question(view).freely?.read({ part, words, by: 'alice', at: later });
}

describe('what the person is shown at APPROVE_DESIGN', () => {
  test('scope, criteria, assumptions; modules, data flows, ADRs; the interface [session/design/shown]', () => {
    const files = {
      ...designFiles,
      [`${paths.adrFolder(run)}/ADR-001.md`]: '# Streams\n',
      [`${paths.designFolder(run)}/table.md`]:
        '# Table\n\n## Layout\nOne column.\n\n## Interactions\nSorting.\n\n## Components\nRow.\n',
    };
    const { detail, paths: shown } = designQuestion(atGate({ files, data: { assumptions: ['files are small'] } }));
    for (const words of [
      'people get files',
      'AC-001',
      'files are small',
      'csv.ts writes rows',
      'Rows to lines',
      'Streams (ADR-001.md)',
      'One column',
      'Sorting',
      'Row.',
    ])
      expect(detail).toContain(words);
    expect(shown).toHaveLength(5);
  });

  test('what changed since it was asked last, line by line [session/answering/diff]', () => {
    const data = {
      askedBefore: { 'spec.md': 'a\nb', 'x.md': 'same' },
      askedDesign: { 'spec.md': 'a\nc', 'x.md': 'same' },
    };
    const { detail } = designQuestion(atGate({ data }));
    expect(detail).toContain('Changed since you were asked last:\nspec.md:');
    expect(detail).toMatch(/- ?b/);
    expect(detail).toMatch(/\+ ?c/);
    expect(detail).not.toContain('x.md:');
    expect(designQuestion(atGate()).detail).not.toContain('Changed since');
  });

  test('what a correction left undone', () => {
    expect(designQuestion(atGate({ data: { correctionProblems: ['it changed nothing'] } })).detail).toContain(
      'Not complete after the correction:\n- it changed nothing',
    );
  });
});

test.each([
  ['approved', 'approved', undefined],
  ['Approved: as of May', 'approved: as of May', 'approved: as of May'],
  ['looks good', 'approved', 'approved'],
  ['Go ahead!', 'approved', 'approved'],
])(
  '%j approves, and is shown back as what it is taken for [session/table/approve-design] [session/design/normalised]',
  (words, answer, understood) => {
    const reading = said(words);
    expect(reading).toMatchObject({
      signal: {
        name: 'approved',
        data: {
          'decision:UD-APPROVE-DESIGN': { status: 'answered', answer, resolved_at: later },
          approvedDesign: designDigest(atGate()),
        },
      },
    });
    expect((reading as { understood?: string }).understood).toBe(understood);
  },
);

test('what is approved is what was shown; what was changed since is shown first [session/design/bound]', () => {
  const files = { ...designFiles, [paths.specPath(run)]: `${spec}\nAnd a header.\n` };
  const shown = designTexts(viewOf({ files: designFiles }));
  const view = atGate({ files, data: { askedDesign: shown } });
  const reading = said('approved', view);
  expect(reading).toMatchObject({
    signal: {
      name: 'noted',
      data: {
        askedBefore: shown,
        askedDesign: designTexts(view),
        'decision:UD-APPROVE-DESIGN': { status: 'pending', answer: null },
      },
    },
    understood: expect.stringContaining('changed since you were shown it'),
  });
  expect(reading).not.toHaveProperty('signal.data.approvedDesign');
  const { data = {} } = (reading as { signal: { data?: Setting['data'] } }).signal;
  const again = atGate({ files, data });
  expect(designQuestion(again).detail).toMatch(/Changed since you were asked last:\nspec\.md:[^]*\+ ?And a header\./);
  expect(said('approved', again)).toMatchObject({ signal: { name: 'approved' } });
});

test.each([
  ['no modules', { [paths.architecturePath(run)]: '# Architecture\n\n## Overview\nAC-001\n' }, 'Modules'],
  ['a spec without goals', { [paths.specPath(run)]: '# CSV\n' }, 'Goals'],
])('a design with %s cannot be approved, only corrected [session/table/design]', (_, broken, problem) => {
  const view = atGate({ files: { ...designFiles, ...broken } });
  expect(said('approved', view)).toEqual({ unclear: expect.stringContaining(problem) });
  expect(said('approved', view)).toEqual({ unclear: expect.stringContaining('changes-requested(<role>)') });
  expect(said('changes-requested(Architect): complete it', view)).toMatchObject({
    signal: { name: 'change_architecture' },
  });
});

test('an approval leaves no correction proposed', () => {
  expect(said('approved')).toMatchObject({ signal: { name: 'approved', data: { proposedCorrection: null } } });
});

test.each(['approved-later', 'approved, but rename it', 'not approved', 'hm', '', 'changes-requested:'])(
  '%j is neither an approval nor anything else [session/table/approve-design]',
  (words) => {
    expect(said(words)).toEqual({ unclear: expect.any(String) });
  },
);

describe('changes requested', () => {
  const line = (answer: string) => ({
    path: paths.historyPath(run),
    content: `${JSON.stringify({ at: later, decision_id: 'UD-APPROVE-DESIGN', answer, state_context: 'APPROVE_DESIGN' })}\n`,
  });

  test.each([
    ['SpecAgent', 'change_spec'],
    ['Architect', 'change_architecture'],
    ['Designer', 'change_ui'],
  ])(
    'of the %s: in the history with the answer, before anything else [session/decisions/history-first]',
    (role, signal) => {
      expect(said(`changes-requested(${role}): cut it`)).toMatchObject({
        signal: {
          name: signal,
          data: {
            'decision:UD-APPROVE-DESIGN': { status: 'answered', answer: 'changes-requested: cut it' },
            correction: { summary: 'cut it', role, dispatchedAt: null, from: designDigest(atGate()) },
          },
        },
        writes: [line('changes-requested: cut it')],
      });
    },
  );

  test('a new one starts at queued again, behind the lines there are [session/decisions/correction-again] [session/files/history]', () => {
    const files = { ...designFiles, [paths.historyPath(run)]: '{"at":"x"}\n' };
    const before = { correction: { summary: 'old', role: 'Architect', dispatchedAt: later, from: '' } };
    const reading = said('changes-requested(Architect): more', atGate({ files, data: before }));
    expect(reading).toMatchObject({
      signal: { data: { correction: { summary: 'more', dispatchedAt: null } } },
      writes: [{ content: `{"at":"x"}\n${line('changes-requested: more').content}` }],
    });
  });

  test('of nobody named: written down at once, then the suggested role is confirmed [session/design/role-confirmed] [session/decisions/history-first]', () => {
    const reading = said('changes-requested: the layout of the table');
    expect(reading).toEqual({
      signal: {
        name: 'noted',
        data: { proposedCorrection: { summary: 'the layout of the table', role: 'Designer' } },
      },
      writes: [line('changes-requested: the layout of the table')],
    });
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    expect(designQuestion(asked)).toMatchObject({
      title: 'Who shall correct the design?',
      detail: 'You asked for: the layout',
      freely: { parts: [{ answers: { Designer: 'suggested', SpecAgent: '', Architect: '' } }] },
    });
  });

  test('can be withdrawn instead: the approval is asked for again [session/design/role-confirmed]', () => {
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    expect(designQuestion(asked).freely?.parts[0]?.answers).toHaveProperty('withdraw');
    const reading = said('Withdraw', asked);
    expect(reading).toEqual({ signal: { name: 'noted', data: { proposedCorrection: null } } });
    expect(designQuestion(atGate({ data: { proposedCorrection: null } })).title).toBe('Is the design approved?');
  });

  test.each([
    ['yes', 'change_ui', 'Designer'],
    ['architect', 'change_architecture', 'Architect'],
    ['SpecAgent', 'change_spec', 'SpecAgent'],
  ])('%j names the role [session/design/role-confirmed]', (words, signal, role) => {
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    const reading = said(words, asked);
    expect(reading).toMatchObject({
      signal: { name: signal, data: { correction: { role }, proposedCorrection: null } },
      understood: `changes-requested, to be corrected by ${role}`,
    });
    expect(reading).not.toHaveProperty('writes');
    expect(said('the tester', asked)).toEqual({ unclear: expect.stringContaining('Designer is suggested') });
    expect(said('defer', asked)).toMatchObject({ signal: { name: 'deferred' } });
  });
});

describe.each([
  ['UD-APPROVE-DESIGN', designQuestion, atGate()],
  [
    'UD-REVIEW-STRATEGY',
    strategyQuestion,
    viewOf({ files: plannedFiles, data: recorded(decisionOf({ decision_id: 'UD-REVIEW-STRATEGY' })) }),
  ],
])('%s', (id, question, view) => {
  test('is asked again three times, then cancelled and blocked [session/table/gate-missing-answer] [session/budgets/re-asks]', () => {
    expect(question(view).freely?.insist).toMatchObject({
      reAsks: 3,
      inVain: {
        name: 'deferred',
        data: {
          [`decision:${id}`]: { status: 'cancelled', resolution_reason: 'no valid answer was given' },
          blocker: { blocker: 'mandatory_user_decision_missing', wayOut: expect.stringContaining('resume') },
        },
      },
    });
  });

  test.each([
    ['defer', 'the person chose to defer'],
    ['cancel: out of money', 'out of money'],
  ])('%j stops the session with the reason [session/table/gate-deferred]', (words, reason) => {
    expect(said(words, view, question)).toMatchObject({
      signal: {
        name: 'deferred',
        data: {
          [`decision:${id}`]: { status: 'cancelled', resolution_reason: reason, resolved_at: later },
          blocker: { blocker: 'mandatory_user_decision_missing' },
        },
      },
    });
  });

  test('is never passed over [session/decisions/gates-never-cancelled]', () => {
    expect(question(view).freely?.parts).toMatchObject([{ id, mustBeAnswered: true }]);
    expect(said(null, view, question)).toEqual({ unclear: expect.stringContaining('mandatory') });
  });

  test.each(['cancelled', 'unwritten'])('%s: not left pending [session/decisions/none-left-pending]', (how) => {
    expect(question(view).data?.[how]).toMatchObject({
      [`decision:${id}`]: { status: 'cancelled', resolution_reason: expect.stringMatching(/./) },
      blocker: {
        blocker: how === 'unwritten' ? 'persistence_failed' : 'cancelled',
        wayOut: expect.stringMatching(/resume/),
      },
    });
  });
});

describe('REVIEW_STRATEGY', () => {
  const view = (files = plannedFiles) =>
    viewOf({ files, data: recorded(decisionOf({ decision_id: 'UD-REVIEW-STRATEGY' })) });

  test('shows tasks, both strategies with their trade-offs and the recommendation [session/strategy/shown]', () => {
    const { detail, paths: shown } = strategyQuestion(view());
    for (const words of [
      '1 task',
      '1 file expected',
      'T-001  Write rows',
      'per-batch ',
      'single-final ',
      'Recommended: single-final',
    ])
      expect(detail).toContain(words);
    expect(shown).toEqual([paths.tasksPath(run)]);
  });

  test('recommends per-batch for five tasks or a risk [session/strategy/recommendation]', () => {
    const many = { ...plannedFiles, ...tasksFile(...[1, 2, 3, 4, 5].map((n) => ({ id: `T-00${n}` }))) };
    expect(strategyQuestion(view(many)).detail).toContain('Recommended: per-batch');
    const risky = { ...plannedFiles, ...tasksFile({ risk_flags: ['security'] }) };
    expect(strategyQuestion(view(risky)).detail).toContain('Recommended: per-batch');
  });

  test('names twenty tasks and counts the rest [session/scale/500-tasks]', () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ id: `T-${String(n + 1).padStart(3, '0')}` }));
    const { detail } = strategyQuestion(view({ ...plannedFiles, ...tasksFile(...many) }));
    expect(detail).toContain('… and 480 more');
  });

  test.each([
    ['per-batch', 'per_batch', 'per-batch', undefined],
    ['after each task', 'per_batch', 'per-batch', 'per-batch'],
    ['once at the end', 'single_final', 'single-final', 'single-final'],
  ])(
    '%j is taken for %s, and only canonical words are persisted [session/table/review-strategy]',
    (words, name, answer, understood) => {
      const reading = said(words, view(), strategyQuestion);
      expect(reading).toMatchObject({ signal: { name, data: { 'decision:UD-REVIEW-STRATEGY': { answer } } } });
      expect((reading as { understood?: string }).understood).toBe(understood);
    },
  );

  test('anything else is asked again', () => {
    expect(said('both', view(), strategyQuestion)).toEqual({ unclear: expect.any(String) });
  });
});
