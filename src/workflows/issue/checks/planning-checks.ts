/** Checks of the planning half: the issue, and the documents before anybody works with them. */

import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { findingText, unreadable, type Finding } from '../../../documents/finding.ts';
import { stopWith } from '../../define-workflow.ts';
import type { CheckContext, CheckResult, Write } from '../../workflow.ts';
import { blockedBy, changeIssue, fileIssues, readBacklog } from '../files/backlog.ts';
import { hygieneFindings } from '../files/hygiene.ts';
import { fixPath, issuePath, planPath, taskPath, todoFolder, workflowIgnorePath } from '../files/ids.ts';
import { readPlan, readTask, seedIssue } from '../files/plan-files.ts';
import { added, patch } from '../../data-slots.ts';
import { data } from '../run-data.ts';
import { newIds } from './new-ids.ts';

export const planningChecks = {
  open_issue: openIssue,
  inspect_plan: (context: CheckContext) => inspected(context, [planPath(context.run)], readPlan, { name: 'clean' }),
  inspect_split: (context: CheckContext) => inspected(context, taskPaths(context), readTask, { name: 'clean' }),
  inspect_task: inspectTask,
  inspect_fix: (context: CheckContext) =>
    inspected(context, [fixPath(context.run, data.fix.of(context.snapshot))], readTask, { name: 'clean' }),
  file_rest: fileRest,
  rework,
};

/** Phase 2. What was true at the beginning is looked at again: a worktree may have other files. */
async function openIssue(context: CheckContext): Promise<CheckResult> {
  const { run, files, snapshot, git } = context;
  const backlog = readBacklog(files);
  const issue = backlog.issues.get(run);
  if (!issue) return stopWith('invalid', backlog.malformed.get(run)?.message ?? `there is no ${issuePath(run)}`);
  const open = blockedBy(backlog, run).map(({ id }) => id);
  if (open.length > 0) return stopWith('invalid', `${run} depends on ${open.join(', ')}, which is not Done`);
  const head = (await git.head()) ?? '';
  const base = await baseOf(context);
  const writes: Write[] = [
    ...(files.exists(workflowIgnorePath) ? [] : [{ path: workflowIgnorePath, content: '*\n' }]),
    ...changeIssue(files, run, { status: 'In Progress' }),
  ];
  const plans = Array.from({ length: (snapshot.limits['plan_rework'] ?? 0) + 1 }, (_, index) => `plan-${index + 1}`);
  return {
    signal: {
      name: 'opened',
      items: plans.map((id) => ({ id, after: [] })),
      data: patch(
        data.title.set(issue.title),
        data.base.set(base),
        data.branch.set(git.branch() ?? ''),
        data.head.set(head),
        data.place.set({ worktree: git.workTree, main: git.mainWorkTree }),
        data.mergeBase.set((await git.mergeBase(base)) ?? head),
      ),
    },
    writes,
  };
}

/** As given, else main, else master. */
async function baseOf({ git, snapshot }: CheckContext): Promise<string> {
  const given = data.base.of(snapshot);
  if (given !== '') return given;
  return (await git.mergeBase('main')) === null ? 'master' : 'main';
}

function taskPaths({ run, snapshot }: CheckContext): string[] {
  return Array.from({ length: data.tasks.of(snapshot) }, (_, index) => taskPath(run, index + 1));
}

/** Documents that are there, can be read, and keep the rules for what is handed to an agent. */
function inspected(
  context: CheckContext,
  paths: readonly string[],
  read: (text: string, path: string) => unknown,
  clean: CheckResult['signal'],
): CheckResult {
  const findings = paths.flatMap((path) => documentFindings(context, path, read));
  if (findings.length === 0) return { signal: clean };
  const notes = findings.map(findingText);
  const signal = { signal: 'documents that cannot be handed over', why: notes.join('\n') };
  return {
    signal: { name: 'unclean', data: patch(data.notes.set(notes.join('\n')), data.escalation.set(signal)) },
    notes,
  };
}

function documentFindings(
  { files }: CheckContext,
  path: string,
  read: (text: string, path: string) => unknown,
): readonly Finding[] {
  const text = files.read(path);
  if (text === undefined)
    return [{ code: 'missing-artifact', path, line: null, message: 'the file does not exist', fix: 'write it' }];
  const value = attempt(() => read(text, path));
  if (value instanceof DocumentError) return [unreadable(value)];
  return hygieneFindings(text, { path, exists: (other) => files.exists(other) });
}

function inspectTask(context: CheckContext): CheckResult {
  const path = taskPath(context.run, 1);
  const text = context.files.read(path);
  const task = text === undefined ? undefined : attempt(() => readTask(text, path));
  const isNew = task !== undefined && !(task instanceof DocumentError) && task.newSymbols.length > 0;
  // A plan before this one may have filed tasks that there are no more.
  const withdrawn = data.tasks.of(context.snapshot) > 1 ? [] : data.filed.of(context.snapshot).map(({ id }) => id);
  const begun = patch(
    data.stubTree.set(null),
    data.readyTree.set(null),
    data.tests.set([]),
    data.seen.set([]),
    data.manifest.set([]),
    withdrawn.length === 0 ? {} : data.filed.set([]),
  );
  const inspection = inspected(context, [path], readTask, {
    name: isNew ? 'new_symbols' : 'known_symbols',
    data: begun,
  });
  if (inspection.signal.name === 'unclean' || withdrawn.length === 0) return inspection;
  return { ...inspection, writes: fileIssues(context.files, context.run, [], withdrawn) };
}

/** Phase 5.6: every task but the first becomes an issue; one that an earlier plan filed is updated. */
async function fileRest(context: CheckContext): Promise<CheckResult> {
  const { run, files, snapshot } = context;
  const plan = readPlan(files.read(planPath(run)) ?? '', planPath(run));
  const tasks = taskPaths(context).map((path) => readTask(files.read(path) ?? '', path));
  const before = data.filed.of(snapshot);
  const claimed = await newIds(context);
  const filed = new Map<number, string>();
  for (const { number } of tasks.slice(1))
    filed.set(number, before.find(({ task }) => task === number)?.id ?? (await claimed()));
  const branch = data.branch.of(snapshot);
  const issues = tasks
    .slice(1)
    .map((task) => seedIssue(task, plan, { id: filed.get(task.number) ?? '', branch, filed }));
  const withdrawn = before.map(({ id }) => id).filter((id) => ![...filed.values()].includes(id));
  return {
    signal: {
      name: 'filed',
      data: data.filed.set(issues.map(({ id, title }, index) => ({ task: index + 2, id, title }))),
    },
    writes: fileIssues(files, run, issues, withdrawn),
    notes: issues.map(({ id, title }) => `${id}: ${title}`),
  };
}

/** Upstream: the code is as it was when the run began, and the next plan knows why. */
async function rework(context: CheckContext): Promise<CheckResult> {
  const { run, snapshot } = context;
  const { signal = '', why = '' } = data.escalation.of(snapshot) ?? {};
  await context.git.rewind(null, { except: [todoFolder] });
  return {
    signal: {
      name: 'reset',
      data: patch(
        added(data.spent, snapshot, { budget: 'plan_rework', signal, why }),
        data.notes.set(`The plan before this one came to nothing (${signal}): ${why}`),
        data.reviewFindings.set([]),
        data.reviewSeen.set([]),
        data.deviations.set([]),
        data.manifest.set([]),
        data.blockers.set([]),
        data.fix.set(0),
        data.fixes.set(0),
      ),
    },
    writes: Array.from({ length: data.fixes.of(snapshot) }, (_, index) => ({
      path: fixPath(run, index + 1),
      content: null,
    })),
    notes: ['the code is as it was when the run began'],
  };
}
