import { describe, expect, test } from 'vitest';
import { isFeatureName, isInMain, modes, phaseAfter, phaseNamed, phaseRules, phases, slugOf } from './phases.ts';

test('[feature/phases/artifacts] each phase produces its artifact', () => {
  expect(phases.map((phase) => [phase, phaseRules[phase].artifact])).toEqual([
    ['brainstorm', 'brainstorm.md'],
    ['specify', 'spec.md'],
    ['design', 'design.md'],
    ['create-plan', 'plan.md'],
    ['create-tasks', 'tasks.md'],
    ['implement', null],
    ['verify', 'verification.md'],
  ]);
});

test('[feature/phases/expectations] what the next phase needs is listed, as in the table of the specification', () => {
  const needs: Readonly<Record<string, readonly string[]>> = {
    brainstorm: ['problem', 'options', 'intent'],
    specify: ['requirements', 'acceptance criteria', 'scope boundaries'],
    design: ['components', 'interfaces', 'dependencies', 'risks'],
    'create-plan': ['ordered, with dependencies', 'items of the design are covered'],
    'create-tasks': ['less than 15 minutes', 'criteria'],
    implement: ['all tasks are addressed', 'tests exist and pass', 'nothing is obviously wrong'],
    verify: ['quality is confirmed', 'matches the spec', 'ready to be merged'],
  };
  for (const phase of phases) {
    expect(phaseRules[phase].expectations).toHaveLength(needs[phase]?.length ?? -1);
    needs[phase]?.forEach((need, index) => expect(phaseRules[phase].expectations[index]).toContain(need));
  }
});

test('modes are those of the table', () => {
  expect(Object.entries(modes).map(([name, { iterations, worktree }]) => [name, iterations, worktree])).toEqual([
    ['hotfix', 1, 'none'],
    ['quick', 2, 'asked'],
    ['standard', 3, 'created'],
    ['full', 5, 'created'],
  ]);
  expect(modes.hotfix.phases).toEqual(['implement']);
  expect(modes.quick.phases).toEqual(['specify', 'create-tasks', 'implement']);
  expect([modes.standard.phases, modes.full.phases]).toEqual([phases, phases]);
});

test.each([
  ['Short slugs', 'short-slugs'],
  ['The limit of a slug', 'limit-slug'],
  ['Überlänge: 60 Zeichen!', 'uberlange-60-zeichen'],
  ['one two three four five six seven', 'one-two-three-four-five-six'],
  ['x'.repeat(200), 'x'.repeat(60)],
  [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
  ['../../etc/passwd', 'etc-passwd'],
  ['the of and', 'feature'],
  ['…!', null],
  ['日本語', 'feature'],
  ['  ', null],
])('[feature/files/folder] the slug of %j is %j', (description, slug) => {
  expect(slugOf(description)).toBe(slug);
  if (slug !== null) expect(isFeatureName(`001-${slug}`)).toBe(true);
});

describe('names', () => {
  test.each([
    ['001-a', true],
    ['123456-a-b2', true],
    ['01-a', true],
    ['1234567-a', false],
    ['001', false],
    ['001-', false],
    ['001-A_b', true],
    ['001-a--b', false],
    ['001-../x', false],
    [`001-${'a'.repeat(80)}`, false],
  ])('%s', (name, isName) => {
    expect(isFeatureName(name)).toBe(isName);
  });

  test.each([
    ['create_tasks', 'create-tasks'],
    [' Design ', 'design'],
    ['finish', null],
    [7, null],
  ])('the phase of %j', (text, phase) => {
    expect(phaseNamed(text)).toBe(phase);
  });
});

test('[feature/meta/main] the state and the history are in the main work tree, artifacts are not', () => {
  expect(isInMain('docs/features/001-a/.meta.json')).toBe(true);
  expect(isInMain('docs/features/001-a/.review-history.md')).toBe(true);
  expect(isInMain('docs/features/001-a/spec.md')).toBe(false);
  expect(isInMain('docs/features/001-a/x/.meta.json')).toBe(false);
  expect(isInMain('.meta.json')).toBe(false);
});

test('the next phase is the one of the mode, and finish behind the last', () => {
  expect([phaseAfter(null, 'hotfix'), phaseAfter('implement', 'hotfix')]).toEqual(['implement', 'finish']);
  expect([phaseAfter(null, 'quick'), phaseAfter('specify', 'quick')]).toEqual(['specify', 'create-tasks']);
  expect([phaseAfter('design', 'quick'), phaseAfter('implement', 'full')]).toEqual(['create-tasks', 'verify']);
  expect(phaseAfter('verify', 'standard')).toBe('finish');
});
