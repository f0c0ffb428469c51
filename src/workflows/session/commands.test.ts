import { expect, test } from 'vitest';
import { enter } from './commands.ts';
import { asking } from './decisions.ts';
import { at, decisionOf, later, recorded, viewOf } from './session.fixture.ts';

test.each(['start', 'start_lean'])(
  '%s puts the goal and the type of project on record [session/commands/start]',
  (command) => {
    const args = { goal: 'Export CSV', projectType: 'cli' };
    expect(enter(command, args, viewOf())).toEqual({
      name: command,
      data: { blocker: null, goal: 'Export CSV', projectType: 'cli' },
    });
  },
);

test('the type of project is mixed where nobody says [session/commands/start]', () => {
  expect(enter('start', { goal: 'x' }, viewOf())).toMatchObject({ data: { projectType: 'mixed' } });
});

test.each([
  [{}, 'GoalMissing'],
  [{ goal: '  ' }, 'GoalMissing'],
])('a session needs a goal: %j [session/commands/goal-needed]', (args, code) => {
  expect(enter('start', args, viewOf())).toMatchObject({ code, fix: expect.stringContaining('session start') });
});

test('an unknown type of project is refused, naming those there are [session/commands/project-type]', () => {
  expect(enter('start', { goal: 'x', projectType: 'desktop' }, viewOf())).toMatchObject({
    message: 'there is no project type "desktop"',
    fix: '--project-type takes one of web, api, cli, lib, mixed',
  });
});

test.each(['retry', 'undo'])(
  '%s of an unknown session names the command that lists them [session/commands/unknown-session]',
  (command) => {
    expect(enter(command, {}, viewOf())).toMatchObject({
      code: 'SessionNotFound',
      fix: expect.stringContaining('pawl session list'),
    });
  },
);

test('going on clears what was in the way, and nothing else [session/table/blocked-resume]', () => {
  const data = { blocker: { blocker: 'x', detail: '', wayOut: '' } };
  expect(enter('retry', {}, viewOf({ state: 'blocked', data }))).toEqual({
    name: 'retry',
    data: { blocker: null },
  });
});

test('a question that was cancelled is asked anew, under a new id [session/decisions/ids-sequential]', () => {
  const { snapshot } = viewOf();
  const asked = asking({ title: 'Asks', queries: [{ question: 'Which format?' }] }, { snapshot, at, context: 'PLAN' });
  const cancelled = recorded(decisionOf({ status: 'cancelled', resolved_at: at, resolution_reason: 'by a person' }));
  const view = viewOf({ state: 'blocked_asking', returnTo: 'plan', data: { ...asked, ...cancelled }, at: later });
  expect(enter('retry', {}, view)).toMatchObject({
    data: {
      'decision:UD-2': decisionOf({ decision_id: 'UD-2', asked_at: later, state_context: 'PLAN' }),
      asking: { parts: [{ id: 'UD-2' }] },
    },
  });
});
