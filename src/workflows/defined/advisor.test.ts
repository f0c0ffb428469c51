import { describe, expect, test } from 'vitest';
import type { FiledReport } from '../workflow.ts';
import type { WorkflowDefinition } from './definition.ts';
import { machineOf } from './machine-of.ts';
import { contextOf, page, viewOf } from './page.fixture.ts';
import { brief, placeholdersOf } from './brief.ts';
import { conclude, tools } from './reporting.ts';

/** The page with an advisor beside its reviewer. */
const advised: WorkflowDefinition = {
  ...page,
  roles: { ...page.roles, simplifier: { agent: 'gemini', reports: ['simple', 'complex'] } },
  states: {
    ...page.states,
    review: {
      role: 'reviewer',
      prompt: 'prompts/review.md',
      beside: { role: 'simplifier', prompt: 'prompts/simplify.md' },
      on: { approved: 'accept', needs_work: 'list' },
    },
  },
};

const prompts = { 'prompts/review.md': 'Review it.', 'prompts/simplify.md': 'Simplify. Before: {{advice.review}}' };
const promptOf = (role: string, data = {}): string =>
  brief(advised, prompts, contextOf({ step: 'review', role }, viewOf({ data }))).prompt;

test('the machine names the advisor', () => {
  expect(machineOf(advised).states['review']).toMatchObject({ role: 'reviewer', beside: 'simplifier' });
  expect(machineOf(page).states['review']).not.toHaveProperty('beside');
});

describe('prompts', () => {
  test('each role has its own, with its own verdicts', () => {
    expect(promptOf('reviewer')).toContain('Review it.');
    expect(promptOf('simplifier')).toContain('Simplify.');
    expect(promptOf('simplifier')).toContain('complex');
    expect(promptOf('reviewer')).not.toContain('complex');
  });

  test('show what the advisor said last', () => {
    expect(placeholdersOf(advised)).toContain('advice.review');
    expect(placeholdersOf(page)).not.toContain('advice.review');
    const said = { verdict: 'complex', summary: 'Too long.', details: '', role: 'simplifier' };
    expect(promptOf('simplifier', { 'advice.review': said })).toContain('Before: complex: Too long.');
    expect(promptOf('simplifier', { 'advice.review': null })).toContain('Before: (nothing yet)');
  });
});

test('the advisor reports with its own words', () => {
  const call = (verdict: string) =>
    tools(advised)['report']?.call({ verdict, summary: 'x' }, contextOf({ step: 'review', role: 'simplifier' }));
  expect(call('complex')).toHaveProperty('text');
  expect(call('approved')).toHaveProperty('error');
});

describe('the conclusion', () => {
  const filed = (verdict: string): FiledReport[] => [{ tool: 'report', args: { verdict, summary: `${verdict}!` } }];
  const concluded = (advice: readonly FiledReport[]) =>
    conclude(advised, { ...contextOf({ step: 'review', role: 'reviewer' }), advice }, filed('approved'));

  test('has the signal of the role, with the advice beside it', () => {
    const advice = { verdict: 'complex', summary: 'complex!', details: '', role: 'simplifier' };
    expect(concluded(filed('complex'))).toMatchObject({
      signal: { name: 'approved', data: { 'advice.review': advice } },
      writes: [{ content: expect.stringContaining('approved!\n\n## simplifier: complex\n\ncomplex!\n') }],
    });
  });

  test('forgets earlier advice where there is none now', () => {
    expect(concluded([])).toMatchObject({ signal: { name: 'approved', data: { 'advice.review': null } } });
  });
});
