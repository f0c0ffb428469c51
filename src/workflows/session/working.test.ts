import { describe, expect, test } from 'vitest';
import * as paths from './files/session-paths.ts';
import type { TaskStatus } from './files/tasks-file.ts';
import { after, checkOf, designFiles, plannedFiles, run, tasksFile, viewOf } from './session.fixture.ts';
import { transition } from '../../engine/transition.ts';
import { machine } from './transition-table.ts';
import { checks } from './checks.ts';

const three = (...statuses: readonly TaskStatus[]) =>
  tasksFile(
    { status: statuses[0] ?? 'not-started', depends_on: ['T-003'] },
    { id: 'T-002', status: statuses[1] ?? 'not-started' },
    { id: 'T-003', status: statuses[2] ?? 'not-started', depends_on: ['T-002'] },
  );

test('a sound plan leads to the strategy, which is pending on record [session/table/plan]', () => {
  const { signal } = checks.check_plan(checkOf({ files: plannedFiles }));
  expect(signal).toEqual({ name: 'valid', data: { askedCommands: ['cmd: npm test'] } });
  expect(after(viewOf({ state: 'check_plan' }), signal).snapshot.decisions).toMatchObject({
    'UD-REVIEW-STRATEGY': { status: 'pending', context: 'REVIEW_STRATEGY' },
  });
});

test.each([
  ['no done_when', { done_when: [] }, 'done_when'],
  ['no checks', { acceptance_checks: [] }, 'acceptance_checks'],
  ['a check that is none', { acceptance_checks: ['npm test'] }, 'cmd:'],
])('a plan with %s is not sound [session/table/plan]', (_, task, problem) => {
  const { signal, notes } = checks.check_plan(checkOf({ files: { ...designFiles, ...tasksFile(task) } }));
  expect(signal.name).toBe('invalid');
  expect(notes?.join()).toContain(problem);
});

test('a task that does not say what it depends on is not planned [session/table/plan]', () => {
  const path = paths.tasksPath(run);
  const files = { ...plannedFiles, [path]: (plannedFiles[path] ?? '').replace(/^.*depends_on.*\n/m, '') };
  expect(checks.check_plan(checkOf({ files })).notes?.join()).toContain('depends_on');
});

describe('the schedule', () => {
  test('has all open tasks in the order of the file, each behind what it depends on [session/schedule/order]', () => {
    expect(checks.schedule(checkOf({ files: three() })).signal).toMatchObject({
      name: 'work',
      items: [
        { id: 'T-001', after: ['T-003'] },
        { id: 'T-002', after: [] },
        { id: 'T-003', after: ['T-002'] },
      ],
    });
  });

  test('leaves out what is done, also as a dependency [session/schedule/done-stays-done]', () => {
    expect(checks.schedule(checkOf({ files: three('not-started', 'completed', 'completed') })).signal).toMatchObject({
      name: 'work',
      items: [{ id: 'T-001', after: [] }],
    });
  });

  test('gives no attempt back: those made at a task count, however often it is scheduled [session/budgets/repairs-persisted]', () => {
    const data = { 'retries:T-001': { FIX_REVIEW: 2, FIX_TESTS: 9 } };
    const { signal } = checks.schedule(checkOf({ files: three('not-started', 'completed', 'completed'), data }));
    expect(signal.items).toEqual([{ id: 'T-001', after: [], spent: { fix_review: 2, fix_tests: 9 } }]);
    const begun = transition(machine, { ...checkOf({}).snapshot, state: 'schedule' }, signal);
    expect(begun).toMatchObject({
      snapshot: { budgets: { fix_review: 1, fix_tests: 0, fix_security: 3, fix_build: 3 } },
    });
  });

  test.each<[string, TaskStatus, string]>([
    ['per_batch', 'implemented', 'work'],
    ['single_final', 'implemented', 'none_left'],
    ['per_batch', 'completed', 'none_left'],
    ['single_final', 'in-progress', 'work'],
  ])('%s, all %s: %s [session/strategy/single-final-all]', (mode, status, signal) => {
    expect(checks.schedule(checkOf({ files: three(status, status, status), flags: { mode } })).signal.name).toBe(
      signal,
    );
  });

  test('a task that is blocked blocks, with a way out [session/table/task-blocked]', () => {
    expect(checks.schedule(checkOf({ files: three('blocked') })).signal).toMatchObject({
      name: 'stuck',
      problem: {
        code: 'task_blocked',
        message: expect.stringContaining('T-001'),
        fix: expect.stringContaining(`pawl session resume ${run}`),
      },
    });
  });

  test('a plan that cannot be read blocks with its line [session/reading/malformed-tasks]', () => {
    const files = { [paths.tasksPath(run)]: 'project: {}\ntasks: 7\n' };
    const { signal } = checks.schedule(checkOf({ files }));
    expect(signal).toMatchObject({
      name: 'invalid',
      problem: { message: expect.stringContaining(`${paths.tasksPath(run)}:2`) },
    });
  });
});

describe('the engine alone sets', () => {
  const item = { id: 'T-001', after: [] };
  const statuses = (result: { readonly writes?: readonly object[] }): string => JSON.stringify(result.writes);

  test('in-progress when a task begins, and forgets what was said about the one before [session/roles/coder]', () => {
    const data = { attempts: [{ kind: 'x', tried: 'y' }], guidance: 'simplify scope', handedOver: 'It is the code.' };
    const result = checks.begin_task(checkOf({ files: plannedFiles, item, data }));
    expect(statuses(result)).toContain('status: in-progress');
    expect(result.signal).toMatchObject({
      name: 'begun',
      data: { attempts: [], touched: null, guidance: null, handedOver: null },
    });
  });

  test('nothing when it was implemented before; then every gate looks at it [session/schedule/done-stays-done]', () => {
    expect(checks.begin_task(checkOf({ files: tasksFile({ status: 'implemented' }), item }))).toMatchObject({
      signal: {
        name: 'begun',
        data: { attempts: [], guidance: null, handedOver: null, touched: { behaviour: true, risky: true } },
      },
    });
  });

  test('completed when all gates passed [session/strategy/promoted-by-engine] [session/files/completed-by-engine]', () => {
    const result = checks.accept_task(checkOf({ files: tasksFile({ status: 'implemented' }), item }));
    expect(statuses(result)).toContain('status: completed');
  });

  test('completed for all together after the combined pass [session/strategy/single-final-promoted]', () => {
    const result = checks.accept_all(checkOf({ files: three('implemented', 'implemented', 'completed') }));
    expect(statuses(result).match(/status: completed/g)).toHaveLength(3);
    expect(checks.accept_all(checkOf({ files: three('completed', 'completed', 'completed') })).writes).toEqual([]);
    expect(checks.accept_all(checkOf({ files: three('completed', 'not-started', 'blocked') })).writes).toEqual([]);
  });

  test('and a task that is not there is no task', () => {
    expect(() => checks.accept_task(checkOf({ files: plannedFiles }))).toThrow('no task');
  });
});
