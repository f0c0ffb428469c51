/**
 * What the reports of a dispatch amount to: one signal, or why they do not suffice.
 *
 * C1. Verdicts are read from the documents the reports staged, so that signal and file cannot disagree.
 * C2. A report that another step would need does not count here.
 */

import { readCodeReview } from '../../documents/review.ts';
import type { Severity } from '../../documents/finding.ts';
import type { Task } from '../../documents/tasks.ts';
import type { DataPatch } from '../data-slots.ts';
import type { Conclusion, DispatchContext, FiledReport, FileView } from '../workflow.ts';
import { stepOf } from './brief.ts';
import { planDigest } from './documents.ts';
import { proposalIn, tasksIn } from './read-documents.ts';
import { mergeReviewPath, proposalPath, reviewPath } from './paths.ts';
import { data, itemTasks } from './run-data.ts';

/** By step, where it matters more than that the report was filed. */
const judges: Readonly<Record<string, (context: DispatchContext, reports: readonly FiledReport[]) => Conclusion>> = {
  challenge: concludeChallenge,
  implement: concludeImplement,
  review: concludeReview,
  review_merge: concludeMergeReview,
};

export function conclude(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  const missing = missingReport(context, reports);
  if (missing !== null) return { insufficient: missing };
  return judges[context.step]?.(context, reports) ?? signal('reported');
}

function missingReport(context: DispatchContext, filed: readonly FiledReport[]): string | null {
  const { reports, ofItem } = stepOf(context);
  const spec = ofItem && context.item?.id;
  const counts = ({ tool, args }: FiledReport) =>
    reports.includes(tool) && (spec === undefined || args['spec_id'] === spec);
  if (reports.length === 0 || filed.some(counts)) return null;
  if (reports.length > 1) return `none of ${reports.join(', ')} was called`;
  return `${reports.join()} was not called${spec === undefined ? '' : ` for "${spec}"`}`;
}

function signal(name: string, patch?: DataPatch): Conclusion {
  return { signal: { name, ...(patch && { data: patch }) }, writes: [] };
}

function concludeChallenge(context: DispatchContext): Conclusion {
  const reviews = proposalIn(context)?.reviews ?? [];
  const review = reviews.at(-1);
  if (!review) return { insufficient: `${proposalPath(context.run)} has no review block` };
  const { status, issues, summary } = review;
  const digest = planDigest(context.files, context.run);
  const open = issues.map(({ severity, title }) => ({ severity, title }));
  const judged = {
    ...data.planReviews.set(reviews.length),
    ...data.verdict.set(status.toUpperCase()),
    ...data.judgedPlan.set(digest),
    ...data.openIssues.set(status === 'approved' ? [] : open),
  };
  if (status === 'approved')
    return signal(status, { ...judged, ...data.approvedPlan.set({ digest, by: 'challenger' }) });
  if (status === 'rejected')
    return signal(status, { ...judged, ...data.rejectedPlan.set(digest), ...data.rejection.set(summary) });
  return signal(issues.some(({ severity }) => severity === 'High') ? 'needs_revision' : 'needs_minor_revision', judged);
}

function concludeReview(context: DispatchContext): Conclusion {
  const review = readReview(context, reviewPath(context.run));
  return signal(review.verdict.toLowerCase(), data.codeReview.set(review));
}

/** Whatever is wrong with a merge, the answer is another merge. */
function concludeMergeReview(context: DispatchContext): Conclusion {
  const path = mergeReviewPath(context.run);
  const review = readReview(context, path);
  const reviewed = data.mergeReview.set(review);
  if (review.verdict === 'APPROVED') return signal('approved', reviewed);
  const message = `the review of the merged specs says ${review.verdict}; read ${path}`;
  return { signal: { name: 'needs_fix', data: reviewed, problem: { code: 'needs_fix', message } }, writes: [] };
}

function readReview({ files }: DispatchContext, path: string) {
  const { verdict, iteration, issues } = readCodeReview(files.read(path) ?? '', path);
  const count = (wanted: Severity): number => issues.filter(({ severity }) => severity === wanted).length;
  return { verdict, iteration, high: count('High'), medium: count('Medium'), low: count('Low') };
}

function concludeImplement(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  const tasks = tasksIn(context)?.tasks ?? [];
  const ids = itemTasks(context.item);
  const own = tasks.filter(({ id }) => ids.includes(id));
  const settled = own.filter(({ status }) => status === 'completed' || status === 'blocked').map(({ id }) => id);
  const open = ids.filter((id) => !settled.includes(id));
  if (open.length > 0) return { insufficient: `neither completed nor blocked: ${open.join(', ')}` };
  const untrue = own.flatMap((task) => contradiction(task, context.files) ?? []);
  if (untrue.length > 0) return { insufficient: untrue.join('; ') };
  const blocked = own.filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return signal('reported');
  const notes = blocked.map((task) => `${task.id} ${task.title}${noteOf(reports, task.id)}`);
  const problem = { code: 'blocked', message: `blocked: ${notes.join('; ')}` };
  return { signal: { name: 'blocked', problem }, writes: [] };
}

/** What a completed task says about its file must be so. */
function contradiction({ id, status, action, file }: Task, files: FileView): string | undefined {
  if (status !== 'completed' || file === null || /[,*{}\s]/.test(file)) return undefined;
  const path = file.replace(/^\.\//, '').replace(/\/$/, '');
  const lacks = (action === 'CREATE' || action === 'MODIFY') && !files.exists(path);
  if (lacks) return `task ${id} is completed, but ${file} does not exist`;
  const remains = action === 'DELETE' && files.exists(path);
  return remains ? `task ${id} is completed, but ${file} still exists` : undefined;
}

function noteOf(reports: readonly FiledReport[], id: string): string {
  const report = reports.findLast(({ tool, args }) => tool === 'update_task' && args['task_id'] === id);
  const note = report?.args['note'];
  return typeof note === 'string' && note.trim() !== '' ? ` (${note.trim()})` : '';
}
