import { describe, expect, test } from 'vitest';
import { designDigest, designTexts } from './gates.ts';
import * as paths from './files/session-paths.ts';
import {
  after,
  askedOf,
  decided,
  designFiles,
  later,
  plannedFiles,
  questionIn,
  run,
  said,
  spec,
  tasksFile,
  viewOf,
  type Setting,
} from './session.fixture.ts';
import type { RunView } from '../workflow.ts';

/** What is there is what was shown. */
const atGate = ({ files = designFiles, ...more }: Setting = {}) =>
  askedOf('approve_design', [], {
    files,
    ...more,
    data: { askedDesign: designTexts(viewOf({ files })), ...more.data },
  });
const design = 'UD-APPROVE-DESIGN';
const told = (words: string | null, view: RunView = atGate()) => said(view, words);

describe('what the person is shown at APPROVE_DESIGN', () => {
  test('scope, criteria, assumptions; modules, data flows, ADRs; the interface [session/design/shown]', () => {
    const files = {
      ...designFiles,
      [`${paths.adrFolder(run)}/ADR-001.md`]: '# Streams\n',
      [`${paths.designFolder(run)}/table.md`]:
        '# Table\n\n## Layout\nOne column.\n\n## Interactions\nSorting.\n\n## Components\nRow.\n',
    };
    const { detail, paths: shown } = questionIn(atGate({ files, data: { assumptions: ['files are small'] } }));
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
    const { detail } = questionIn(atGate({ data }));
    expect(detail).toContain('Changed since you were asked last:\nspec.md:');
    expect(detail).toMatch(/- ?b/);
    expect(detail).toMatch(/\+ ?c/);
    expect(detail).not.toContain('x.md:');
    expect(questionIn(atGate()).detail).not.toContain('Changed since');
  });

  test('[DEF-22] the commands of every criterion, and how many lines of a long section are left out', () => {
    const goals = Array.from({ length: 9 }, (_, n) => `- goal ${n}`).join('\n');
    const files = { ...designFiles, [paths.specPath(run)]: spec.replace(/## Goals\n/, `$&${goals}\n`) };
    const { detail } = questionIn(atGate({ files }));
    expect(detail).toMatch(/Acceptance criteria:\n {2}AC-001 .*\n {10}cmd: /);
    expect(detail).toMatch(/ {2}- goal 5\n {2}… and \d+ more lines/);
    expect(detail).not.toContain('- goal 6');
  });

  test('what a correction left undone', () => {
    expect(questionIn(atGate({ data: { correctionProblems: ['it changed nothing'] } })).detail).toContain(
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
    const reading = told(words);
    expect(reading).toMatchObject({
      signal: {
        name: 'approved',
        data: {
          approvedDesign: designDigest(atGate()),
        },
      },
    });
    expect(decided(atGate(), words, design)).toMatchObject({ status: 'answered', answer, resolvedAt: later });
    expect((reading as { understood?: string }).understood).toBe(understood);
  },
);

test('what is approved is what was shown; what was changed since is shown first [session/design/bound]', () => {
  const files = { ...designFiles, [paths.specPath(run)]: `${spec}\nAnd a header.\n` };
  const shown = designTexts(viewOf({ files: designFiles }));
  const view = atGate({ files, data: { askedDesign: shown } });
  const reading = told('approved', view);
  expect(reading).toMatchObject({
    signal: {
      name: 'noted',
      data: {
        askedBefore: shown,
        askedDesign: designTexts(view),
      },
    },
    askedAgain: expect.stringContaining('changed since you were shown it'),
  });
  expect(decided(view, 'approved', design)).toMatchObject({ status: 'pending', answer: null });
  expect(reading).not.toHaveProperty('signal.data.approvedDesign');
  const { data = {} } = (reading as { signal: { data?: Setting['data'] } }).signal;
  const again = atGate({ files, data });
  expect(questionIn(again).detail).toMatch(/Changed since you were asked last:\nspec\.md:[^]*\+ ?And a header\./);
  expect(told('approved', again)).toMatchObject({ signal: { name: 'approved' } });
});

test.each([
  ['no modules', { [paths.architecturePath(run)]: '# Architecture\n\n## Overview\nAC-001\n' }, 'Modules'],
  ['a spec without goals', { [paths.specPath(run)]: '# CSV\n' }, 'Goals'],
])('a design with %s cannot be approved, only corrected [session/table/design]', (_, broken, problem) => {
  const view = atGate({ files: { ...designFiles, ...broken } });
  expect(told('approved', view)).toEqual({ unclear: expect.stringContaining(problem) });
  expect(told('approved', view)).toEqual({ unclear: expect.stringContaining('changes-requested(<role>)') });
  expect(told('changes-requested(Architect): complete it', view)).toMatchObject({
    signal: { name: 'change_architecture' },
  });
});

test('an approval leaves no correction proposed', () => {
  expect(told('approved')).toMatchObject({ signal: { name: 'approved', data: { proposedCorrection: null } } });
});

test.each(['approved-later', 'approved, but rename it', 'not approved', 'hm', '', 'changes-requested:'])(
  '%j is neither an approval nor anything else [session/table/approve-design]',
  (words) => {
    expect(told(words)).toEqual({ unclear: expect.any(String) });
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
      expect(told(`changes-requested(${role}): cut it`)).toMatchObject({
        signal: {
          name: signal,
          data: {
            correction: { summary: 'cut it', role, dispatchedAt: null, from: designDigest(atGate()) },
          },
        },
        writes: [line('changes-requested: cut it')],
      });
      expect(decided(atGate(), `changes-requested(${role}): cut it`, design)).toMatchObject({
        status: 'answered',
        answer: 'changes-requested: cut it',
      });
    },
  );

  test('a new one starts at queued again, behind the lines there are [session/decisions/correction-again] [session/files/history]', () => {
    const files = { ...designFiles, [paths.historyPath(run)]: '{"at":"x"}\n' };
    const before = { correction: { summary: 'old', role: 'Architect', dispatchedAt: later, from: '' } };
    const reading = told('changes-requested(Architect): more', atGate({ files, data: before }));
    expect(reading).toMatchObject({
      signal: { data: { correction: { summary: 'more', dispatchedAt: null } } },
      writes: [{ content: `{"at":"x"}\n${line('changes-requested: more').content}` }],
    });
  });

  test('of nobody named: written down at once, then the suggested role is confirmed [session/design/role-confirmed] [session/decisions/history-first]', () => {
    const reading = told('changes-requested: the layout of the table');
    expect(reading).toEqual({
      signal: {
        name: 'noted',
        data: { proposedCorrection: { summary: 'the layout of the table', role: 'Designer' } },
      },
      writes: [line('changes-requested: the layout of the table')],
    });
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    expect(questionIn(asked)).toMatchObject({
      title: 'Who should correct the design?',
      detail: 'You asked for: the layout',
      freeText: {
        parts: [
          {
            answers: {
              Designer: expect.stringMatching(/\(suggested\)$/),
              Architect: expect.not.stringMatching('sugg'),
            },
          },
        ],
      },
    });
  });

  test.each(['fix the module names', 'Please rename the table', 'no, use a queue', 'I have concerns about the risks'])(
    '[session row 14] %j is shown back as a request, which is confirmed before anybody works',
    (words) => {
      const understood = `changes-requested: ${words}`;
      const reading = told(words, atGate());
      expect(reading).toMatchObject({ understood, signal: { name: 'noted' } });
      expect(reading).toHaveProperty('signal.data.proposedCorrection.summary', words);
    },
  );

  test.each([
    'fix',
    'use a queue, then approved',
    'approved, fix the names',
    'ok but rename it',
    'looks good, add tests',
    'change',
  ])('[session row 14] %j is neither a request nor an approval', (words) => {
    expect(told(words, atGate())).toHaveProperty('unclear');
  });

  test('can be withdrawn instead: the approval is asked for again [session/design/role-confirmed]', () => {
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    expect(questionIn(asked).freeText.parts[0]?.answers).toHaveProperty('withdraw');
    const reading = told('withdraw', asked);
    expect(reading).toEqual({ signal: { name: 'noted', data: { proposedCorrection: null } } });
    expect(questionIn(atGate({ data: { proposedCorrection: null } })).title).toBe('Is the design approved?');
  });

  test.each([
    ['yes', 'change_ui', 'Designer'],
    ['architect', 'change_architecture', 'Architect'],
    ['SpecAgent', 'change_spec', 'SpecAgent'],
  ])('%j names the role [session/design/role-confirmed]', (words, signal, role) => {
    const asked = atGate({ data: { proposedCorrection: { summary: 'the layout', role: 'Designer' } } });
    const reading = told(words, asked);
    expect(reading).toMatchObject({
      signal: { name: signal, data: { correction: { role }, proposedCorrection: null } },
      understood: `changes-requested, to be corrected by ${role}`,
    });
    expect(reading).not.toHaveProperty('writes');
    expect(told('the tester', asked)).toEqual({ unclear: expect.stringContaining('Designer is suggested') });
    expect(told('defer', asked)).toMatchObject({ signal: { name: 'deferred' } });
  });
});

describe.each([
  [design, atGate()],
  ['UD-REVIEW-STRATEGY', askedOf('review_strategy', [], { files: plannedFiles })],
])('%s', (id, view) => {
  const missing = (reason: string, name = 'deferred') => ({
    name,
    resolves: [{ id, reason }],
    problem: { code: 'mandatory_user_decision_missing', fix: expect.stringContaining('resume') },
  });

  test('is asked again three times, then cancelled and blocked [session/table/gate-missing-answer] [session/budgets/re-asks]', () => {
    const { reAsks, onExhausted } = questionIn(view).freeText;
    const reason = 'no valid answer was given';
    expect({ reAsks, onExhausted }).toMatchObject({ reAsks: 3, onExhausted: missing(reason, 'unanswered') });
    const left = after(view, onExhausted ?? { name: '' }).snapshot;
    expect(left.state).toBe('blocked');
    expect(left.decisions[id]).toMatchObject({ status: 'cancelled', reason: 'no valid answer was given' });
  });

  test.each([
    ['defer', 'the person chose to defer'],
    ['cancel: out of money', 'out of money'],
  ])('%j stops the session with the reason [session/table/gate-deferred]', (words, reason) => {
    expect(told(words, view)).toMatchObject({ signal: missing(reason) });
    expect(decided(view, words, id)).toMatchObject({ status: 'cancelled', reason, resolvedAt: later });
  });

  test('is never passed over [session/decisions/gates-never-cancelled]', () => {
    expect(questionIn(view).freeText.parts).toMatchObject([{ id, required: true }]);
    expect(told(null, view)).toEqual({ unclear: expect.stringContaining('until it is answered') });
  });

  test.each(['withdrawn', 'unwritten'])('%s: not left pending [session/decisions/none-left-pending]', (how) => {
    const problem = { code: how, message: 'no space' };
    const left = after(view, { name: how, problem }).snapshot;
    expect(left.decisions[id]).toMatchObject({ status: 'cancelled', reason: 'no space' });
    expect(left).toMatchObject({ state: 'blocked', problem });
  });
});

describe('REVIEW_STRATEGY', () => {
  const view = (files = plannedFiles) => askedOf('review_strategy', [], { files });

  test('shows tasks, both strategies with their trade-offs and the recommendation [session/strategy/shown]', () => {
    const { detail, paths: shown } = questionIn(view());
    for (const words of ['1 task', '1 file expected', 'T-001  Write rows', 'Recommended: single-final'])
      expect(detail).toContain(words);
    expect(questionIn(view()).freeText.parts[0]?.answers).toMatchObject({
      'single-final': expect.stringContaining('late surprises (recommended)'),
      'per-batch': expect.stringContaining('mistakes do not spread'),
    });
    expect(shown).toEqual([paths.tasksPath(run)]);
  });

  test('recommends per-batch for five tasks or a risk [session/strategy/recommendation]', () => {
    const many = { ...plannedFiles, ...tasksFile(...[1, 2, 3, 4, 5].map((n) => ({ id: `T-00${n}` }))) };
    expect(questionIn(view(many)).detail).toContain('Recommended: per-batch');
    const risky = { ...plannedFiles, ...tasksFile({ risk_flags: ['security'] }) };
    expect(questionIn(view(risky)).detail).toContain('Recommended: per-batch');
  });

  test('names twenty tasks and counts the rest [session/scale/500-tasks]', () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ id: `T-${String(n + 1).padStart(3, '0')}` }));
    const { detail } = questionIn(view({ ...plannedFiles, ...tasksFile(...many) }));
    expect(detail).toContain('… and 480 more');
  });

  test('[DEF-22] lists every command that will be run, which the answer approves [session/integrate/commands-approved]', () => {
    expect(questionIn(view()).detail).toContain('No command will be run');
    const askedCommands = Array.from({ length: 25 }, (_, n) => `cmd: node check-${n}.mjs`);
    const asked = askedOf('review_strategy', [], { files: plannedFiles, data: { askedCommands } });
    const { detail } = questionIn(asked);
    expect(detail).toContain('Commands that will be run as checks:\n  node check-0.mjs\n');
    expect(detail.match(/^ {2}node /gm)).toHaveLength(25);
    expect(told('per-batch', asked)).toMatchObject({ signal: { data: { approvedCommands: askedCommands } } });
  });

  test.each([
    ['per-batch', 'per_batch', 'per-batch', undefined],
    ['after each task', 'per_batch', 'per-batch', 'per-batch'],
    ['once at the end', 'single_final', 'single-final', 'single-final'],
  ])(
    '%j is taken for %s, and only canonical words are persisted [session/table/review-strategy]',
    (words, name, answer, understood) => {
      const reading = told(words, view());
      expect(reading).toMatchObject({ signal: { name } });
      expect(decided(view(), words, 'UD-REVIEW-STRATEGY')).toMatchObject({ answer });
      expect((reading as { understood?: string }).understood).toBe(understood);
    },
  );

  test('anything else is asked again', () => {
    expect(told('both', view())).toEqual({ unclear: expect.any(String) });
  });
});
