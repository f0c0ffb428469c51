import { describe, expect, test } from 'vitest';
import { chosenFor, chosenForAll, chosenNames, mergedChoice, readRoleChoice } from './role-choice.ts';

describe('a choice for roles', () => {
  test.each([
    ['codex', 'codex', 'codex'],
    ['reviewer=codex', 'codex', undefined],
    ['claude,reviewer=codex', 'codex', 'claude'],
    [' reviewer = codex , claude ', 'codex', 'claude'],
    ['reviewer=vendor/model:free=1', 'vendor/model:free=1', undefined],
  ])('%j', (text, reviewer, planner) => {
    expect(chosenFor(text, 'reviewer')).toBe(reviewer);
    expect(chosenFor(text, 'planner')).toBe(planner);
  });

  test('one for all is told from several', () => {
    expect(chosenForAll('codex')).toBe('codex');
    expect(chosenForAll('codex,reviewer=claude')).toBeNull();
    expect(chosenNames('codex,reviewer=claude,planner=codex')).toEqual(['codex', 'claude']);
  });

  test.each([
    ['', '"" is neither a name nor role=name'],
    ['codex,', '"" is neither a name nor role=name'],
    ['reviewer=', '"reviewer=" is neither a name nor role=name'],
    ['=codex', '"=codex" is neither a name nor role=name'],
    ['codex,claude', 'every role is named twice: codex and claude'],
    ['reviewer=codex,reviewer=claude', 'reviewer is named twice: codex and claude'],
  ])('rejects %j', (text, mistake) => {
    expect(readRoleChoice(text)).toEqual({ mistake });
    expect(chosenNames(text)).toEqual([]);
  });

  test.each([
    [undefined, undefined, undefined],
    ['codex', undefined, 'codex'],
    [undefined, 'reviewer=codex', 'reviewer=codex'],
    ['scripted', 'reviewer=codex', 'scripted,reviewer=codex'],
    ['claude,reviewer=codex', 'reviewer=gemini,planner=codex', 'claude,reviewer=gemini,planner=codex'],
    ['claude,reviewer=codex', 'gemini', 'gemini'],
  ])('%j, and later %j, is %j', (before, later, merged) => {
    expect(mergedChoice(before, later)).toBe(merged);
  });
});
