import { describe, expect, test } from 'vitest';
import { asking, type Query } from '../decisions.ts';
import { answeredDecision, at, later, recorded, viewOf } from '../session.fixture.ts';
import type { RunView } from '../../workflow.ts';
import { knownIssuesOf } from '../run-data.ts';
import { questions } from './occasions.ts';

interface Asked {
  readonly queries: readonly Query[];
  readonly detail?: string;
  readonly state?: string;
  readonly data?: RunView['snapshot']['data'];
}

function asked({ queries, detail = '', state = 'ask_questions', data = {} }: Asked): RunView {
  const { snapshot } = viewOf({ data });
  const batch = asking({ title: 'Asked', detail, queries }, { snapshot, at, context: 'IMPLEMENT_LOOP' });
  return viewOf({ state, data: { ...data, ...batch } });
}

function said(kind: string, view: RunView, words: string | null, part = 'UD-1') {
  return questions[kind]?.(view).freely?.read({ part, words, by: 'alice', at: later });
}

const answers = (id: string, answer: string) => ({
  [`decision:${id}`]: { status: 'answered', answer, resolved_at: later },
});

describe('questions of agents', () => {
  const two = asked({ queries: [{ question: 'a' }, { question: 'b' }] });

  test('are answered one by one, in the words of the person; the last one leads on [session/decisions/answered]', () => {
    expect(said('questions', two, ' tabs ')).toMatchObject({
      signal: { name: 'noted', data: answers('UD-1', 'tabs') },
    });
    const last = viewOf({
      ...two.snapshot,
      data: { ...two.snapshot.data, ...recorded(answeredDecision('UD-1', 'tabs')) },
    });
    expect(questions['questions']?.(last).freely?.parts.map(({ id }) => id)).toEqual(['UD-2']);
    expect(said('questions', last, 'yes', 'UD-2')).toMatchObject({ signal: { name: 'answered' } });
  });

  test('what is passed over is cancelled: no response provided [session/decisions/partial]', () => {
    expect(said('questions', two, null)).toMatchObject({
      signal: {
        name: 'noted',
        data: {
          'decision:UD-1': { status: 'cancelled', resolution_reason: 'no response provided', resolved_at: later },
        },
      },
    });
  });

  test('those about security never are [session/decisions/security-never-cancelled]', () => {
    const view = asked({ queries: [{ question: 'a', binding: true }, { question: 'b' }] });
    expect(questions['questions']?.(view).freely?.parts.map((part) => part.mustBeAnswered)).toEqual([true, false]);
    expect(said('questions', view, null)).toEqual({ unclear: expect.stringContaining('until it is answered') });
    expect(questions['questions']?.(view).freely?.insist.inVain).toBeNull();
  });

  test('nothing is no answer [session/decisions/answered]', () => {
    expect(said('questions', two, '  ')).toEqual({ unclear: expect.any(String) });
  });

  test('an id that is not asked any more is said to be that', () => {
    expect(said('questions', two, 'x', 'UD-9')).toEqual({ unclear: 'UD-9 is not asked any more' });
  });

  test.each(['cancelled', 'unwritten'])('%s: none is left pending [session/decisions/none-left-pending]', (how) => {
    expect(questions['questions']?.(two).data?.[how]).toMatchObject({
      'decision:UD-1': { status: 'cancelled', resolution_reason: expect.stringMatching(/./) },
      'decision:UD-2': { status: 'cancelled' },
    });
  });
});

test.each([
  ['lean', 'lean'],
  ['the full one', 'full'],
])('lean or full: %j [session/table/start-lean-judged]', (words, signal) => {
  const view = asked({ queries: [{ question: 'Lean or full?', binding: true }], state: 'ask_lean' });
  expect(said('lean', view, words.replace(' one', ' session'))).toMatchObject({ signal: { name: signal } });
  expect(said('lean', view, 'yes')).toEqual({ unclear: expect.any(String) });
});

describe('notes', () => {
  const detail = 'Good.\nN1  [nit] a.ts:1 A name\nN2  [minor] b.ts A test';
  const view = asked({ queries: [{ question: 'Which?', binding: true }], detail, state: 'ask_notes' });

  test('none to fix: all become known issues, and are not brought up again [session/review/notes] [session/review/notes-once]', () => {
    expect(said('notes', view, 'none')).toMatchObject({
      signal: {
        name: 'none',
        data: {
          ...answers('UD-1', 'none'),
          'issue:1': 'Review note: [nit] a.ts:1 A name',
          'issue:2': 'Review note: [minor] b.ts A test',
          'declined:1': '[nit] a.ts:1 A name',
          'declined:2': '[minor] b.ts A test',
        },
      },
    });
  });

  test('some to fix, by their ids; the Coder gets their text [session/review/notes]', () => {
    const reading = said('notes', view, 'N2');
    expect(reading).toMatchObject({
      signal: {
        name: 'fix',
        data: {
          ...answers('UD-1', 'N2'),
          'issue:1': 'Review note: [nit] a.ts:1 A name',
          'declined:1': '[nit] a.ts:1 A name',
          guidance: expect.stringContaining('[minor] b.ts A test'),
        },
      },
    });
    expect(said('notes', view, 'all')).toMatchObject({ signal: { name: 'fix', data: answers('UD-1', 'N1, N2') } });
    expect(said('notes', view, 'N7')).toEqual({ unclear: expect.any(String) });
  });
});

describe('findings', () => {
  const one = asked({ queries: [{ question: '[medium] x', binding: true }], state: 'ask_security' });

  test.each([
    ['fix-now', 'fix_now', []],
    ['fix later', 'settled', ['To be fixed later: [medium] x']],
    ['accept', 'settled', ['Accepted: [medium] x']],
  ])('%j [session/roles/security]', (words, signal, issues) => {
    const reading = said('findings', one, words);
    expect(reading).toMatchObject({ signal: { name: signal } });
    const { data } = (reading as { signal: { data: RunView['snapshot']['data'] } }).signal;
    expect(knownIssuesOf({ data })).toEqual(issues);
  });

  test('one that is to be fixed now is fixed, whatever is said of the others [session/table/security-decision]', () => {
    const two = asked({
      queries: [
        { question: 'a', binding: true },
        { question: 'b', binding: true },
      ],
      state: 'ask_security',
    });
    const half = viewOf({
      ...two.snapshot,
      data: { ...two.snapshot.data, ...recorded(answeredDecision('UD-1', 'fix-now')) },
    });
    expect(said('findings', half, 'accept', 'UD-2')).toMatchObject({ signal: { name: 'fix_now' } });
  });

  test('is never passed over [session/decisions/security-never-cancelled]', () => {
    expect(said('findings', one, null)).toEqual({ unclear: expect.any(String) });
  });
});

describe('repairs that are spent', () => {
  const view = asked({
    queries: [{ question: 'FIX_TESTS of meta: red', binding: true }],
    state: 'ask_fix_tests',
    data: { 'retries:meta': { FIX_REVIEW: 2, FIX_TESTS: 3 } },
  });

  test.each([
    ['different approach', 'different approach', 'different approach'],
    ['simplify scope: drop the header', 'simplify scope: drop the header', 'simplify scope: drop the header'],
    ['guidance: use a stream', 'guidance: use a stream', 'guidance: use a stream'],
    ['use a stream instead', 'guidance: use a stream instead', 'guidance: use a stream instead'],
  ])('%j grants new attempts of that kind only [session/budgets/grant-resets-one]', (words, answer, guidance) => {
    expect(said('repair', view, words)).toMatchObject({
      signal: {
        name: 'try_again',
        data: {
          ...answers('UD-1', answer),
          guidance,
          'retries:meta': { FIX_REVIEW: 2, FIX_TESTS: 1, FIX_SECURITY: 0 },
        },
      },
    });
  });

  test('accept: what is wrong is a known issue [session/budgets/repairs-asked]', () => {
    expect(said('repair', view, 'accept with known issues: next week')).toMatchObject({
      signal: { name: 'accept', data: { 'issue:1': 'FIX_TESTS of meta: red: next week' } },
    });
  });
});

describe('criteria', () => {
  const view = asked({
    queries: [{ question: 'read it', about: 'manual: read it', binding: true }],
    state: 'ask_criteria',
  });

  test.each([
    ['met', 'settled', 'met', { status: 'met', words: '' }],
    ['met: aloud', 'settled', 'met: aloud', { status: 'met', words: 'aloud' }],
    ['waive: no reader here', 'settled', 'waived: no reader here', { status: 'waived', words: 'no reader here' }],
    ['not met: too long', 'unmet', 'not met: too long', { status: 'unmet', words: 'too long' }],
  ])('%j [session/integrate/manual] [session/acceptance/waiver]', (words, signal, answer, verdict) => {
    expect(said('criteria', view, words)).toMatchObject({
      signal: { name: signal, data: { ...answers('UD-1', answer), 'verdict:manual: read it': verdict } },
    });
  });

  test('whoever mends what is not met is told what is wrong with it, each of them [session/integrate/manual]', () => {
    expect(said('criteria', view, 'not met: too long')).toMatchObject({
      signal: { data: { guidance: 'Not met: manual: read it: too long' } },
    });
    const second = viewOf({ ...view.snapshot, data: { ...view.snapshot.data, guidance: 'Not met: AC-001: slow' } });
    expect(said('criteria', second, 'not met: too long')).toMatchObject({
      signal: { data: { guidance: 'Not met: AC-001: slow\nNot met: manual: read it: too long' } },
    });
    expect(said('criteria', view, 'met')).not.toHaveProperty('signal.data.guidance');
  });

  test('a waiver needs its reason [session/done/criteria]', () => {
    expect(said('criteria', view, 'waive')).toEqual({ unclear: expect.stringContaining('waive: <reason>') });
  });

  test('one that is not met sends the work back, whatever is said of the others', () => {
    const two = asked({
      queries: [
        { question: 'a', binding: true },
        { question: 'b', binding: true },
      ],
      state: 'ask_criteria',
    });
    const unmet = recorded(answeredDecision('UD-1', 'not met: slow'));
    const half = viewOf({ ...two.snapshot, data: { ...two.snapshot.data, ...unmet } });
    expect(said('criteria', half, 'met', 'UD-2')).toMatchObject({ signal: { name: 'unmet' } });
  });
});
