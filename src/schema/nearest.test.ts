import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const commands = ['plan', 'impl', 'archive', 'status', 'list', 'planning_iterations'];

test.each([
  ['paln', 'plan'],
  ['implt', 'impl'],
  ['archvie', 'archive'],
  ['STATUS', 'status'],
  ['planing_iteration', 'planning_iterations'],
  ['frobnicate', undefined],
  ['', undefined],
  ['xy', undefined],
])('%s means %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant);
});

test('the longer of both says how close is close', () => {
  expect(nearest('clyde', ['codex', 'claude'])).toBe('claude');
});

test('the first of equals wins', () => {
  expect(nearest('cat', ['bat', 'hat'])).toBe('bat');
  expect(nearest('cat', [])).toBeUndefined();
});
