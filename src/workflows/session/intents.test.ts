import { expect, test } from 'vitest';
import { enter } from './intents.ts';
import { after, askedOf, viewOf } from './session.fixture.ts';

test.each(['start', 'start_lean'])(
  '%s puts the goal and the type of project on record [session/commands/start]',
  (command) => {
    const args = { goal: 'Export CSV', projectType: 'cli' };
    expect(enter(command, args, viewOf())).toEqual({
      name: command,
      data: { goal: 'Export CSV', projectType: 'cli' },
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
    fix: 'use --project-type with one of web, api, cli, lib, mixed',
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
  const view = viewOf({
    state: 'blocked',
    returnTo: 'plan',
    problem: { code: 'x', message: 'y' },
    data: { goal: 'z' },
  });
  const signal = enter('retry', {}, view);
  if ('fix' in signal) throw new Error('refused');
  expect(signal).toEqual({ name: 'retry' });
  expect(after(view, signal).snapshot).toMatchObject({ state: 'recheck', problem: null, data: { goal: 'z' } });
});

test('a question that was cancelled is asked anew, under a new id [session/decisions/ids-sequential]', () => {
  const asked = askedOf('ask_questions', [{ question: 'Which format?' }]);
  const left = after(asked, { name: 'withdrawn', problem: { code: 'cancelled', message: 'by a person' } });
  expect(left.snapshot.state).toBe('blocked_asking');
  const signal = enter('retry', {}, left);
  if ('fix' in signal) throw new Error('refused');
  expect(after(left, signal).snapshot).toMatchObject({
    decisions: { 'UD-1': { status: 'cancelled' }, 'UD-2': { question: 'Which format?', status: 'pending' } },
    asked: { ids: ['UD-2'] },
  });
});
