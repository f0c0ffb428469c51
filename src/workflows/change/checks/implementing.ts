/** Checks of the implementing half: what is to be done next, and what the project's own tools say. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { readCodeReview } from '../../../documents/review.ts';
import { findingText, isBlocking } from '../../../documents/finding.ts';
import type { Task } from '../../../documents/tasks.ts';
import type { DataPatch } from '../../data-slots.ts';
import { stopWith } from '../../define-workflow.ts';
import { runProjectChecks } from '../../project-checks.ts';
import type { CheckContext, CheckResult, RunView } from '../../workflow.ts';
import { withWrites } from '../../staged-files.ts';
import { readConfig } from '../config.ts';
import { isPlanEdited, planApproval, planEdited, uncoveredEdit } from '../documents.ts';
import { specOrder, taskGroups, tasksIn } from '../read-documents.ts';
import { reviewPath, tasksPath } from '../change-paths.ts';
import { blockedText, data, reviewedTree } from '../run-data.ts';
import { baseWrites } from '../spec-base.ts';
import { validatePlan } from '../validate.ts';

export const implementingChecks = {
  confirm_plan: confirmPlan,
  select_tasks: selectTasks,
  tally,
  run_checks: runChecks,
};

/** The approval is bound to what was approved: an edited plan is implemented only when it is valid and a person accepts the edit. */
function confirmPlan(view: RunView): CheckResult {
  const accepts = data.acceptEdits.of(view.snapshot);
  // What a person accepts is the edit there is, not a later one.
  const used = accepts ? data.acceptEdits.set(false) : {};
  if (!isPlanEdited(view)) {
    const note = uncoveredEdit(view);
    return { signal: { name: 'unchanged', data: used }, ...(note !== null && { notes: [note] }) };
  }
  return accepts ? acceptPlan(view, used) : stopWith('edited', planEdited);
}

/** Nobody has looked at the edited plan but the person, so they are told what validation says of it. */
function acceptPlan(view: RunView, used: DataPatch): CheckResult {
  const { findings } = validatePlan(view.files, view.run);
  const notes = findings.map(findingText);
  const blocking = findings.filter(isBlocking).map(findingText);
  if (blocking.length > 0) {
    const message = `the edited plan is not valid, so it is not accepted:\n${blocking.join('\n')}`;
    return { signal: { name: 'edited', data: used, problem: { code: 'invalid', message } }, notes };
  }
  const writes = baseWrites(view);
  const approved = planApproval({ files: withWrites(view.files, writes), run: view.run }, 'person');
  return { signal: { name: 'accepted', data: { ...approved, ...used } }, writes, notes };
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

/** Their output goes to files the reviewer is pointed to. */
async function runChecks(context: CheckContext): Promise<CheckResult> {
  const { results, notes } = await runProjectChecks(context, readConfig(context.files).config.checks);
  const changed = data.changedFiles.set(await context.changedFiles());
  return {
    signal: { name: 'ran', data: { ...data.checks.set({ results }), ...changed } },
    notes: notes.length > 0 ? notes : ['no checks were found; set them under [checks] in pawl.toml'],
  };
}
