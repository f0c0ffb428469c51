import { describe, expect, test } from 'vitest';
import type { Outcome } from '../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { toyMachine } from '../../test/toy.ts';
import { summarize, type RunWords } from './define-workflow.ts';
import type { RunView } from './workflow.ts';

const words: RunWords = {
  next: ({ run }) => `pawl toy go ${run}`,
  verdict: () => 'approved',
  refusals: { NotNow: ({ run }) => ['not_now', `${run} cannot`, null] },
  rests: { stopped: (_, outcome) => ['own', outcome, null] },
};

function said(state: string, outcome: Outcome, refusal: string | null = null, own: Partial<RunWords> = {}) {
  const problem: Snapshot['problem'] = { code: 'failed', message: 'exit 1' };
  const snapshot = { ...initialSnapshot(toyMachine), state, problem };
  const files = { read: () => undefined, exists: () => false, list: () => [] };
  const view: RunView = { run: 'r', snapshot, files, at: '', history: [] };
  return summarize(toyMachine, { ...words, ...own }, view, { outcome, refusal });
}

describe('a run that rests', () => {
  test('is summarized with phase, verdict and the words of its workflow', () => {
    expect(said('stopped', 'needs_person')).toEqual({
      phase: 'stopped',
      verdict: 'approved',
      action: 'own',
      message: 'needs_person',
      next: null,
    });
  });

  test.each<[Outcome, string, string, string]>([
    ['failed', 'failed', 'exit 1', 'pawl retry r'],
    ['over_budget', 'over_budget', 'exit 1', 'pawl resume r --budget <name>=<number>'],
    ['unavailable', 'agent_unavailable', 'exit 1', 'pawl retry r --agent <agent>'],
    ['temporary', 'rate_limited', 'exit 1', 'pawl resume r'],
    ['interrupted', 'interrupted', 'stopped; everything finished so far is kept', 'pawl resume r'],
  ])('a stop that has nothing to do with the workflow is said the same way: %s', (outcome, action, message, next) => {
    expect(said('stopped', outcome)).toMatchObject({ action, message, next });
  });

  test("uses the workflow's own words for stops where it has some", () => {
    const stops = () => ['blocked', 'x', null] as const;
    expect(said('stopped', 'failed', null, { stops })).toMatchObject({ action: 'blocked' });
    expect(said('stopped', 'failed', null, { stops: () => null })).toMatchObject({ action: 'own' });
  });

  test('a run that is over is not reported as stopped, whatever its outcome', () => {
    expect(said('done', 'failed')).toMatchObject({ action: 'done', message: 'r is done', next: null });
  });

  test('[D29] no message ends with a line break', () => {
    const rests = { stopped: () => 'it needs a person:\n' };
    expect(said('stopped', 'needs_person', null, { rests }).message).toBe('it needs a person:');
  });

  test('falls back to general words', () => {
    const own = { rests: {} };
    expect(said('ask', 'needs_person', null, own)).toMatchObject({
      action: 'asked',
      next: 'pawl answer r spent <answer>',
    });
    expect(said('stopped', 'needs_person', null, own)).toMatchObject({ message: 'exit 1', next: 'pawl toy go r' });
  });
});

test('a refusal is explained by its reason, or names it', () => {
  expect(said('stopped', 'not_ready', 'NotNow')).toMatchObject({ action: 'not_now', message: 'r cannot', next: null });
  expect(said('stopped', 'not_ready', 'toString')).toMatchObject({
    action: 'toString',
    message: 'this is not possible in stopped: toString',
    next: 'pawl toy go r',
  });
});
