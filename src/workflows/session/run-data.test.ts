import { expect, test } from 'vitest';
import { appended, data, retriesData, scopeOf, valuesOf, verdictsToAskAgain } from './run-data.ts';
import { tasksList, viewOf } from './session.fixture.ts';

const holding = (values: Parameters<typeof viewOf>[0] & object = {}) => viewOf(values).snapshot;

test('a session that has nothing on record is read as that', () => {
  const empty = holding();
  expect(data.goal.of(empty)).toBe('');
  expect(data.projectType.of(empty)).toBe('mixed');
  expect(data.intake.of(empty)).toEqual({ needsResearch: false, hasUi: false, research: '' });
  expect([data.assumptions.of(empty), valuesOf(data.issue, empty)]).toEqual([[], []]);
  expect(data.correction.of(empty)).toBeNull();
  expect(data.approvedDesign.of(empty)).toBeNull();
  expect(data.judgement.get(empty, 'review')).toBeUndefined();
  expect(data.touched.of(empty)).toEqual({ behaviour: false, risky: false });
  expect(data.ci.of(empty)).toEqual({ result: 'unknown', failedStep: null });
  expect(data.verdict.get(empty, 'AC-001')).toBeUndefined();
  expect(data.runtime.of(empty)).toEqual({ instructions: false, checkedAt: null });
});

test('what does not fit is a broken promise, and says which', () => {
  expect(() => data.assumptions.of(holding({ data: { assumptions: 'one' } }))).toThrow('malformed "assumptions"');
  expect(() => data.assumptions.of(holding({ data: { assumptions: [1] } }))).toThrow('malformed "assumptions"');
  expect(() => data.correction.of(holding({ data: { correction: [] } }))).toThrow('malformed "correction"');
});

test('attempts are a key for each task, so that a transition records the one it is about [session/scale/500-tasks]', () => {
  expect(Object.keys(retriesData(holding(), 'T-001', 'FIX_REVIEW', 1))).toEqual(['retries:T-001']);
});

test('what gates judge: the task at hand, or everything [session/strategy/per-batch-meta]', () => {
  const lists = tasksList('T-001', 'T-002');
  expect(scopeOf(holding({ lists, flags: { round: 'task' } }))).toBe('T-001');
  expect(scopeOf(holding({ lists, flags: { round: 'final' } }))).toBe('meta');
  expect(scopeOf(holding({ flags: { round: 'task' } }))).toBe('meta');
});

test('repairs are counted by scope and kind, and leave the others alone [session/budgets/repairs-own-counter]', () => {
  const once = { ...retriesData(holding(), 'T-001', 'FIX_REVIEW', 2) };
  const twice = { ...once, ...retriesData(holding({ data: once }), 'meta', 'FIX_BUILD', 1) };
  expect(data.retries.all(holding({ data: twice }))).toEqual({
    'T-001': { FIX_REVIEW: 2, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 },
    meta: { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 1 },
  });
});

test('known issues and declined notes are a key each, numbered on [session/scale/500-tasks]', () => {
  const two = appended(data.issue, holding(), ['a', 'b']);
  expect(two).toEqual({ 'issue:1': 'a', 'issue:2': 'b' });
  const third = appended(data.issue, holding({ data: two }), ['c']);
  expect(third).toEqual({ 'issue:3': 'c' });
  expect(valuesOf(data.issue, holding({ data: { ...two, ...third } }))).toEqual(['a', 'b', 'c']);
  const declined = appended(data.declined, holding({ data: two }), ['n']);
  expect(declined).toEqual({ 'declined:1': 'n' });
  expect(valuesOf(data.declined, holding({ data: { ...two, ...declined } }))).toEqual(['n']);
});

test('what a person saw is asked again, what they waived or missed is not', () => {
  const verdicts = {
    ...data.verdict.set('AC-001', { status: 'met', words: 'seen' }),
    ...data.verdict.set('AC-002', { status: 'waived', words: 'not now' }),
    ...data.verdict.set('AC-003', { status: 'unmet', words: 'slow' }),
  };
  const again = verdictsToAskAgain(holding({ data: verdicts }));
  expect(again).toEqual({ 'verdict:AC-001': null });
  const after = holding({ data: { ...verdicts, ...again } });
  expect(data.verdict.get(after, 'AC-001')).toBeUndefined();
  expect(data.verdict.get(after, 'AC-002')).toMatchObject({ status: 'waived' });
  expect(verdictsToAskAgain(after)).toEqual({});
});

test('a verdict that is no verdict counts as unmet', () => {
  const values = { ...data.verdict.set('AC-001', { status: 'waived', words: 'not now' }), 'verdict:AC-002': {} };
  expect(data.verdict.get(holding({ data: values }), 'AC-001')).toEqual({ status: 'waived', words: 'not now' });
  expect(data.verdict.get(holding({ data: values }), 'AC-002')).toEqual({ status: 'unmet', words: '' });
});
