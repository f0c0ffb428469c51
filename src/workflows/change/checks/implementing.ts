/** Checks of the implementing half: what is to be done next, and what the project's own tools say. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readCodeReview } from '../../../documents/review.ts';
import { findingText, isBlocking } from '../../../documents/finding.ts';
import type { Task } from '../../../documents/tasks.ts';
import { stopWith } from '../../define-workflow.ts';
import type { CheckContext, CheckResult, RunView } from '../../workflow.ts';
import { withWrites } from '../../staged-files.ts';
import { readConfig } from '../config.ts';
import { isPlanEdited, planDigest, planEdited } from '../documents.ts';
import { specOrder, taskGroups, tasksIn } from '../read-documents.ts';
import { reviewPath, tasksPath } from '../change-paths.ts';
import { blockedText, data, reviewedTree } from '../run-data.ts';
import { baseWrites } from '../spec-base.ts';
import { runChecks } from './local-checks.ts';

export const implementingChecks = {
  confirm_plan: confirmPlan,
  select_tasks: selectTasks,
  tally,
  run_checks: runChecks,
};

/** The approval is bound to what was approved: an edited plan is implemented only when a person accepts the edit. */
function confirmPlan(view: RunView): CheckResult {
  const accepts = data.acceptEdits.of(view.snapshot);
  // What a person accepts is the edit there is, not a later one.
  const used = accepts ? data.acceptEdits.set(false) : {};
  if (!isPlanEdited(view)) return { signal: { name: 'unchanged', data: used } };
  if (accepts) {
    const writes = baseWrites(view);
    const digest = planDigest(withWrites(view.files, writes), view.run);
    const approved = data.approvedPlan.set({ digest, by: 'person' });
    return { signal: { name: 'accepted', data: { ...approved, ...used } }, writes };
  }
  return stopWith('edited', planEdited);
}

async function selectTasks(context: CheckContext): Promise<CheckResult> {
  const { files, snapshot } = context;
  const work = attempt(() => ({ ...readWork(context), order: specOrder(context), ...readConfig(files).config.change }));
  if (work instanceof DocumentError) return stopWith('invalid', work.message);
  const { tasks, notes, order, sequentialImplementation } = work;
  const only = data.tasksOnly.of(snapshot);
  const selected = only === null ? tasks : tasks.filter(({ id }) => only.includes(id));
  const blocked = blockedResult(selected, context);
  if (blocked) return blocked;
  const groups = taskGroups(selected, order, sequentialImplementation);
  if (groups.length > 0) {
    const items = groups.map((group) => ({ id: group.id, after: [], data: { tasks: group.tasks } }));
    return { signal: { name: 'work', items }, notes: [...notes, ...unmetDependencies(selected, tasks)] };
  }
  if (!areCompleted(tasks)) return { signal: { name: 'subset_done' } };
  const { next, note } = await afterTasks(context);
  return { signal: { name: next }, notes: [...notes, ...note] };
}

/** Of tasks that a person chose: what they build on, and is neither done nor chosen. */
function unmetDependencies(selected: readonly Task[], tasks: readonly Task[]): string[] {
  const unmet = ({ dependsOn }: Task) =>
    dependsOn.filter((id) =>
      tasks.some((task) => task.id === id && task.status !== 'completed' && !selected.includes(task)),
    );
  return selected
    .filter((task) => task.status !== 'completed' && unmet(task).length > 0)
    .map((task) => `${task.id} depends on ${unmet(task).join(', ')}, which is neither done nor chosen with --tasks`);
}

function readWork(view: RunView) {
  const file = tasksPath(view.run);
  const list = tasksIn(view);
  if (!list) throw new DocumentError({ file, line: null }, 'there is no task list', 'tasks.md as written by plan');
  const { tasks, findings } = list;
  const blocking = findings.find(isBlocking);
  if (blocking)
    throw new DocumentError({ file, line: blocking.line }, blocking.message, blocking.fix.replace(/^use /, ''));
  if (tasks.length === 0) throw new DocumentError({ file, line: null }, 'there is no task in it', 'at least one task');
  return { tasks, notes: findings.map(findingText) };
}

/** All tasks are done: what the last review of this code says comes next, unless a person wants another one. */
async function afterTasks(context: CheckContext): Promise<{ next: string; note: readonly string[] }> {
  const { files, run, snapshot } = context;
  const path = reviewPath(run);
  const text = files.read(path);
  const review =
    data.codeReview.of(snapshot) ?? (text === undefined ? null : attempt(() => readCodeReview(text, path)));
  if (review instanceof DocumentError) return { next: 'to_review', note: [`${review.message}: reviewed again`] };
  if (review === null || data.freshReview.of(snapshot)) return { next: 'to_review', note: [] };
  if (review.verdict !== 'APPROVED') return { next: 'to_fix', note: [] };
  return { next: (await context.treeDigest()) === reviewedTree(context) ? 'approved' : 'to_review', note: [] };
}

function tally(view: RunView): CheckResult {
  const { tasks } = readWork(view);
  return blockedResult(tasks, view) ?? { signal: { name: areCompleted(tasks) ? 'all_done' : 'subset_done' } };
}

function areCompleted(tasks: readonly Task[]): boolean {
  return tasks.every(({ status }) => status === 'completed');
}

function blockedResult(tasks: readonly Task[], { snapshot }: RunView): CheckResult | undefined {
  const blocked = tasks.filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return undefined;
  return stopWith('blocked', blockedText(blocked, data.blockedBy.of(snapshot)));
}
