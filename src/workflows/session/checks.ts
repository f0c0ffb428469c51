/** The checks from a goal to accepted tasks, and that of what a person may have changed meanwhile. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText, unreadable, type Finding } from '../../documents/finding.ts';
import type { WorkItem } from '../../engine/snapshot.ts';
import type { DataPatch } from '../data-slots.ts';
import { counted } from '../../documents/review-text.ts';
import type { CheckContext, CheckResult, RunView, Workflow, Write } from '../workflow.ts';
import { readApproval } from './answers.ts';
import { askedCommands } from './commands.ts';
import { problemOf } from './content-checks.ts';
import { designFindings, findingsIn, statusWrites, tasksOf, type SessionFiles } from './documents.ts';
import { controlFolder, historyPath, ignorePath, resumeCommand, statusPath, tasksPath } from './files/session-paths.ts';
import { readStatus, type Status } from './files/status-file.ts';
import { setTaskStatus, withCompleted, type SessionTask } from './files/tasks-file.ts';
import { appendHistory, askedDesign, designDigest } from './gates.ts';
import { phaseOf } from './transition-table.ts';
import { data, everythingTouched, freshTask, retriesOf, spentOn } from './run-data.ts';
import { designDecision, repairKinds, strategyDecision, type Phase } from './session-words.ts';

export const gitTimeoutMs = 30_000;

export const instructionPaths = ['.github/copilot-instructions.md', 'AGENTS.md'];

export const checks = {
  /** The session's folder is nobody's to commit; project instructions are looked for once and again when unknown. */
  async open_session(context) {
    const head = await context.exec(['git', 'rev-parse', '--abbrev-ref', 'HEAD'], { timeoutMs: gitTimeoutMs });
    const branch = head.exitCode === 0 ? head.output.trim() : 'HEAD';
    return {
      signal: { name: 'opened', data: { ...instructionsIn(context), ...data.branch.set(branch) } },
      writes: context.files.read(ignorePath) === undefined ? [{ path: ignorePath, content: '*\n' }] : [],
      notes: [`documents are kept in ${controlFolder}/, which git ignores`],
    };
  },

  check_intake: (context) => valid(context, findingsIn(context, ['spec', 'acceptance'], false)),
  check_lean: (context) => valid(context, findingsIn(context, ['spec', 'acceptance', 'tasks'], true)),
  check_plan: (context) => valid(context, findingsIn(context, ['tasks'], false), askedCommands(context)),
  check_design: (context) => valid(context, designFindings(context), askedDesign(context)),

  /** On record before anybody is set to work: whoever resumes knows that it is due, and by when it was sent off. */
  queue_correction(context) {
    const { snapshot, at } = context;
    const correction = data.correction.of(snapshot);
    const queued = data.correction.set(correction && { ...correction, dispatchedAt: at });
    return { signal: { name: 'queued', data: queued }, writes: historyWrites(context) };
  },

  /** Whether the documents changed and are sound; the person sees what was found, and decides. */
  verify_correction(context) {
    const isSame = data.correction.of(context.snapshot)?.from === designDigest(context);
    const notes = [
      ...(isSame ? ['the correction changed nothing in the design'] : []),
      ...designFindings(context).map(findingText),
    ];
    const found = { ...askedDesign(context), ...data.correctionProblems.set(notes) };
    const signal = { name: notes.length === 0 ? 'completed' : 'incomplete', data: found };
    return { signal, writes: historyWrites(context), notes };
  },

  /** Ready tasks come in the order of the file, one at a time; what is done stays done. */
  schedule(context) {
    const { run, snapshot } = context;
    const read = attempt(() => tasksOf(context));
    if (read instanceof DocumentError) return valid(context, [unreadable(read)]);
    const status = statusOnDisk(context);
    const tasks = status ? withCompleted(read.tasks, status) : read.tasks;
    const stuck = tasks.filter(({ status }) => status === 'blocked');
    if (stuck.length > 0) {
      const message = `${tasksPath(run)} has tasks that are blocked: ${stuck.map(({ id }) => id).join(', ')}`;
      const fix = `remove what blocks them, set their status to not-started, then run ${resumeCommand(run)}`;
      return { signal: { name: 'stuck', problem: { code: 'task_blocked', message, fix } } };
    }
    const isSingle = snapshot.flags['mode'] === 'single_final';
    const open = tasks.filter((task) => task.status !== 'completed' && !(isSingle && task.status === 'implemented'));
    const writes = statusesElsewhere(context, read.tasks, tasks);
    if (open.length === 0) return { signal: { name: 'none_left' }, writes };
    const items = itemsOf(open, snapshot);
    // Edits from before the first task are judged with it.
    const edited = data.editedBefore.set(snapshot.flags['pending_reviews'] === 'all');
    const notes = [`${counted(open.length, 'task')} to do`];
    return { signal: { name: 'work', items, data: { ...freshTask, ...edited } }, writes, notes };
  },

  begin_task(context) {
    const id = itemId(context);
    const { status } = tasksOf(context).tasks.find((task) => task.id === id) ?? {};
    const isImplemented = status === 'implemented';
    // Nobody knows what a task touched that is implemented already, nor what somebody edited: every gate looks at it.
    const { snapshot } = context;
    const isEdited = snapshot.flags['pending_reviews'] === 'all' || data.editedBefore.of(snapshot);
    const touched = { ...freshTask, ...((isImplemented || isEdited) && everythingTouched) };
    const signal = {
      name: 'begun',
      data: { ...touched, ...data.editedBefore.set(false), ...instructionsIn(context) },
    };
    return isImplemented ? { signal } : { signal, writes: statusWrites(context, [id], 'in-progress') };
  },

  /** The engine alone says that a task is completed: every gate has passed. */
  accept_task(context) {
    const id = itemId(context);
    return { ...accepted(context, [id]), notes: [`${id} is completed`] };
  },

  /** What somebody added to the plan meanwhile is not done because the rest is. */
  accept_all(context) {
    const implemented = tasksOf(context).tasks.flatMap(({ id, status }) => (status === 'implemented' ? [id] : []));
    return accepted(context, implemented);
  },

  /** Before work goes on after a person was waited for: is what they approved still what is there? */
  async recheck(context) {
    const { snapshot, run } = context;
    const { mode } = snapshot.flags;
    const phase = phaseOf(snapshot) ?? '';
    const isBuilding = afterStrategy.includes(phase);
    if (mode !== 'lean' && (isBuilding || afterApproval.includes(phase)) && !isApproved(context)) {
      const never = data.approvedDesign.of(snapshot) === null;
      const lost = designFindings(context).filter(({ code }) => code === 'missing');
      const notes = [
        never ? 'the design was never approved' : 'the design is not what was approved last',
        ...lost.map(({ path }) => `${path} is missing; pawl restore ${run} brings it back`),
      ];
      return { signal: { name: 'design_changed', data: askedDesign(context) }, writes: historyWrites(context), notes };
    }
    const isChosen = mode === 'per_batch' || mode === 'single_final';
    if (isChosen && isBuilding && strategyOnDisk(context) === null)
      return {
        signal: { name: 'no_strategy', data: askedCommands(context) },
        notes: [`${statusPath(run)} has no review strategy any more`],
      };
    // What an attempt that came to nothing left behind was judged by nobody.
    const last = context.history.findLast(({ problem }) => problem === null);
    const edited = isBuilding && last !== undefined && last.tree !== (await context.treeDigest());
    const found = {
      ...(snapshot.returnTo === 'approve_design' && askedDesign(context)),
      ...instructionsIn(context),
    };
    if (!edited) return { signal: { name: 'intact', data: found }, notes: [] };
    const notes = ['files were changed since they were last judged; they are judged again'];
    return { signal: { name: 'code_changed', data: { ...found, ...everythingTouched } }, notes };
  },
} satisfies Workflow['checks'];

/** Changes that were asked for elsewhere go into the history before the gate is asked again in their place. */
function historyWrites({ files, run, snapshot }: RunView): readonly Write[] {
  const { answer, resolvedAt } = snapshot.decisions[designDecision.id] ?? {};
  const path = historyPath(run);
  const before = files.read(path);
  if (!answer || !('changes' in readApproval(answer)) || before?.includes(JSON.stringify(answer))) return [];
  const entry = { at: resolvedAt ?? '', decision_id: designDecision.id, answer, state_context: 'APPROVE_DESIGN' };
  return [{ path, content: appendHistory(before, entry) }];
}

/** What is on record of project instructions stays true to the disk; nothing where it is. */
function instructionsIn({ files, at, snapshot }: CheckContext): DataPatch {
  const instructions = instructionPaths.some((path) => files.read(path) !== undefined);
  const before = data.runtime.of(snapshot);
  if (before.checkedAt !== null && before.instructions === instructions) return {};
  // When they were seen last stays on record.
  return data.runtime.set({ instructions, checkedAt: instructions ? at : (before.checkedAt ?? at) });
}

function valid({ run }: CheckContext, findings: readonly Finding[], more?: DataPatch): CheckResult {
  if (findings.length === 0) return { signal: { name: 'valid', ...(more && { data: more }) } };
  const notes = findings.map(findingText);
  return { signal: { name: 'invalid', problem: problemOf(notes, run) }, notes };
}

/** What another tool said of its tasks in status.json is put where it belongs. */
function statusesElsewhere(
  { files, run }: CheckContext,
  before: readonly SessionTask[],
  after: readonly SessionTask[],
): readonly Write[] {
  const path = tasksPath(run);
  const changed = after.filter((task, index) => task.status !== before[index]?.status);
  if (changed.length === 0) return [];
  const text = files.read(path) ?? '';
  const content = changed.reduce((source, { id, status }) => setTaskStatus(source, [id], status, path), text);
  return [{ path, content }];
}

/** Attempts that were made at a task count, whoever made them and however often it is scheduled. */
function itemsOf(tasks: readonly SessionTask[], snapshot: CheckContext['snapshot']): readonly WorkItem[] {
  const open = new Set(tasks.map(({ id }) => id));
  return tasks.map(({ id, depends_on: after }) => {
    const spent = spentOn(retriesOf(snapshot, id));
    return { id, after: after.filter((each) => open.has(each)), ...(spent && { spent }) };
  });
}

function accepted(context: CheckContext, ids: readonly string[]): CheckResult {
  return { signal: { name: 'accepted', data: freshTask }, writes: statusWrites(context, ids, 'completed') };
}

function itemId({ item }: CheckContext): string {
  if (!item) throw new Error('internal error: there is no task to look at');
  return item.id;
}

const afterApproval: readonly string[] = ['PLAN', 'REVIEW_STRATEGY'] satisfies readonly Phase[];
const afterStrategy: readonly string[] = ['IMPLEMENT_LOOP', 'INTEGRATE', 'RELEASE', ...repairKinds];

/** Approved, not put off since, and still the same. */
function isApproved(context: CheckContext): boolean {
  const { status, answer } = context.snapshot.decisions[designDecision.id] ?? {};
  const isSame = designDigest(context) === data.approvedDesign.of(context.snapshot);
  return status === 'answered' && APPROVED.test(answer ?? '') && isSame;
}

/** Stricter than a person's words need be: only the canonical answer is on record. */
export const APPROVED = /^approved(?:\s|:|$)/;

export function isApprovedOnDisk(view: RunView): boolean {
  return APPROVED.test(answerOnDisk(view, designDecision.id) ?? '');
}

/** The strategy as status.json on disk has it; null where it is missing, not canonical, or not to be read. */
export function strategyOnDisk(view: RunView): 'per-batch' | 'single-final' | null {
  const answer = answerOnDisk(view, strategyDecision.id);
  return answer === 'per-batch' || answer === 'single-final' ? answer : null;
}

/** A file that was lost says nothing else than the journal, from which it is written again. */
export function answerOnDisk(view: RunView, id: string): string | null {
  const { files, run, snapshot } = view;
  const isLost = view.history.length > 0 && !files.exists(statusPath(run));
  const decisions = isLost ? Object.values(snapshot.decisions) : statusOnDisk(view)?.user_decisions;
  const found = decisions?.find((each) => each.id === id);
  return found?.status === 'answered' ? found.answer : null;
}

function statusOnDisk({ files, run }: SessionFiles): Status | null {
  const file = statusPath(run);
  const read = attempt(() => readStatus(files.read(file) ?? '', file));
  return read instanceof DocumentError ? null : read.status;
}
