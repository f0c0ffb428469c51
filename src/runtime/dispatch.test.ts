import { expect, test } from 'vitest';
import { unknownUsage } from '../engine/usage.ts';
import type { DispatchSummary } from '../workflows/workflow.ts';
import { secondAttempt } from './dispatch.ts';

const ended = (more: Partial<DispatchSummary>): DispatchSummary => ({
  id: 'r#1',
  role: 'planner',
  step: 'propose',
  agent: 'claude',
  model: null,
  signal: 'unparseable',
  at: '',
  ms: 1,
  usage: unknownUsage,
  session: 's-1',
  tree: null,
  problem: 'no report was filed',
  ...more,
});
const task = { step: 'propose', agent: 'claude', prompt: 'Write a proposal.' };
const fresh = { prompt: task.prompt, resume: null };

test('after a mistake, the same conversation gets the mistake and the task again', () => {
  const { prompt, resume } = secondAttempt([ended({})], task);
  expect(prompt).toMatch(/^## Your last attempt did not count\n\nno report was filed\n[^]*Write a proposal\.$/);
  expect(resume).toBe('s-1');
});

test('an id on record that is none is not passed on (attack 2.23)', () => {
  expect(secondAttempt([ended({ session: '--full-auto' })], task).resume).toBeNull();
});

test('another agent gets the mistake too, in a new conversation', () => {
  const { prompt, resume } = secondAttempt([ended({ agent: 'codex' })], task);
  expect(prompt).toContain('no report was filed');
  expect(resume).toBeNull();
});

test.each([
  ['nothing happened before', []],
  ['another step went before', [ended({ step: 'specify' })]],
  ['the last one succeeded', [ended({ problem: null, signal: 'reported' })]],
  ['it crashed', [ended({ signal: 'failed' })]],
  ['it was rate limited', [ended({ signal: 'rate_limited' })]],
])('%s: the prompt contains only the task', (_, history) => {
  expect(secondAttempt(history, task)).toEqual(fresh);
});
