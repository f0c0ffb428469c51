import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../engine/machine.ts';
import { dispatched, run, viewOf, type Setting } from './session.fixture.ts';
import { session } from './session.ts';
import { stoppedBy } from './summary.ts';

const told = (outcome: Outcome, setting: Setting, refusal: string | null = null) =>
  session.summarize(viewOf({ outcome, ...setting }), { outcome, refusal });
const resume = `pawl session resume ${run}`;

test('a finished session points at its report [session/files/report]', () => {
  expect(told('done', { state: 'done' })).toMatchObject({
    action: 'done',
    phase: 'DONE',
    message: expect.stringContaining('report.md'),
    next: null,
  });
});

test('how the last review ended is told', () => {
  const history = [dispatched('review', { signal: 'passed' }), dispatched('review', { problem: 'crashed' })];
  expect(told('done', { state: 'done', history }).verdict).toBe('passed');
});

describe('a session that stopped', () => {
  const problem = { code: 'task_blocked', message: 'T-001 is blocked', fix: 'unblock it' };

  test('says what is in the way, and a way out [session/table/task-blocked]', () => {
    expect(told('needs_person', { state: 'blocked', problem })).toMatchObject({
      action: 'blocked',
      phase: 'BLOCKED',
      message: 'BLOCKED: task_blocked\nT-001 is blocked\nfix: unblock it',
      next: resume,
    });
  });

  test('a status.json that cannot be written, and a question that was cancelled, say how it goes on', () => {
    const stopped = (code: string) =>
      stoppedBy(viewOf({ state: 'blocked', problem: { code, message: 'no space', fix: `pawl resume ${run}` } }));
    expect(stopped('state_not_written')).toEqual({
      blocker: 'persistence_failed',
      detail: 'no space',
      wayOut: `pawl resume ${run}`,
    });
    expect(stopped('cancelled').blocker).toBe('cancelled');
  });

  test.each<[Outcome, string, string]>([
    ['temporary', 'rate_limited', resume],
    ['interrupted', 'interrupted', resume],
    ['over_budget', 'blocked', `pawl resume ${run} --budget <name>=<number>`],
    ['unavailable', 'blocked', `pawl retry ${run} --agent <agent>`],
    ['failed', 'blocked', resume],
  ])('%s: %s, then %s [session/faults/stops]', (outcome, action, next) => {
    expect(told(outcome, { state: 'blocked', problem: { code: outcome, message: 'something' } })).toMatchObject({
      action,
      next,
    });
  });

  test('trial 2 B5: a spent budget is named in the command that raises it, once', () => {
    const fix = `pawl resume ${run} --budget crashes=15`;
    const problem = { code: 'over_budget', message: 'cut off 10 times by crashes', fix };
    const { message, next } = told('over_budget', { state: 'blocked', outcome: 'over_budget', problem });
    expect([message, next]).toEqual(['BLOCKED: over_budget\ncut off 10 times by crashes', fix]);
  });

  test('after dispatches that came to nothing: subagent_failure, naming role and cause [session/budgets/dispatch-retries] [session/table/dispatch-spent]', () => {
    const history = [dispatched('plan', { role: 'Planner', signal: 'timed_out', problem: 'x' })];
    const problem = { code: 'timed_out', message: 'took too long' };
    const view = viewOf({ state: 'blocked', outcome: 'failed', problem, history });
    expect(stoppedBy(view)).toEqual({
      blocker: 'subagent_failure',
      detail: 'took too long (Planner, timed_out)',
      wayOut: expect.stringContaining(`pawl log ${run}`),
    });
  });
});

test('a question that waits names the command to run [session/answering/nobody-there]', () => {
  expect(told('needs_person', { state: 'ask_notes' })).toMatchObject({ action: 'decision_pending', next: resume });
  expect(told('interrupted', { state: 'code' })).toMatchObject({ action: 'interrupted', next: resume });
});

test.each([
  ['SessionNotFound', 'not_found'],
  ['SessionExists', 'exists'],
  ['SessionFinished', 'finished'],
  ['NothingToUndo', 'nothing_to_undo'],
  ['BudgetSpent', 'BudgetSpent'],
])('%s is told as %s [session/commands/undo]', (refusal, action) => {
  expect(told('not_ready', { state: 'blocked' }, refusal)).toMatchObject({
    action,
    message: expect.stringMatching(/./),
  });
});

test('the journal of a finished session is exported into its folder, and nothing is undone as a whole [session/files/journal-exported]', () => {
  expect(session.exportTo(viewOf({ state: 'done' }))).toBe(`.agents-work/${run}/journal.jsonl`);
  expect(session.exportTo(viewOf({ state: 'code' }))).toBeNull();
  expect(session.undoWrites(viewOf({ state: 'code' }))).toEqual([]);
});
