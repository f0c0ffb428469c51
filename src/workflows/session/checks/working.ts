/** The checks around tasks: the plan is sound, what comes next, and what the engine alone may put on record. */

import { DocumentError } from '../../../documents/document-error.ts';
import type { WorkItem } from '../../../engine/snapshot.ts';
import type { CheckContext, CheckResult, Write } from '../../workflow.ts';
import { readConfig } from '../config.ts';
import { tasksOf, tasksProblems } from '../documents.ts';
import { tasksPath } from '../files/paths.ts';
import { setTaskStatus, type SessionTask, type TaskStatus } from '../files/tasks-file.ts';
import { spentOn } from '../run-data.ts';
import { documentsProblem } from '../stops.ts';

export function checkPlan(context: CheckContext): CheckResult {
  const { allowShell } = readConfig(context.files).config.session;
  const problems = tasksProblems(context, { lean: false, allowShell });
  return problems.length === 0
    ? { signal: { name: 'valid' } }
    : { signal: { name: 'invalid', problem: documentsProblem(problems, context.run) }, notes: problems };
}

/** Ready tasks come in the order of the file, one at a time; what is done stays done. */
export function schedule(context: CheckContext): CheckResult {
  const { run, snapshot } = context;
  const tasks = readable(context);
  if ('problem' in tasks) return { signal: { name: 'invalid', problem: documentsProblem([tasks.problem], run) } };
  const stuck = tasks.filter(({ status }) => status === 'blocked');
  if (stuck.length > 0) {
    const message = `${tasksPath(run)} has tasks that are blocked: ${stuck.map(({ id }) => id).join(', ')}`;
    const fix = `remove what blocks them, set their status to not-started, then: pawl session resume ${run}`;
    return { signal: { name: 'stuck', problem: { code: 'task_blocked', message, fix } } };
  }
  const over: readonly TaskStatus[] =
    snapshot.flags['course'] === 'single_final' ? ['implemented', 'completed'] : ['completed'];
  const open = tasks.filter(({ status }) => !over.includes(status));
  if (open.length === 0) return { signal: { name: 'none_left' } };
  return {
    signal: { name: 'work', items: itemsOf(open, snapshot), data: fresh },
    notes: [`${open.length} tasks to do`],
  };
}

/** Attempts that were made at a task count, whoever made them and however often it is scheduled. */
function itemsOf(tasks: readonly SessionTask[], snapshot: CheckContext['snapshot']): readonly WorkItem[] {
  const open = new Set(tasks.map(({ id }) => id));
  return tasks.map(({ id, depends_on: after }) => {
    const spent = spentOn(snapshot, id);
    return { id, after: after.filter((each) => open.has(each)), ...(spent && { spent }) };
  });
}

function readable(context: CheckContext): readonly SessionTask[] | { readonly problem: string } {
  try {
    return tasksOf(context).tasks;
  } catch (error) {
    if (error instanceof DocumentError) return { problem: error.message };
    throw error;
  }
}

/** A task begins without anything that was said about the one before. */
const fresh = { guidance: null, handedOver: null, attempts: [], touched: null };

export function beginTask(context: CheckContext): CheckResult {
  const id = itemId(context);
  const { status } = tasksOf(context).tasks.find((task) => task.id === id) ?? {};
  if (status === 'implemented') return { signal: { name: 'begun', data: implementedBefore } };
  return { signal: { name: 'begun', data: fresh }, writes: statusWrites(context, [id], 'in-progress') };
}

/** Nobody knows any more what it touched, so every gate looks at it. */
const implementedBefore = { ...fresh, touched: { behaviour: true, risky: true } };

/** The engine alone says that a task is completed: every gate has passed. */
export function acceptTask(context: CheckContext): CheckResult {
  const id = itemId(context);
  return {
    signal: { name: 'accepted', data: fresh },
    writes: statusWrites(context, [id], 'completed'),
    notes: [`${id} is completed`],
  };
}

/** What somebody added to the plan meanwhile is not done because the rest is. */
export function acceptAll(context: CheckContext): CheckResult {
  const implemented = tasksOf(context).tasks.filter(({ status }) => status === 'implemented');
  const ids = implemented.map(({ id }) => id);
  return { signal: { name: 'accepted', data: fresh }, writes: statusWrites(context, ids, 'completed') };
}

function statusWrites({ files, run }: CheckContext, ids: readonly string[], status: TaskStatus): readonly Write[] {
  const path = tasksPath(run);
  const before = files.read(path) ?? '';
  const content = ids.reduce((text, id) => setTaskStatus(text, id, status, path), before);
  return content === before ? [] : [{ path, content }];
}

function itemId({ item }: CheckContext): string {
  if (!item) throw new Error('there is no task to look at');
  return item.id;
}
