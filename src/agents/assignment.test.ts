import { describe, expect, test } from 'vitest';
import { machine } from '../workflows/change/transition-table.ts';
import { assignAgents, selfJudging } from './assignment.ts';

const wanted = {
  planner: 'gemini',
  challenger: 'codex',
  implementer: 'claude',
  reviewer: 'codex',
  archivist: 'claude',
};
const roles = Object.fromEntries(Object.entries(wanted).map(([role, defaultAgent]) => [role, { defaultAgent }]));
const assign = (installed: readonly string[], chosen: Readonly<Record<string, string>> = {}) =>
  assignAgents(machine, { roles, chosen, installed });

describe('who plays which role', () => {
  test('A2: all preferred ones are there', () => {
    expect(assign(['claude', 'codex', 'gemini'])).toEqual(wanted);
  });

  test.each([
    [['claude', 'codex']],
    [['claude', 'gemini']],
    [['codex', 'gemini']],
    [['opencode', 'copilot']],
    [['opencode', 'claude']],
  ])('A3: with %j alone nobody judges their own work', (installed) => {
    const assigned = assign(installed);
    expect(new Set(Object.values(assigned))).toEqual(new Set(installed));
    expect(selfJudging(machine, assigned)).toEqual([]);
  });

  test('one vendor plays all, and that is known', () => {
    const assigned = assign(['claude']);
    expect(new Set(Object.values(assigned))).toEqual(new Set(['claude']));
    expect(selfJudging(machine, assigned)).toEqual([
      ['planner', 'challenger'],
      ['implementer', 'reviewer'],
      ['archivist', 'reviewer'],
    ]);
  });

  test('A1: a choice stands, even of one that is not installed, and others keep away from it', () => {
    const assigned = assign(['claude', 'gemini'], { reviewer: 'mine', implementer: 'gemini' });
    expect(assigned).toMatchObject({
      reviewer: 'mine',
      implementer: 'gemini',
      planner: 'gemini',
      challenger: 'claude',
    });
  });

  test('A2: a preference gives way to a choice across its gate, as far as another agent is there', () => {
    expect(assign(['claude', 'codex'], { implementer: 'codex' })).toMatchObject({ reviewer: 'claude' });
    expect(assign(['codex'], { implementer: 'codex' })).toMatchObject({ reviewer: 'codex' });
  });

  test('none installed: the preferences, whose absence says how to get them', () => {
    expect(assign([])).toEqual(wanted);
  });
});
