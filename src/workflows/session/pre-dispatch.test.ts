import { describe, expect, test } from 'vitest';
import type { DispatchContext } from '../workflow.ts';
import * as paths from './files/session-paths.ts';
import { brief, unfit, validators } from './brief.ts';
import {
  dispatchOf,
  plannedFiles,
  run,
  statusFile,
  tasksFile,
  tasksList,
  type DispatchSetting,
} from './session.fixture.ts';

const usual = {
  files: plannedFiles,
  lists: tasksList('T-001'),
  flags: { mode: 'per_batch' },
  data: { projectType: 'cli', branch: 'main' },
};
const contextOf = (setting: DispatchSetting): DispatchContext => dispatchOf({ ...usual, ...setting });
const without = (path: string) => Object.fromEntries(Object.entries(plannedFiles).filter(([each]) => each !== path));

test.each(['plan', 'code', 'review', 'qa', 'security', 'fix_own_tests', 'docs', 'release_notes', 'correct_ui'])(
  '%s is sent off where nothing is wrong',
  (state) => {
    expect(unfit(contextOf({ state }))).toBeNull();
  },
);

/** Each validator by what it alone stops. */
const stopped: Readonly<
  Record<string, readonly (readonly [what: string, setting: DispatchSetting, problem: string])[]>
> = {
  gate_state: [
    ['in a gate [session/validators/gate-state]', { state: 'approve_design' }, 'a gate dispatches only corrections'],
  ],
  context_files: [
    [
      'without a file it needs [session/validators/context-files]',
      { state: 'code', files: without(paths.specPath(run)) },
      'spec.md: it is missing',
    ],
    [
      'with a file that is not valid [session/validators/context-files]',
      { state: 'plan', files: { ...plannedFiles, [paths.architecturePath(run)]: '# x' } },
      'architecture.md: There is no section "Overview"',
    ],
    [
      'with criteria that cannot be read [session/validators/context-files]',
      { state: 'qa', files: { ...plannedFiles, [paths.acceptancePath(run)]: '{' } },
      'acceptance.json:1',
    ],
  ],
  placeholders: [
    [
      'with a placeholder in a path [session/validators/placeholders]',
      { state: 'code', files: { ...plannedFiles, ...tasksFile({ context_files: ['src/<name>.ts'] }) } },
      '"src/<name>.ts" still has a placeholder',
    ],
  ],
  task_id: [
    [
      'for a task that is not there [session/validators/task-id]',
      { state: 'code', lists: tasksList('T-009') },
      'has no task T-009',
    ],
  ],
  project_type: [
    [
      'without a type of project [session/validators/project-type]',
      { state: 'code', data: { branch: 'main' } },
      'type',
    ],
    [
      'with an unknown one [session/validators/project-type]',
      { state: 'code', data: { branch: 'main', projectType: 'x' } },
      'type',
    ],
  ],
  repo_state: [
    ['without a branch [session/validators/repo-state]', { state: 'code', data: { projectType: 'cli' } }, 'repository'],
  ],
  design_approval: [
    ...['plan', 'code', 'docs'].map(
      (state) =>
        [
          `to ${state} without an approval on disk [session/validators/design-approval]`,
          { state, files: { ...plannedFiles, ...statusFile() } },
          'UD-APPROVE-DESIGN',
        ] as const,
    ),
    [
      'with an approval that is none [session/validators/design-approval]',
      { state: 'code', files: withAnswers('approved-later', 'per-batch') },
      'UD-APPROVE-DESIGN',
    ],
  ],
  review_strategy: [
    ...['review', 'qa', 'security', 'fix_own_tests'].map(
      (state) =>
        [
          `to ${state} with a strategy that is not canonical [session/validators/review-strategy] [session/strategy/re-read]`,
          { state, files: withAnswers('approved', 'per batch') },
          'no canonical review strategy',
        ] as const,
    ),
    [
      'with another strategy than the chosen one [session/validators/review-strategy]',
      { state: 'review', files: withAnswers('approved', 'single-final') },
      'says single-final, but per-batch was chosen',
    ],
  ],
};

function withAnswers(approval: string, strategy: string): Readonly<Record<string, string>> {
  const text = plannedFiles[paths.statusPath(run)] ?? '';
  const edited = text.replace('"approved"', JSON.stringify(approval)).replace('"per-batch"', JSON.stringify(strategy));
  return { ...plannedFiles, [paths.statusPath(run)]: edited };
}

test('every validator is among them', () => {
  expect(Object.keys(stopped).toSorted()).toEqual(Object.keys(validators).toSorted());
});

describe.each(Object.entries(stopped))('%s stops a dispatch', (validator, cases) => {
  test.each(cases)('%s', (_, setting, problem) => {
    expect(unfit(contextOf(setting))).toEqual({ validator, problem: expect.stringContaining(problem) });
  });

  test.each(cases)('%s: and no other validator does', (_, setting) => {
    const others = Object.entries(validators).filter(([name]) => name !== validator);
    expect(others.filter(([, check]) => check(contextOf(setting)) !== null)).toEqual([]);
  });
});

test('a lean session has neither approval nor strategy', () => {
  const files = { ...plannedFiles, ...statusFile({ mode: 'lean' }) };
  for (const state of ['code', 'review', 'security'])
    expect(unfit(contextOf({ state, files, flags: { mode: 'lean' } }))).toBeNull();
});

test('corrections are made in the gate, before the approval [session/validators/gate-state]', () => {
  for (const state of ['correct_spec', 'correct_architecture', 'correct_ui'])
    expect(unfit(contextOf({ state, files: { ...plannedFiles, ...statusFile() } }))).toBeNull();
});

test('the meta pass needs no task [session/validators/task-id]', () => {
  expect(unfit(contextOf({ state: 'review', lists: {}, flags: { mode: 'per_batch', round: 'final' } }))).toBeNull();
});

test('nor does a dispatch that is for no task, whatever the list has left [session/validators/task-id]', () => {
  const { item, ...context } = contextOf({ state: 'plan', lists: tasksList('T-009') });
  expect(item?.id).toBe('T-009');
  expect(validators['task_id']?.(context)).toBeNull();
  expect(unfit(context)).toBeNull();
});

test('whatever stops it is named, with a way out [session/validators/blocks]', () => {
  expect(brief(contextOf({ state: 'code', files: without(paths.specPath(run)) }))).toMatchObject({
    signal: {
      name: 'unfit',
      problem: {
        code: 'pre_dispatch_context_files',
        message: expect.stringContaining('spec.md'),
        fix: expect.stringContaining(`pawl session resume ${run}`),
      },
    },
    why: expect.stringContaining('Coder is not dispatched'),
  });
});
