/**
 * The dispatches of `change`: the prompt of each step, which names files by path and the tool to report with,
 * and the conclusion of its reports, one signal or why they do not suffice.
 *
 * C1. Verdicts are read from the documents the reports staged, so that signal and file cannot disagree.
 * C2. A report that another step would need does not count here.
 */

import { specMeant } from '../../documents/spec-names.ts';
import { findingText, isBlocking, type Severity } from '../../documents/finding.ts';
import type { Brief, Conclusion, DispatchContext, Dispatching, FileView, FiledReport, Skip } from '../workflow.ts';
import { complexityOf } from './config.ts';
import {
  documents,
  isPlanEdited,
  mergeDigest,
  planApproval,
  planDigest,
  planEdited,
  planToolNames,
} from './documents.ts';
import { proposalIn, tasksIn } from './read-documents.ts';
import * as paths from './change-paths.ts';
import { fillTemplate } from '../prompt-template.ts';
import readOnly from './limits/read-only.md';
import writesCode from './limits/writes-code.md';
import challenge from './prompts/challenge.md';
import fix from './prompts/fix.md';
import implement from './prompts/implement.md';
import makeLean from './prompts/make-lean.md';
import listTasks from './prompts/list-tasks.md';
import mergeByHand from './prompts/merge-by-hand.md';
import propose from './prompts/propose.md';
import repair from './prompts/repair.md';
import reviewMerge from './prompts/review-merge.md';
import review from './prompts/review.md';
import revise from './prompts/revise.md';
import specify from './prompts/specify.md';
import { blockedText, data, forbids, isLean, itemOf } from './run-data.ts';
import { bulletList, itemId, lossesOfItem, specValues } from './spec-values.ts';
import { validatePlan } from './validate.ts';
import { readCodeReview } from '../../documents/review.ts';
import type { Task } from '../../documents/tasks.ts';
import type { DataPatch } from '../data-slots.ts';
import { planTools } from './plan-tools.ts';
import { readingTools } from './reading-tools.ts';
import { reportTools } from './report-tools.ts';

export const tools = { ...planTools, ...reportTools, ...readingTools };

export const dispatching: Dispatching = { tools, brief, conclude };

interface Step {
  readonly template: string;
  /** One of these tools must be called; a single one ends the dispatch. */
  readonly reports: readonly string[];
  /** The report is about the spec that is the current item. */
  readonly ofItem?: true;
  readonly conclude?: typeof conclude;
}

const steps: Readonly<Record<string, Step>> = {
  propose: { template: propose, reports: ['create_proposal'] },
  specify: { template: specify, reports: ['create_spec'], ofItem: true },
  list_tasks: { template: listTasks, reports: ['create_tasks'] },
  repair: { template: repair, reports: planToolNames },
  challenge: { template: challenge, reports: ['append_review'], conclude: concludeChallenge },
  revise: { template: revise, reports: planToolNames },
  // Whether it is all there is for the next check to find out, which can say what is missing.
  make_lean: { template: makeLean, reports: ['create_proposal', 'update_task'] },
  implement: { template: implement, reports: [], conclude: concludeImplement },
  review: { template: review, reports: ['create_review'], conclude: concludeReview },
  // Whether a fix is one is for the next review to judge.
  fix: {
    template: fix,
    reports: [],
    conclude: (context, reports) => signal('reported', data.blockedBy.set(reasons(context, reports))),
  },
  merge_by_hand: { template: mergeByHand, reports: ['write_main_spec'], ofItem: true, conclude: concludeMerge },
  review_merge: { template: reviewMerge, reports: ['create_review'], conclude: concludeMergeReview },
};

function stepOf({ step }: Pick<DispatchContext, 'step'>): Step {
  const found = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (!found) throw new Error(`the change workflow has no dispatch step "${step}"`);
  return found;
}

export function brief(context: DispatchContext): Brief | Skip {
  const { template, reports } = stepOf(context);
  if (context.step === 'implement' && openTasks(context).length === 0)
    return { signal: { name: 'reported' }, why: 'nothing left to do in this group' };
  if (context.step === 'review' && isPlanEdited(context))
    return { signal: { name: 'edited', problem: { code: 'edited', message: planEdited } }, why: planEdited };
  const [closedBy] = reports.length === 1 ? reports : [];
  const specs = context.files.list(paths.specsFolder(context.run)).filter((path) => path.endsWith('.md'));
  return {
    prompt: fillTemplate(template, (name) => (Object.hasOwn(values, name) ? values[name]?.(context) : undefined)),
    complexity: complexityOf(specs.length, tasksIn(context)?.tasks.length ?? 0),
    ...(closedBy !== undefined && { closedBy }),
  };
}

export const values: Readonly<Record<string, (context: DispatchContext) => string>> = {
  change: ({ run }) => run,
  reading: readingList,
  tool_server: () => '(a tool of the MCP server `pawl`; if you do not see it, search your tools for its name)',
  person: ({ hint }) => (hint === undefined ? '' : `\n## A person adds\n\n${hint.trim()}\n`),
  read_only: () => readOnly.trim(),
  writes_code: () => writesCode.trim(),
  description: ({ snapshot, run }) =>
    data.description.of(snapshot) ??
    `See \`${paths.clarificationsPath(run)}\` and what else is in \`${paths.changeFolder(run)}\`.`,
  proposal: ({ run }) => paths.proposalPath(run),
  specs_folder: ({ run }) => paths.specsFolder(run),
  tasks: ({ run }) => paths.tasksPath(run),
  review: ({ run }) => paths.reviewPath(run),
  findings: ({ files, run }) =>
    bulletList(validatePlan(files, run).findings.filter(isBlocking).map(findingText)) ||
    'None any more: confirm it with `validate_change`.',
  task_ids: (context) => openTasks(context).join(', '),
  attempt_before: ({ snapshot: { problem } }) =>
    problem === null ? '' : `\n## What was wrong with the attempt before\n\n${problem.message}\n`,
  lean_review: ({ snapshot }) => (isLean(snapshot) ? leanReview : ''),
  checks: checkLines,
  earlier_review: ({ files, run }) => {
    const path = paths.reviewPath(run);
    const hint = ` The review before this one is \`${path}\`: check whether its findings are resolved.`;
    return files.read(path) === undefined ? '' : hint;
  },
  ...specValues,
};

const leanReview =
  ' This is a lean change: nobody challenged its plan, so judge proposal, specs and tasks too. A change that is not small after all has `MAJOR_ISSUES`.';

/** By path, and only what exists: an agent sent to a missing file starts guessing. */
function readingList({ files, run }: DispatchContext): string {
  const instructions = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md'];
  const known = [
    [paths.projectPath, 'what this project is'],
    ...instructions.map((path) => [path, 'how to work in this repository']),
    ...Object.values(documents).flatMap(({ path, about }) => (about === undefined ? [] : [[path(run), about]])),
  ];
  const lines = known.flatMap(([path = '', what]) => (files.read(path) === undefined ? [] : [`\`${path}\`: ${what}`]));
  return bulletList(lines) || '- There are no instructions for this project yet.';
}

/** The item's tasks that are still to be done, in the item's order. */
function openTasks(context: DispatchContext): readonly string[] {
  const tasks = tasksIn(context)?.tasks ?? [];
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress').map(({ id }) => id);
  return itemOf(context.item).tasks.filter((id) => open.includes(id));
}

function checkLines({ snapshot }: DispatchContext): string {
  const lines = data.checks.of(snapshot).results.map((check) => {
    const { name, status, log } = check;
    const weight = forbids(check) ? ' (required: no approval)' : '';
    return `  - ${name}: ${status}${weight}${log === null ? '' : `, output in \`${log}\``}`;
  });
  return lines.join('\n') || '  - none were found for this project';
}

export function conclude(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  const missing = missingReport(context, reports);
  if (missing !== null) return { insufficient: missing };
  return stepOf(context).conclude?.(context, reports) ?? signal('reported');
}

function missingReport(context: DispatchContext, filed: readonly FiledReport[]): string | null {
  const { reports, ofItem } = stepOf(context);
  const spec = ofItem && context.item?.id;
  const isOf = (id: unknown): boolean => typeof id === 'string' && specMeant(id, [spec ?? '']) !== undefined;
  const counts = ({ tool, args }: FiledReport) =>
    reports.includes(tool) && (spec === undefined || isOf(args['spec_id']));
  if (reports.length === 0 || filed.some(counts)) return null;
  if (reports.length > 1) return `none of ${reports.join(', ')} was called`;
  return `${reports.join()} was not called${spec === undefined ? '' : ` for "${spec}"`}`;
}

function signal(name: string, data?: DataPatch, message?: string): Conclusion {
  const problem = message === undefined ? undefined : { code: name, message };
  return { signal: { name, ...(data && { data }), ...(problem && { problem }) }, writes: [] };
}

function concludeChallenge(context: DispatchContext): Conclusion {
  const reviews = proposalIn(context)?.reviews ?? [];
  const review = reviews.at(-1);
  if (!review) return { insufficient: `${paths.proposalPath(context.run)} has no review block` };
  const { status, issues, summary } = review;
  const digest = planDigest(context.files, context.run);
  const open = issues.map(({ severity, title }) => ({ severity, title }));
  const judged = {
    ...data.planReviews.set(reviews.length),
    ...data.verdict.set(status.toUpperCase()),
    ...data.judgedPlan.set(digest),
    ...data.openIssues.set(status === 'approved' ? [] : open),
  };
  if (status === 'approved') return signal(status, { ...judged, ...planApproval(context, 'challenger', digest) });
  if (status === 'rejected')
    return signal(status, { ...judged, ...data.rejectedPlan.set(digest), ...data.rejection.set(summary) });
  return signal(issues.some(({ severity }) => severity === 'High') ? 'needs_revision' : 'needs_minor_revision', judged);
}

/** A verdict is about the code and the plan as the reviewer was shown them. */
function concludeReview(context: DispatchContext): Conclusion {
  if (isPlanEdited(context)) return { insufficient: `${planEdited}: what the reviewer says of it does not count` };
  const review = readReview(context, paths.reviewPath(context.run));
  return signal(review.verdict.toLowerCase(), data.codeReview.set(review));
}

/** No reviewer is asked about a text that lost something. */
function concludeMerge(context: DispatchContext): Conclusion {
  const losses = lossesOfItem(context);
  const path = paths.mergedSpecPath(context.run, itemId(context));
  if (losses.length === 0) return signal('reported');
  return signal('text_lost', undefined, `the archivist's text ${path} is refused: it loses ${losses.join(', ')}`);
}

/** Whatever is wrong with a merge, the answer is another merge. */
function concludeMergeReview(context: DispatchContext): Conclusion {
  const path = paths.mergeReviewPath(context.run);
  const review = readReview(context, path);
  const reviewed = { ...data.mergeReview.set(review), ...data.judgedMerge.set(mergeDigest(context)) };
  if (review.verdict === 'APPROVED') return signal('approved', reviewed);
  return signal('needs_fix', reviewed, `the review of the merged specs says ${review.verdict}; read ${path}`);
}

function readReview({ files }: DispatchContext, path: string) {
  const { verdict, iteration, issues } = readCodeReview(files.read(path) ?? '', path);
  const count = (wanted: Severity): number => issues.filter(({ severity }) => severity === wanted).length;
  return { verdict, iteration, high: count('High'), medium: count('Medium'), low: count('Low') };
}

function concludeImplement(context: DispatchContext, reports: readonly FiledReport[]): Conclusion {
  const tasks = tasksIn(context)?.tasks ?? [];
  const ids = itemOf(context.item).tasks;
  const own = tasks.filter(({ id }) => ids.includes(id));
  const settled = own.filter(({ status }) => status === 'completed' || status === 'blocked').map(({ id }) => id);
  const open = ids.filter((id) => !settled.includes(id));
  const told = `neither completed nor blocked: ${open.join(', ')}`;
  const updates = reports.filter(({ tool }) => tool === 'update_task').map(({ args }) => args['task_id']);
  const isReported = settled.some((id) => updates.includes(id));
  if (open.length > 0 && !isReported) return { insufficient: told };
  const untrue = own.flatMap((task) => contradiction(task, context.files) ?? []);
  if (untrue.length > 0) return { insufficient: untrue.join('; ') };
  const blocked = own.filter(({ status }) => status === 'blocked');
  if (blocked.length === 0) return open.length === 0 ? signal('reported') : signal('partly', undefined, told);
  const why = reasons(context, reports);
  return signal('blocked', data.blockedBy.set(why), blockedText(blocked, why));
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

/** Why tasks are blocked: as reported now, else as reported before. */
function reasons({ snapshot }: DispatchContext, reports: readonly FiledReport[]): Readonly<Record<string, string>> {
  const filed: Record<string, string> = {};
  for (const { tool, args } of reports) {
    const { task_id: id, status, note } = args;
    const isReason = tool === 'update_task' && status === 'blocked' && typeof note === 'string' && note.trim() !== '';
    if (isReason && typeof id === 'string') filed[id] = note.trim();
  }
  return { ...data.blockedBy.of(snapshot), ...filed };
}
