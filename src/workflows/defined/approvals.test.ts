import { expect, test } from 'vitest';
import type { WorkflowDefinition } from './definition.ts';
import { approvals, isUnchanged } from './declared-artifacts.ts';
import { filesFrom, page, viewOf } from './page.fixture.ts';

const path = 'docs/install.md';
const before = { files: filesFrom({ [path]: 'as it was' }), run: 'install' };
const edited = { files: filesFrom({ [path]: 'as it is' }), run: 'install' };
const isStill = (data: Record<string, string>, seen = before) =>
  isUnchanged(page, 'page', { ...seen, snapshot: viewOf({ data }).snapshot });

test('only the step that passes a gate records a digest', () => {
  expect(approvals(page, 'accept.good', before)).toEqual({
    'approved.page': expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  for (const step of ['accept.bad', 'review.approved', 'same.yes', '', 'accept'])
    expect(approvals(page, step, before)).toEqual({});
});

test('records both gates that one step passes', () => {
  const two: WorkflowDefinition = {
    ...page,
    gates: { ...page.gates, seen: { of: 'images', guards: ['published'], passedBy: ['accept.good'] } },
  };
  expect(Object.keys(approvals(two, 'accept.good', before))).toEqual(['approved.page', 'approved.images']);
});

test('an approval counts while what was approved is unchanged', () => {
  const approved = approvals(page, 'accept.good', before) as Record<string, string>;
  expect(isStill(approved)).toBe(true);
  expect(isStill(approved, edited)).toBe(false);
  expect(isStill(approved, { files: filesFrom({}), run: 'install' })).toBe(false);
  expect(isStill(approved, { ...before, run: 'other' })).toBe(false);
});

test('an artifact that was never approved or does not exist counts as changed', () => {
  expect(isStill({})).toBe(false);
  expect(isUnchanged(page, 'nothing', { ...before, snapshot: viewOf().snapshot })).toBe(false);
});

test('an artifact approved while missing counts as changed once it exists', () => {
  const missing = { files: filesFrom({}), run: 'install' };
  const approved = approvals(page, 'accept.good', missing) as Record<string, string>;
  expect(isStill(approved, missing)).toBe(true);
  expect(isStill(approved)).toBe(false);
});
