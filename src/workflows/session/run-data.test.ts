import { expect, test } from 'vitest';
import * as data from './run-data.ts';
import { tasksList, viewOf } from './session.fixture.ts';

const holding = (values: Parameters<typeof viewOf>[0] & object = {}) => viewOf(values).snapshot;

test('a session that has nothing on record is read as that', () => {
  const empty = holding();
  expect(data.goalOf(empty)).toBe('');
  expect(data.projectTypeOf(empty)).toBe('mixed');
  expect(data.intakeOf(empty)).toEqual({ needsResearch: false, hasUi: false, research: '' });
  expect([data.assumptionsOf(empty), data.knownIssuesOf(empty)]).toEqual([[], []]);
  expect(data.correctionOf(empty)).toBeNull();
  expect(data.approvedDesign(empty)).toBeNull();
  expect(data.judgementOf(empty, 'review')).toBeNull();
  expect(data.touchedOf(empty)).toEqual({ behaviour: false, risky: false });
  expect(data.ciOf(empty)).toEqual({ result: 'unknown', failedStep: null });
  expect(data.verdictOn(empty, 'AC-001')).toBeUndefined();
  expect(data.runtimeFlagsOf(empty)).toEqual({ instructions: false, checkedAt: null });
});

test('what does not fit is a broken promise, and says which', () => {
  expect(() => data.assumptionsOf(holding({ data: { assumptions: 'one' } }))).toThrow('malformed "assumptions"');
  expect(() => data.assumptionsOf(holding({ data: { assumptions: [1] } }))).toThrow('malformed "assumptions"');
  expect(() => data.correctionOf(holding({ data: { correction: [] } }))).toThrow('malformed "correction"');
});

test('attempts are a key for each task, so that a transition records the one it is about [session/scale/500-tasks]', () => {
  expect(Object.keys(data.retriesData(holding(), 'T-001', 'FIX_REVIEW', 1))).toEqual(['retries:T-001']);
});

test('what gates judge: the task at hand, or everything [session/strategy/per-batch-meta]', () => {
  const lists = tasksList('T-001', 'T-002');
  expect(data.scopeOf(holding({ lists, flags: { round: 'task' } }))).toBe('T-001');
  expect(data.scopeOf(holding({ lists, flags: { round: 'final' } }))).toBe('meta');
  expect(data.scopeOf(holding({ flags: { round: 'task' } }))).toBe('meta');
});

test('repairs are counted by scope and kind, and leave the others alone [session/budgets/repairs-own-counter]', () => {
  const once = { ...data.retriesData(holding(), 'T-001', 'FIX_REVIEW', 2) };
  const twice = { ...once, ...data.retriesData(holding({ data: once }), 'meta', 'FIX_BUILD', 1) };
  expect(data.allRetries(holding({ data: twice }))).toEqual({
    'T-001': { FIX_REVIEW: 2, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 },
    meta: { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 1 },
  });
});

test('known issues and declined notes are a key each, numbered on [session/scale/500-tasks]', () => {
  const two = data.issueData(holding(), ['a', 'b']);
  expect(two).toEqual({ 'issue:1': 'a', 'issue:2': 'b' });
  const third = data.issueData(holding({ data: two }), ['c']);
  expect(third).toEqual({ 'issue:3': 'c' });
  expect(data.knownIssuesOf(holding({ data: { ...two, ...third } }))).toEqual(['a', 'b', 'c']);
  const declined = data.declinedData(holding({ data: two }), ['n']);
  expect(declined).toEqual({ 'declined:1': 'n' });
  expect(data.declinedNotesOf(holding({ data: { ...two, ...declined } }))).toEqual(['n']);
});

test('what a person saw is asked again, what they waived or missed is not', () => {
  const verdicts = {
    ...data.verdictData('AC-001', { status: 'met', words: 'seen' }),
    ...data.verdictData('AC-002', { status: 'waived', words: 'not now' }),
    ...data.verdictData('AC-003', { status: 'unmet', words: 'slow' }),
  };
  const again = data.verdictsToAskAgain(holding({ data: verdicts }));
  expect(again).toEqual({ 'verdict:AC-001': null });
  const after = holding({ data: { ...verdicts, ...again } });
  expect(data.verdictOn(after, 'AC-001')).toBeUndefined();
  expect(data.verdictOn(after, 'AC-002')).toMatchObject({ status: 'waived' });
  expect(data.verdictsToAskAgain(after)).toEqual({});
});

test('a verdict that is no verdict counts as unmet', () => {
  const values = { ...data.verdictData('AC-001', { status: 'waived', words: 'not now' }), 'verdict:AC-002': {} };
  expect(data.verdictOn(holding({ data: values }), 'AC-001')).toEqual({ status: 'waived', words: 'not now' });
  expect(data.verdictOn(holding({ data: values }), 'AC-002')).toEqual({ status: 'unmet', words: '' });
});
