/**
 * What the reports of a dispatch amount to: one signal, or why they do not suffice.
 *
 * C1. Verdicts are read from the documents the reports staged, so that signal and file cannot disagree.
 * C2. A report that another step would need does not count here.
 */

import { readCodeReview } from '../../documents/code-review.ts';
import { readProposal } from '../../documents/proposal.ts';
import type { Issue, Severity } from '../../documents/review-text.ts';
import { readTasks, type Task } from '../../documents/tasks.ts';
import type { Json } from '../../engine/snapshot.ts';
import type { Conclusion, DispatchContext, FiledReport, FileView } from '../workflow.ts';
import { planDigest } from './digest.ts';
import { mergeReviewPath, proposalPath, reviewPath, tasksPath } from './paths.ts';
import { data, itemTasks } from './run-data.ts';

export function conclude(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  switch (context.step) {
    case 'propose':
      return needs(reports, 'create_proposal');
    case 'specify':
      return needs(reports, 'create_spec', context.item?.id);
    case 'list_tasks':
      return needs(reports, 'create_tasks');
    case 'repair':
    case 'revise':
      return needsAny(reports, ['create_proposal', 'create_spec', 'create_tasks']);
    case 'challenge':
      return filed(reports, 'append_review') ? concludeChallenge(context) : missing('append_review');
    case 'implement':
      return concludeImplement(context, reports);
    case 'review':
      return filed(reports, 'create_review') ? concludeReview(context) : missing('create_review');
    case 'fix':
      return signal('reported');
    case 'merge_by_hand':
      return needs(reports, 'write_main_spec', context.item?.id);
    case 'review_merge':
      return filed(reports, 'create_review') ? concludeMergeReview(context) : missing('create_review');
    default:
      throw new Error(`the change workflow has no dispatch step "${context.step}"`);
  }
}

function needs(reports: readonly FiledReport[], tool: string, spec?: string): Conclusion {
  return filed(reports, tool, spec) ? signal('reported') : missing(tool, spec);
}

function needsAny(reports: readonly FiledReport[], tools: readonly string[]): Conclusion {
  return tools.some((tool) => filed(reports, tool))
    ? signal('reported')
    : { insufficient: `none of ${tools.join(', ')} was called` };
}

function filed(reports: readonly FiledReport[], tool: string, spec?: string): boolean {
  return reports.some((report) => report.tool === tool && (spec === undefined || report.args['spec_id'] === spec));
}

function missing(tool: string, spec?: string): Conclusion {
  return { insufficient: spec === undefined ? `${tool} was not called` : `${tool} was not called for "${spec}"` };
}

function signal(name: string, data?: Readonly<Record<string, Json>>): Conclusion {
  return { signal: { name, ...(data && { data }) }, writes: [] };
}

function concludeChallenge({ files, run }: DispatchContext): Conclusion {
  const path = proposalPath(run);
  const { reviews } = readProposal(files.read(path) ?? '', path);
  const review = reviews.at(-1);
  if (!review) return { insufficient: `${path} has no review block` };
  const digest = planDigest(files, run);
  const open = review.issues.map(({ severity, title }) => ({ severity, title }));
  const judged = {
    ...data.planReviews.set(reviews.length),
    ...data.verdict.set(review.status.toUpperCase()),
    ...data.judgedPlan.set(digest),
    ...data.openIssues.set(review.status === 'approved' ? [] : open),
  };
  if (review.status === 'approved')
    return signal('approved', { ...judged, ...data.approvedPlan.set({ digest, by: 'challenger' }) });
  if (review.status === 'rejected')
    return signal('rejected', {
      ...judged,
      ...data.rejectedPlan.set(digest),
      ...data.rejection.set(review.summary),
    });
  return signal(count(review.issues, 'High') > 0 ? 'needs_revision' : 'needs_minor_revision', judged);
}

function concludeReview(context: DispatchContext): Conclusion {
  const review = readReview(context, reviewPath(context.run));
  const names = { APPROVED: 'approved', NEEDS_FIX: 'needs_fix', MAJOR_ISSUES: 'major_issues' } as const;
  return signal(names[review.verdict], data.codeReview.set(review));
}

/** Whatever is wrong with a merge, the answer is another merge. */
function concludeMergeReview(context: DispatchContext): Conclusion {
  const path = mergeReviewPath(context.run);
  const review = readReview(context, path);
  const reviewed = data.mergeReview.set(review);
  if (review.verdict === 'APPROVED') return signal('approved', reviewed);
  const message = `the review of the merged specs says ${review.verdict}; read ${path}`;
  return {
    signal: { name: 'needs_fix', data: reviewed, problem: { code: 'merge_not_approved', message } },
    writes: [],
  };
}

function readReview({ files }: DispatchContext, path: string) {
  const { verdict, iteration, issues } = readCodeReview(files.read(path) ?? '', path);
  const counts = { high: count(issues, 'High'), medium: count(issues, 'Medium'), low: count(issues, 'Low') };
  return { verdict, iteration, ...counts };
}

function count(issues: readonly Issue[], severity: Severity): number {
  return issues.filter((issue) => issue.severity === severity).length;
}

function concludeImplement(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  const path = tasksPath(context.run);
  const { tasks } = readTasks(context.files.read(path) ?? '', { file: path, changeId: context.run });
  const wanted = itemTasks(context.item);
  const own = tasks.filter(({ id }) => wanted.includes(id));
  const unknown = wanted.filter((id) => !own.some((task) => task.id === id));
  const open = own.filter(({ status }) => status !== 'completed' && status !== 'blocked').map(({ id }) => id);
  if (unknown.length + open.length > 0) {
    return { insufficient: `neither completed nor blocked: ${[...open, ...unknown].join(', ')}` };
  }
  const untrue = own.flatMap((task) => contradiction(task, context.files) ?? []);
  if (untrue.length > 0) return { insufficient: untrue.join('; ') };
  const blocked = own.filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return signal('reported');
  const notes = blocked.map((task) => `${task.id} ${task.title}${noteOf(reports, task.id)}`);
  const problem = { code: 'tasks_blocked', message: `blocked: ${notes.join('; ')}` };
  return { signal: { name: 'blocked', problem }, writes: [] };
}

/** What a completed task says about its file must be so. */
function contradiction({ id, status, action, file }: Task, files: FileView): string | undefined {
  if (status !== 'completed' || file === null || /[,*{}\s]/.test(file)) return undefined;
  const path = file.replace(/^\.\//, '').replace(/\/$/, '');
  const exists = files.exists(path);
  if ((action === 'CREATE' || action === 'MODIFY') && !exists)
    return `task ${id} is completed, but ${file} does not exist`;
  if (action === 'DELETE' && exists) return `task ${id} is completed, but ${file} still exists`;
  return undefined;
}

function noteOf(reports: readonly FiledReport[], id: string): string {
  const report = reports.findLast(({ tool, args }) => tool === 'update_task' && args['task_id'] === id);
  const note = report?.args['note'];
  return typeof note === 'string' && note.trim() !== '' ? ` (${note.trim()})` : '';
}
