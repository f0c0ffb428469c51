/** Which task comes when, and what stops the schedule. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlayedSession, worked } from './played-session.ts';
import { Prepared } from './prepared.ts';
import { code, designed, perBatch, plan, review, qa, security, singleFinal, task } from './scripts.ts';

const file = (id: string) => code({ [`src/${id}.mjs`]: `export const id = '${id}';\n` });

/** In the file's order 3, 1, 2; the first one waits for the second. */
let planned: Prepared;

beforeAll(async () => {
  planned = await Prepared.planned([task('T-003', { depends_on: ['T-001'] }), task('T-001'), task('T-002')]);
});

afterAll(() => planned.remove());

/** The tasks in the order in which the Coder got them. */
function coded(session: PlayedSession): string[] {
  const started = session.journal.filter(({ type }) => type === 'dispatch.started');
  return started.flatMap(({ step }, index) =>
    step === 'code' ? [String(session.input(index + 1)['task']['id'])] : [],
  );
}

test.concurrent('[session/schedule/order] a task waits for what it depends on; ready ones come in the order of the file, one at a time', async () => {
  const session = planned.copy([file('T-001'), file('T-003'), file('T-002')]);
  await session.resume(singleFinal);
  expect(coded(session)).toEqual(['T-001', 'T-003', 'T-002']);
  expect(session.tasks).toEqual({ 'T-003': 'implemented', 'T-001': 'implemented', 'T-002': 'implemented' });
});

test.concurrent('[session/strategy/changed-files] [session/review/change-type] [session/context/reviewer] reviewers get what changed over the whole session: renamed with old_path, deleted, untracked', async () => {
  const moved = code({ 'src/greet.mjs': null, 'src/hello.mjs': "export const greet = () => 'Hello';\n" });
  const removed = code({ 'README.md': null });
  const session = planned.copy([moved, removed, file('T-002'), review(), qa(), security()]);
  await session.resume(singleFinal);
  const expected = [
    { path: 'README.md', change_type: 'deleted' },
    { path: 'src/T-002.mjs', change_type: 'added' },
    { path: 'src/hello.mjs', change_type: 'renamed', old_path: 'src/greet.mjs' },
  ];
  const { task: judged } = session.inputOf('review');
  expect([...judged['session_changed_files']].toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(expected);
  expect(session.inputOf('code')['task']['session_changed_files']).toBeUndefined();
});

describe('tasks.yaml edited by hand', () => {
  test.concurrent('[session/table/task-blocked] a task that is blocked: BLOCKED with what to do; once it is not, resume goes on', async () => {
    const session = planned.copy([file('T-001')]);
    session.edit('tasks.yaml', /(id: T-002\n\s+)status: not-started/, '$1status: blocked');
    const stopped = await session.resume(perBatch);
    expect([stopped.code, stopped.json['phase'], worked(stopped, 3)], stopped.stderr).toEqual([3, 'BLOCKED', []]);
    expect(session.status['blocked']).toMatchObject({
      blocker: 'task_blocked',
      detail: expect.stringContaining('T-002'),
      way_out: expect.stringContaining('not-started'),
      from: 'IMPLEMENT_LOOP',
    });
    session.edit('tasks.yaml', 'status: blocked', 'status: not-started');
    expect(worked(await session.resume(), 3)[0]).toBe('code:reported');
  });

  test.concurrent.each([
    [
      '[session/reading/malformed-tasks] a word that is no status',
      /status: not-started/,
      'status: nearly',
      /tasks\.yaml:\d+: .*nearly.*expected/,
    ],
    ['[session/reading/malformed-tasks] no YAML', /^tasks:/m, 'tasks: [', /tasks\.yaml:\d+: /],
    ['[session/reading/cycle] a cycle', /(id: T-001[^]*?depends_on:) \[\]/, '$1 [T-003]', /T-001.*T-003|T-003.*T-001/],
    ['an unknown task', /(id: T-001[^]*?depends_on:) \[\]/, '$1 [T-099]', /T-099/],
  ])('%s: nobody works; file, line and expectation', async (_, from, to, message) => {
    const session = planned.copy();
    session.edit('tasks.yaml', from, to);
    const stopped = await session.resume(perBatch);
    expect(stopped.code, stopped.stderr).not.toBe(0);
    expect(stopped.stderr).toMatch(message);
    expect(stopped.stderr).not.toContain('this should not happen');
    expect(worked(stopped, 3)).toEqual([]);
  });
});

test.concurrent('[session/table/plan] [session/roles/planner] a plan with a cycle, or without checks, is refused as it is filed; the Planner mends it', async () => {
  const session = PlayedSession.create([
    ...designed,
    plan([task('T-001', { depends_on: ['T-002'] }), task('T-002', { depends_on: ['T-001'] })]),
    plan([task('T-001', { acceptance_checks: [] })]),
    plan(),
  ]);
  const asked = await session.start({ 'UD-APPROVE-DESIGN': 'approved' });
  expect([asked.json['phase'], worked(asked, 2)]).toEqual([
    'REVIEW_STRATEGY',
    ['plan:unparseable', 'plan:unparseable', 'plan:reported'],
  ]);
  expect(session.printed(3)).toMatch(/T-001.*T-002/);
  expect(session.printed(4)).toContain('acceptance_checks');
  session.repository.remove();
});
