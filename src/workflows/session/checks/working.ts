/** The checks around tasks: what comes next, and what the engine alone may put on record. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { unreadable } from '../../../documents/finding.ts';
import type { WorkItem } from '../../../engine/snapshot.ts';
import type { CheckContext, CheckResult, Write } from '../../workflow.ts';
import { findingsProblem, tasksOf } from '../documents.ts';
import { tasksPath } from '../files/paths.ts';
import { setTaskStatus, type SessionTask, type TaskStatus } from '../files/tasks-file.ts';
import { everythingTouched, freshTask, retriesOf, spentOn } from '../run-data.ts';

/** Ready tasks come in the order of the file, one at a time; what is done stays done. */
export function schedule(context: CheckContext): CheckResult {
  const { run, snapshot } = context;
  const read = attempt(() => tasksOf(context));
  if (read instanceof DocumentError)
    return { signal: { name: 'invalid', problem: findingsProblem([unreadable(read)], run) } };
  const stuck = read.tasks.filter(({ status }) => status === 'blocked');
  if (stuck.length > 0) {
    const message = `${tasksPath(run)} has tasks that are blocked: ${stuck.map(({ id }) => id).join(', ')}`;
    const fix = `remove what blocks them, set their status to not-started, then: pawl session resume ${run}`;
    return { signal: { name: 'stuck', problem: { code: 'task_blocked', message, fix } } };
  }
  const isSingle = snapshot.flags['mode'] === 'single_final';
  const open = read.tasks.filter(({ status }) => status !== 'completed' && !(isSingle && status === 'implemented'));
  if (open.length === 0) return { signal: { name: 'none_left' } };
  return {
    signal: { name: 'work', items: itemsOf(open, snapshot), data: freshTask },
    notes: [`${open.length} tasks to do`],
  };
}

/** Attempts that were made at a task count, whoever made them and however often it is scheduled. */
function itemsOf(tasks: readonly SessionTask[], snapshot: CheckContext['snapshot']): readonly WorkItem[] {
  const open = new Set(tasks.map(({ id }) => id));
  return tasks.map(({ id, depends_on: after }) => {
    const spent = spentOn(retriesOf(snapshot, id));
    return { id, after: after.filter((each) => open.has(each)), ...(spent && { spent }) };
  });
}

export function beginTask(context: CheckContext): CheckResult {
  const id = itemId(context);
  const { status } = tasksOf(context).tasks.find((task) => task.id === id) ?? {};
  // Nobody knows any more what a task touched that is implemented already, so every gate looks at it.
  if (status === 'implemented') return { signal: { name: 'begun', data: { ...freshTask, ...everythingTouched } } };
  return { signal: { name: 'begun', data: freshTask }, writes: statusWrites(context, [id], 'in-progress') };
}

/** The engine alone says that a task is completed: every gate has passed. */
export function acceptTask(context: CheckContext): CheckResult {
  const id = itemId(context);
  return {
    signal: { name: 'accepted', data: freshTask },
    writes: statusWrites(context, [id], 'completed'),
    notes: [`${id} is completed`],
  };
}

/** What somebody added to the plan meanwhile is not done because the rest is. */
export function acceptAll(context: CheckContext): CheckResult {
  const implemented = tasksOf(context).tasks.filter(({ status }) => status === 'implemented');
  const ids = implemented.map(({ id }) => id);
  return { signal: { name: 'accepted', data: freshTask }, writes: statusWrites(context, ids, 'completed') };
}

function statusWrites({ files, run }: CheckContext, ids: readonly string[], status: TaskStatus): readonly Write[] {
  const path = tasksPath(run);
  const before = files.read(path) ?? '';
  const content = ids.length === 0 ? before : setTaskStatus(before, ids, status, path);
  return content === before ? [] : [{ path, content }];
}

function itemId({ item }: CheckContext): string {
  if (!item) throw new Error('there is no task to look at');
  return item.id;
}
