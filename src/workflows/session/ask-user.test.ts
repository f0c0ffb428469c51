import { describe, expect, test } from 'vitest';
import type { RunView } from '../workflow.ts';
import { data as slots, valuesOf } from './run-data.ts';
import { after, askedOf, decided, later, questionIn, said } from './session.fixture.ts';

const answers = (answer: string) => ({ status: 'answered', answer, resolvedAt: later });

/** The same session once a part is answered. */
const answered = (view: RunView, id: string, answer: string) =>
  after(view, { name: 'noted', resolves: [{ id, answer }] });

describe('questions of agents', () => {
  const two = askedOf('ask_questions', [{ question: 'a' }, { question: 'b' }]);

  test('are answered one by one, in the words of the person; the last one leads on [session/decisions/answered]', () => {
    expect(said(two, ' tabs ')).toMatchObject({ signal: { name: 'noted' } });
    expect(decided(two, ' tabs ')).toMatchObject(answers('tabs'));
    const last = answered(two, 'UD-1', 'tabs');
    expect(questionIn(last).freeText.parts.map(({ id }) => id)).toEqual(['UD-2']);
    expect(said(last, 'yes', 'UD-2')).toMatchObject({ signal: { name: 'answered' } });
  });

  test('what is passed over is cancelled: no response provided [session/decisions/partial]', () => {
    expect(said(two, null)).toMatchObject({ signal: { name: 'noted' } });
    expect(decided(two, null)).toMatchObject({
      status: 'cancelled',
      reason: 'no response provided',
      resolvedAt: later,
    });
  });

  test('those about security never are [session/decisions/security-never-cancelled]', () => {
    const view = askedOf('ask_questions', [{ question: 'a', binding: true }, { question: 'b' }]);
    expect(questionIn(view).freeText.parts.map((part) => part.required)).toEqual([true, false]);
    expect(said(view, null)).toEqual({ unclear: expect.stringContaining('until it is answered') });
    expect(questionIn(view).freeText.onExhausted).toBeNull();
  });

  test('nothing is no answer [session/decisions/answered]', () => {
    expect(said(two, '  ')).toEqual({ unclear: expect.any(String) });
  });

  test('an id that is not asked any more is said to be that', () => {
    expect(said(two, 'x', 'UD-9')).toEqual({ unclear: 'UD-9 is not asked any more' });
  });

  test.each(['withdrawn', 'unwritten'])('%s: none is left pending [session/decisions/none-left-pending]', (how) => {
    const left = after(two, { name: how, problem: { code: how, message: 'no space' } }).snapshot;
    expect(left.decisions).toMatchObject({
      'UD-1': { status: 'cancelled', reason: 'no space' },
      'UD-2': { status: 'cancelled' },
    });
  });
});

test.each([
  ['lean', 'lean'],
  ['Full', 'full'],
])('lean or full: %j [session/table/start-lean-judged]', (words, signal) => {
  const view = askedOf('ask_lean', [{ question: 'Lean or full?', binding: true }]);
  expect(said(view, words)).toMatchObject({ signal: { name: signal } });
  expect(said(view, 'yes')).toEqual({ unclear: expect.any(String) });
});

describe('notes', () => {
  const findings = [
    { severity: 'nit', file: 'a.ts', line: 1, message: 'A name' },
    { severity: 'minor', file: 'b.ts', message: 'A test' },
  ];
  const data = { 'judgement:review': { scope: 'meta', summary: 'Good.', findings } };
  const view = askedOf('ask_notes', [{ question: 'Which?', binding: true }], { data });

  test('none to fix: all become known issues, and are not brought up again [session/review/notes] [session/review/notes-once]', () => {
    expect(said(view, 'none')).toMatchObject({
      signal: {
        name: 'none',
        data: {
          'issue:1': 'Review note: [nit] a.ts:1 A name',
          'issue:2': 'Review note: [minor] b.ts A test',
          'declined:1': '[nit] a.ts:1 A name',
          'declined:2': '[minor] b.ts A test',
        },
      },
    });
    expect(decided(view, 'none')).toMatchObject(answers('none'));
  });

  test('some to fix, by their ids; the Coder gets their text [session/review/notes]', () => {
    const reading = said(view, 'N2');
    expect(reading).toMatchObject({
      signal: {
        name: 'fix',
        data: {
          'issue:1': 'Review note: [nit] a.ts:1 A name',
          'declined:1': '[nit] a.ts:1 A name',
          guidance: expect.stringContaining('[minor] b.ts A test'),
        },
      },
    });
    expect(decided(view, 'N2')).toMatchObject(answers('N2'));
    expect(said(view, 'all')).toMatchObject({ signal: { name: 'fix' } });
    expect(decided(view, 'all')).toMatchObject(answers('N1, N2'));
    expect(said(view, 'N7')).toEqual({ unclear: expect.any(String) });
  });
});

describe('findings', () => {
  const one = askedOf('ask_security', [{ question: '[medium] x', binding: true }]);

  test.each([
    ['fix-now', 'fix_now', []],
    ['fix later', 'settled', ['To be fixed later: [medium] x']],
    ['accept', 'settled', ['Accepted: [medium] x']],
  ])('%j [session/roles/security]', (words, signal, issues) => {
    const reading = said(one, words);
    expect(reading).toMatchObject({ signal: { name: signal } });
    if (!('signal' in reading)) throw new Error(reading.unclear);
    expect(valuesOf(slots.issue, after(one, reading.signal).snapshot)).toEqual(issues);
  });

  test('one that is to be fixed now is fixed, whatever is said of the others [session/table/security-decision]', () => {
    const two = askedOf('ask_security', [
      { question: 'a', binding: true },
      { question: 'b', binding: true },
    ]);
    expect(said(answered(two, 'UD-1', 'fix-now'), 'accept', 'UD-2')).toMatchObject({ signal: { name: 'fix_now' } });
  });

  test('is never passed over [session/decisions/security-never-cancelled]', () => {
    expect(said(one, null)).toEqual({ unclear: expect.any(String) });
  });
});

describe('repairs that are spent', () => {
  const view = askedOf('ask_fix_tests', [{ question: 'FIX_TESTS of meta: red', binding: true }], {
    data: { 'retries:meta': { FIX_REVIEW: 2, FIX_TESTS: 3 } },
  });

  test.each([
    ['different approach', 'different approach', 'different approach'],
    ['simplify scope: drop the header', 'simplify scope: drop the header', 'simplify scope: drop the header'],
    ['guidance: use a stream', 'guidance: use a stream', 'guidance: use a stream'],
    ['use a stream instead', 'guidance: use a stream instead', 'guidance: use a stream instead'],
  ])('%j grants new attempts of that kind only [session/budgets/grant-resets-one]', (words, answer, guidance) => {
    expect(said(view, words)).toMatchObject({
      signal: {
        name: 'try_again',
        data: {
          guidance,
          'retries:meta': { FIX_REVIEW: 2, FIX_TESTS: 1, FIX_SECURITY: 0 },
        },
      },
    });
    expect(decided(view, words)).toMatchObject(answers(answer));
  });

  test('[DEF-19] accept: what is wrong is a known issue with its findings and the reason [session/budgets/repairs-asked]', () => {
    const finding = { severity: 'major', category: 'logic', file: 'a.ts', line: 3, message: 'Off by one' };
    const judged = slots.judgement.set('qa', { scope: 'meta', summary: 'Red.', findings: [finding] });
    const { snapshot } = view;
    const red = { ...view, snapshot: { ...snapshot, data: { ...snapshot.data, ...judged } } };
    expect(said(red, 'accept with known issues: next week')).toMatchObject({
      signal: {
        name: 'accept',
        data: {
          'issue:1': 'FIX_TESTS of the session, accepted (next week): Red.\n- [major, logic] a.ts:3 Off by one',
        },
      },
    });
  });
});

describe('criteria', () => {
  const view = askedOf('ask_criteria', [{ question: 'read it', about: 'manual: read it', binding: true }]);

  test.each([
    ['met', 'settled', 'met', { status: 'met', words: '' }],
    ['met: aloud', 'settled', 'met: aloud', { status: 'met', words: 'aloud' }],
    ['waive: no reader here', 'settled', 'waived: no reader here', { status: 'waived', words: 'no reader here' }],
    ['not met: too long', 'unmet', 'not met: too long', { status: 'unmet', words: 'too long' }],
  ])('%j [session/integrate/manual] [session/acceptance/waiver]', (words, signal, answer, verdict) => {
    expect(said(view, words)).toMatchObject({
      signal: { name: signal, data: { 'verdict:manual: read it': verdict } },
    });
    expect(decided(view, words)).toMatchObject(answers(answer));
  });

  test('the role that fixes unmet criteria is told what is wrong with each [session/integrate/manual]', () => {
    expect(said(view, 'not met: too long')).toMatchObject({
      signal: { data: { guidance: 'Not met: manual: read it: too long' } },
    });
    const second = after(view, { name: 'noted', data: { guidance: 'Not met: AC-001: slow' } });
    expect(said(second, 'not met: too long')).toMatchObject({
      signal: { data: { guidance: 'Not met: AC-001: slow\nNot met: manual: read it: too long' } },
    });
    expect(said(view, 'met')).not.toHaveProperty('signal.data.guidance');
  });

  test('a waiver needs its reason [session/done/criteria]', () => {
    expect(said(view, 'waive')).toEqual({ unclear: expect.stringContaining('waive: <reason>') });
  });

  test('one that is not met sends the work back, whatever is said of the others', () => {
    const two = askedOf('ask_criteria', [
      { question: 'a', binding: true },
      { question: 'b', binding: true },
    ]);
    expect(said(answered(two, 'UD-1', 'not met: slow'), 'met', 'UD-2')).toMatchObject({ signal: { name: 'unmet' } });
  });
});
