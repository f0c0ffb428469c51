import { expect, test } from 'vitest';
import { specMeant, specName } from './spec-names.ts';

test.each([
  ['login', 'login'],
  ['login.md', 'login'],
  ['a/x', 'a/x'],
  ['specs/a/x.md', 'a/x'],
  ['agentd/changes/c1/specs/a/x.md', 'a/x'],
  ['./x.md', 'x'],
])('[D5b] %j is the spec %s', (path, name) => {
  expect(specName(path)).toBe(name);
});

test.each([
  ['a/x', 'a/x'],
  ['specs/b/x.md', 'b/x'],
  ['x', undefined],
  ['login', 'auth/login'],
  ['docs/auth/login', 'auth/login'],
  ['c/x', undefined],
])('[D5b] of several specs %j means %s', (said, meant) => {
  expect(specMeant(said, ['a/x', 'b/x', 'auth/login'])).toBe(meant);
});
