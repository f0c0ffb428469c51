/** `impl`: from an approved plan to reviewed code, as a person with a terminal sees it. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repositoryFor } from './observed.ts';
import { appears, folderOf, id, Prepared, stateOf, taskStatuses, worked } from './prepared.ts';
import {
  challenge,
  config,
  fix,
  implement,
  implemented,
  issue,
  listTasks,
  propose,
  review,
  specify,
  task,
  type Turn,
} from './scripts.ts';

/** Listed against their dependency, layers and ids: only the rules bring them into order. */
const twoSpecs: readonly Turn[] = [
  propose([
    { id: 'farewell', depends: ['greeting'] },
    { id: 'greeting', depends: [] },
  ]),
  specify('greeting', 'R1'),
  specify('farewell', 'R2'),
  listTasks([
    task('4.1', { layer: 'testing', spec_ref: 'greeting:R1' }),
    task('3.1', { layer: 'integration', spec_ref: 'greeting:R1' }),
    task('2.2', { layer: 'logic', spec_ref: 'greeting:R1', depends_on: ['2.3'] }),
    task('2.3', { layer: 'logic', spec_ref: 'greeting:R1' }),
    task('1.1', { layer: 'data', spec_ref: 'greeting:R1' }),
    task('1.2', { layer: 'data', spec_ref: 'farewell:R2' }),
  ]),
  challenge('approved'),
];
const greetingTasks = ['1.1', '2.3', '2.2', '3.1', '4.1'];

const blocking: Turn = {
  ...implement(['1.1']),
  call: [
    { tool: 'update_task', args: { task_id: '1.1', status: 'completed' } },
    { tool: 'update_task', args: { task_id: '1.2', status: 'blocked', note: 'the schema is missing' } },
  ],
};

const expecting = (turn: Turn, ...parts: readonly string[]): Turn => ({ ...turn, expect_prompt: parts });
const inOrder = (tasks: readonly string[]): string => `in this order: ${tasks.join(', ')}.`;

let approved: Prepared;
let ordered: Prepared;

beforeAll(async () => {
  [approved, ordered] = await Promise.all([Prepared.make(), Prepared.make({ turns: twoSpecs })]);
});

afterAll(() => {
  approved.remove();
  ordered.remove();
});

test.concurrent('[change/table/impl-challenged] [change/review/writes-review-md] challenged: implements, checks, reviews; APPROVED is complete', async () => {
  const change = approved.copy(implemented);
  const { code, json } = await change.change('impl', id);
  expect({ code, ...json }).toMatchObject({
    code: 0,
    action: 'implemented',
    phase: 'complete',
    verdict: 'APPROVED',
    outcome: 'done',
    next: `pawl change archive ${id}`,
  });
  expect(worked(json)).toEqual(['implement:reported', 'review:approved']);
  expect(change.repository.read('src/1.2.mjs')).toContain("'1.2'");
  expect(change.repository.read(`${folderOf()}/REVIEW.md`)).toMatch(
    /^# Code Review \(Iteration 1\)[^]*## Test Results\n\n- test: passed\n[^]*## Verdict\n\nAPPROVED\n/,
  );
  expect(stateOf(change)).toMatchObject({ phase: 'complete', verdict: 'APPROVED', iteration: 1 });
});

test.concurrent('[change/implement/spec-groups] [change/implement/layer-order] one dispatch per spec in dependency order, by layer and depends_on inside', async () => {
  const change = ordered.copy([
    expecting(implement(greetingTasks), inOrder(greetingTasks)),
    expecting(implement(['1.2']), inOrder(['1.2'])),
    review('APPROVED'),
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json), json['diagnostics']?.[0]?.message).toEqual([
    'implement:reported',
    'implement:reported',
    'review:approved',
  ]);
  expect(code).toBe(0);
});

test.concurrent('[change/implement/spec-groups] sequential_implementation = false: one dispatch for all', async () => {
  const all = ['1.1', '1.2', '2.3', '2.2', '3.1', '4.1'];
  const change = ordered.copy([expecting(implement(all), inOrder(all)), review('APPROVED')]);
  change.repository.write(
    'agentd/config.toml',
    config.replace('[workflow]', '[workflow]\nsequential_implementation = false'),
  );
  const { code, json } = await change.change('impl', id);
  expect(worked(json), json['diagnostics']?.[0]?.message).toEqual(['implement:reported', 'review:approved']);
  expect(code).toBe(0);
});

test.concurrent('[change/implement/tasks-subset] --tasks: only those, no review while others are pending; then the rest', async () => {
  const change = ordered.copy([
    expecting(implement(['1.1']), inOrder(['1.1'])),
    implement(['1.2']),
    implement(greetingTasks.slice(1)),
    review('APPROVED'),
  ]);
  const some = await change.change('impl', id, '--tasks', '1.2, 1.1');
  expect({ code: some.code, ...some.json }).toMatchObject({
    code: 0,
    action: 'tasks_done',
    phase: 'implementing',
    verdict: 'APPROVED',
    next: `pawl change impl ${id}`,
    diagnostics: [],
  });
  expect(worked(some.json)).toEqual(['implement:reported', 'implement:reported']);
  expect(change.repository.exists(`${folderOf()}/REVIEW.md`)).toBe(false);

  const again = await change.change('impl', id, '--tasks', '1.1');
  expect([again.code, again.json['action'], worked(again.json).length]).toEqual([0, 'tasks_done', 2]);

  const rest = await change.change('impl', id);
  expect([rest.code, rest.json['phase']]).toEqual([0, 'complete']);
  expect(worked(rest.json).slice(2)).toEqual(['implement:reported', 'review:approved']);
});

test.concurrent('[change/implement/tasks-subset] the last open tasks by --tasks: reviewed as usual', async () => {
  const change = approved.copy([implement(['1.1']), implement(['1.2']), review('APPROVED')]);
  expect((await change.change('impl', id, '--tasks', '1.1')).code).toBe(0);
  const { code, json } = await change.change('impl', id, '--tasks', '1.2');
  expect([code, json['phase'], worked(json).at(-1)]).toEqual([0, 'complete', 'review:approved']);
});

test.concurrent('an unknown task is the caller’s mistake: exit 2, with the known ones, and nothing begins', async () => {
  const change = approved.copy();
  const { code, stdout, stderr } = await change.change('impl', id, '--tasks', '1.1,1.20');
  expect(code).toBe(2);
  expect(`${stdout}${stderr}`).toMatch(/TaskNotFound[^]*no task 1\.20[^]*1\.1, 1\.2/);
  expect(stateOf(change)['phase']).toBe('challenged');
  expect((await change.change('impl', id, '--review', '--tasks', '1.1')).code).toBe(2);
});

test.concurrent('[change/implement/continues-with-the-next-task] [change/implement/task-status-updated] killed in the second group: goes on with it, the first is not done again', async () => {
  const change = ordered.copy([
    implement(greetingTasks),
    { ...implement(['1.2']), fault: 'hang' },
    implement(['1.2']),
    review('APPROVED'),
  ]);
  const { repository } = change;
  const args = ['change', 'impl', id, '--agent', 'scripted', '--script', change.scriptFile, '--json'];
  const killed = await repository.pawl(args, {
    onSpawn: (child) =>
      void appears(join(repository.root, 'src/1.2.mjs')).then(() => {
        child.kill('SIGKILL');
      }),
  });
  expect(killed.signal).toBe('SIGKILL');
  expect(taskStatuses(change)).toMatchObject({ '1.1': 'completed', '4.1': 'completed', '1.2': 'pending' });

  change.script([implement(greetingTasks), expecting(implement(['1.2']), inOrder(['1.2'])), review('APPROVED')]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:reported', 'implement:reported', 'review:approved']);
  expect([code, json['phase'], json['usage'].reruns]).toEqual([0, 'complete', 1]);
});

test.concurrent('[change/implement/blocked-needs-a-person] trial 2 B9: a blocked task: exit 3, the note is shown and in tasks.md; unblocked by hand it goes on', async () => {
  const change = approved.copy([blocking, expecting(implement(['1.2']), inOrder(['1.2'])), review('APPROVED')]);
  const stopped = await change.change('impl', id);
  expect({ code: stopped.code, ...stopped.json }).toMatchObject({
    code: 3,
    action: 'blocked',
    phase: 'implementing',
    outcome: 'needs_person',
  });
  expect(stopped.json['diagnostics'][0].message).toMatch(/1\.2 Do 1\.2 \(the schema is missing\)/);
  expect(taskStatuses(change)).toEqual({ '1.1': 'completed', '1.2': 'blocked' });

  const again = await change.change('impl', id);
  expect([again.code, again.json['action'], worked(again.json).length]).toEqual([3, 'blocked', 1]);
  expect(again.json['diagnostics'][0].message).toMatch(/1\.2 Do 1\.2 \(the schema is missing\)/);

  const path = `${folderOf()}/tasks.md`;
  expect(change.repository.read(path)).toContain('\nstatus: blocked  # blocked: the schema is missing\n');
  change.repository.write(path, change.repository.read(path).replace('status: blocked', 'status: pending'));
  const finished = await change.change('impl', id);
  expect([finished.code, finished.json['phase']]).toEqual([0, 'complete']);
  expect(change.repository.read(path)).not.toContain('# blocked');
});

const three = [task('1.1'), task('1.2'), task('1.3', { depends_on: ['1.2'] })];
const threeTasks = [propose(), specify(), listTasks(three), challenge('approved')];
/** All three belong to one group; the last one is not reported. */
const silentOn13 = (statuses: Readonly<Record<string, string>>): Turn => ({
  ...implement(['1.1', '1.2']),
  call: Object.entries(statuses).map(([task_id, status]) => ({
    tool: 'update_task',
    args: { task_id, status, ...(status === 'blocked' && { note: 'no database' }) },
  })),
});

test.concurrent('[D15] [change/implement/reported-tasks-are-kept] one completed, one blocked, one unreported: exit 3 after one dispatch, the statuses are kept', async (context) => {
  const change = repositoryFor(context, [...threeTasks, silentOn13({ '1.1': 'completed', '1.2': 'blocked' })]);
  expect((await change.change('plan', id, 'Greet people by name')).code).toBe(0);
  const { code, json } = await change.change('impl', id);
  expect([code, json['action'], worked(json)]).toEqual([3, 'blocked', ['implement:blocked']]);
  expect(json['diagnostics'][0].message).toMatch(/^blocked: 1\.2 Do 1\.2 \(no database\)\n.*tasks\.md$/);
  expect(taskStatuses(change)).toEqual({ '1.1': 'completed', '1.2': 'blocked', '1.3': 'pending' });
});

test.concurrent('[D15] a task nobody reported is dispatched again, alone', async (context) => {
  const rest = expecting(implement(['1.3']), inOrder(['1.3']));
  const reported = silentOn13({ '1.1': 'completed', '1.2': 'completed' });
  const change = repositoryFor(context, [...threeTasks, reported, rest, review('APPROVED')]);
  expect((await change.change('plan', id, 'Greet people by name')).code).toBe(0);
  const { code, json } = await change.change('impl', id);
  expect([code, worked(json)]).toEqual([0, ['implement:partly', 'implement:reported', 'review:approved']]);
});

test.concurrent('what blocked an earlier command is not said of a later one', async () => {
  const change = approved.copy([blocking, implement(['1.2']), review('MAJOR_ISSUES')]);
  expect((await change.change('impl', id)).json['action']).toBe('blocked');
  const path = `${folderOf()}/tasks.md`;
  change.repository.write(path, change.repository.read(path).replace('status: blocked', 'status: pending'));
  const { code, json } = await change.change('impl', id);
  expect([code, json['action'], json['verdict']]).toEqual([3, 'needs_fix', 'MAJOR_ISSUES']);
});

test.concurrent('[change/implement/every-task-reported] an implementer that reports nothing has done nothing: retried, then failed', async () => {
  const silent = { ...implement(), call: [] };
  const change = approved.copy([silent, silent, implement(), review('APPROVED')]);
  change.repository.write('agentd/config.toml', config.replace('[workflow]', '[workflow]\nscript_retries = 1'));
  const failed = await change.change('impl', id);
  expect({ code: failed.code, ...failed.json }).toMatchObject({
    code: 1,
    action: 'failed',
    phase: 'implementing',
    next: `pawl retry ${id}`,
  });
  expect(worked(failed.json)).toEqual(['implement:unparseable', 'implement:unparseable']);
  expect(failed.json['diagnostics'][0].message).toContain('neither completed nor blocked: 1.1, 1.2');
  expect(taskStatuses(change)).toEqual({ '1.1': 'pending', '1.2': 'pending' });

  const retried = await change.pawl('retry', id);
  expect([retried.code, retried.json['phase']]).toEqual([0, 'complete']);
});

test.concurrent('[change/implement/artifacts-are-there] a task reported as done without its file: not done', async () => {
  const empty = { ...implement(), write: { 'src/1.1.mjs': '' } };
  const change = approved.copy([empty, implement(), review('APPROVED')]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:unparseable', 'implement:reported', 'review:approved']);
  expect(json['dispatches'].at(-3).problem).toContain('task 1.2 is completed, but src/1.2.mjs does not exist');
  expect(code).toBe(0);
});

test.concurrent('[change/review/needs-fix-loop] [change/iteration/anew-within-impl] NEEDS_FIX: fixed with the review at hand, checked and reviewed again', async () => {
  const change = approved.copy([
    implement(),
    review('NEEDS_FIX'),
    expecting(fix(), `${folderOf()}/REVIEW.md`),
    expecting(review('APPROVED'), `The review before this one is \`${folderOf()}/REVIEW.md\``),
  ]);
  const { code, json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:reported', 'review:needs_fix', 'fix:reported', 'review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
  expect(stateOf(change)['iteration']).toBe(2);
  expect(change.repository.read(`${folderOf()}/REVIEW.md`)).toContain('# Code Review (Iteration 2)');
  expect(change.repository.read('src/1.1.mjs')).toContain('fixed');
});

test.concurrent('[change/review/budget-spent] [change/implement/fix-first] implementation_iterations counts fixes; impl again starts with a fix and has a fresh budget', async () => {
  const fixes = (count: number): Turn[] =>
    Array.from({ length: count }, (_, n) => [fix(`export const made = ${n};\n`), review('NEEDS_FIX')]).flat();
  const change = approved.copy([implement(), review('NEEDS_FIX'), ...fixes(9)]);
  const first = await change.change('impl', id);
  expect({ code: first.code, ...first.json }).toMatchObject({
    code: 3,
    action: 'needs_fix',
    phase: 'implementing',
    verdict: 'NEEDS_FIX',
    next: `pawl change impl ${id}`,
  });
  const round = ['fix:reported', 'review:needs_fix'];
  expect(worked(first.json)).toEqual(['implement:reported', 'review:needs_fix', ...round, ...round]);

  const second = await change.change('impl', id);
  expect(second.code).toBe(3);
  expect(worked(second.json).slice(6)).toEqual([...round, ...round]);
  expect(stateOf(change)['iteration']).toBe(5);
});

test.concurrent('[change/review/budget-spent] no budget at all: no fix, also not when impl runs again', async () => {
  const change = approved.copy([implement(), review('NEEDS_FIX'), fix()]);
  change.repository.write(
    'agentd/config.toml',
    config.replace('[workflow]', '[workflow]\nimplementation_iterations = 0'),
  );
  for (const count of [2, 2]) {
    const { code, json } = await change.change('impl', id);
    expect([code, json['action'], worked(json).length]).toEqual([3, 'needs_fix', count]);
  }
});

test.concurrent('[change/review/budget-spent] [change/review/verdicts] [change/implement/fix-first] MAJOR_ISSUES stops the loop at once; impl again starts with a fix', async () => {
  const change = approved.copy([implement(), review('MAJOR_ISSUES'), fix(), review('APPROVED')]);
  const stopped = await change.change('impl', id);
  expect([stopped.code, stopped.json['phase'], stopped.json['verdict']]).toEqual([3, 'implementing', 'MAJOR_ISSUES']);
  expect(worked(stopped.json)).toEqual(['implement:reported', 'review:major_issues']);
  const { code, json } = await change.change('impl', id);
  expect(worked(json).slice(2)).toEqual(['fix:reported', 'review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
});

test.concurrent('[change/review/needs-changes-is-needs-fix] NEEDS_CHANGES leads to a fix', async () => {
  const change = approved.copy([implement(), review('NEEDS_CHANGES', [issue]), fix(), review('APPROVED')]);
  const { json } = await change.change('impl', id);
  expect(worked(json)).toEqual(['implement:reported', 'review:needs_fix', 'fix:reported', 'review:approved']);
});

test.concurrent('[change/table/impl-implementing] [change/implement/unfinished-first] implementing with an open task: that first, then the review', async () => {
  const change = approved.copy([
    implement(),
    review('MAJOR_ISSUES'),
    expecting(implement(['1.2']), inOrder(['1.2'])),
    review('APPROVED'),
  ]);
  expect((await change.change('impl', id)).code).toBe(3);
  const path = `${folderOf()}/tasks.md`;
  const text = change.repository.read(path);
  const at = text.lastIndexOf('status: completed');
  change.repository.write(path, `${text.slice(0, at)}status: pending${text.slice(at + 'status: completed'.length)}`);
  const { code, json } = await change.change('impl', id);
  expect(worked(json).slice(2)).toEqual(['implement:reported', 'review:approved']);
  expect([code, json['phase']]).toEqual([0, 'complete']);
});

test.concurrent('a fix that finds a task blocked stops for a person instead of being reviewed', async () => {
  const unfixable = { ...fix(), call: [{ tool: 'update_task', args: { task_id: '1.2', status: 'blocked' } }] };
  const change = approved.copy([implement(), review('NEEDS_FIX'), unfixable, review('APPROVED')]);
  const { code, json } = await change.change('impl', id);
  expect([code, json['action'], json['phase']]).toEqual([3, 'blocked', 'implementing']);
  expect(worked(json)).toEqual(['implement:reported', 'review:needs_fix', 'fix:reported']);
});

test.concurrent('[change/implement/unmet-dependency-is-said] [change row 47] --tasks with a dependency that is neither done nor chosen says so', async () => {
  const change = approved.copy([implement(['1.2'])]);
  const { code, stderr } = await change.change('impl', id, '--tasks', '1.2');
  expect([code, stderr]).toEqual([0, expect.stringContaining('1.2 depends on 1.1, which is neither done nor chosen')]);
});
