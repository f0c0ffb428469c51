import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../engine/machine.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { machineOf } from './machine-of.ts';
import { dispatched, page, viewOf } from './page.fixture.ts';
import { summarize } from '../define-workflow.ts';
import { wordsOf } from './defined-workflow.ts';

const machine = machineOf(page);
const words = wordsOf('page', machine);
const said = (state: string, outcome: Outcome, more: Partial<Snapshot> = {}, refusal: string | null = null) =>
  summarize(machine, words, viewOf({ state, ...more }), { outcome, refusal });

describe('how a run came to rest', () => {
  test.each<[string, Outcome, Partial<Snapshot>, object]>([
    ['published', 'done', {}, { action: 'published', message: 'install is published', next: null, phase: 'published' }],
    ['dropped', 'failed', {}, { action: 'dropped', message: 'install is dropped', next: null }],
    [
      'accept',
      'needs_person',
      {},
      { action: 'asked', message: 'install waits for an answer: accept', next: 'pawl answer install accept <answer>' },
    ],
    [
      'idle',
      'needs_person',
      {},
      { action: 'idle', message: 'install is paused in idle', next: 'pawl page publish install' },
    ],
    [
      'stopped',
      'failed',
      { returnTo: 'draft', problem: { code: 'unparseable', message: 'the writer ended without calling report' } },
      { action: 'failed', message: 'the writer ended without calling report', next: 'pawl retry install' },
    ],
    ['stopped', 'temporary', { returnTo: 'draft' }, { action: 'rate_limited', next: 'pawl retry install' }],
    ['stopped', 'unavailable', { returnTo: 'draft' }, { action: 'agent_unavailable', next: 'pawl retry install' }],
    [
      'stopped',
      'over_budget',
      { returnTo: 'draft', problem: { code: 'over_budget', message: 'the run has used 1 of 1 dispatches' } },
      {
        action: 'over_budget',
        message: 'the run has used 1 of 1 dispatches',
        next: 'pawl resume install --budget <name>=<number>',
      },
    ],
    [
      'stopped',
      'interrupted',
      { returnTo: 'draft' },
      { action: 'interrupted', message: 'stopped; everything finished so far is kept' },
    ],
    ['new', 'not_ready', {}, { action: 'new', phase: null, next: 'pawl page start install' }],
  ])('%s, %s', (state, outcome, more, expected) => {
    expect(said(state, outcome, more)).toMatchObject(expected);
  });
});

test.each([
  ['AlreadyStarted', 'install has already started: it is in idle'],
  ['NothingToRetry', 'install has no step to retry: it is in idle'],
  ['NothingToUndo', 'install has nothing that could be undone'],
  ['NotNow', 'this is not possible in idle'],
  ['BudgetSpent', 'this is not possible in idle: BudgetSpent'],
])('a refusal is told in words: %s', (refusal, message) => {
  expect(said('idle', 'not_ready', {}, refusal)).toMatchObject({
    action: refusal,
    message,
    next: 'pawl page publish install',
    phase: 'idle',
  });
});

test('the verdict is the last report of a role, not a fault', () => {
  const history = [dispatched('review', 'reviewer', 'needs_work'), dispatched('draft', 'writer', 'failed')];
  const data = { 'report.review': { verdict: 'needs_work', summary: 'x', details: '' } };
  const verdict = (more: Partial<Snapshot>) =>
    summarize(machine, words, viewOf({ state: 'stopped', ...more }, {}, history), { outcome: 'failed', refusal: null })
      .verdict;
  expect(verdict({ data })).toBe('needs_work');
  expect(verdict({})).toBe(null);
});

test('a fault of a step that had reported before is no verdict', () => {
  const history = [dispatched('review', 'reviewer', 'needs_work'), dispatched('review', 'reviewer', 'timed_out')];
  const data = { 'report.review': { verdict: 'needs_work', summary: 'x', details: '' } };
  const view = viewOf({ state: 'stopped', data }, {}, history);
  expect(summarize(machine, words, view, { outcome: 'failed', refusal: null }).verdict).toBe('needs_work');
});
