/** What each dispatch is sent off with: a prompt that names files by path and the tool to report with. */

import { findingText, isBlocking } from '../../documents/finding.ts';
import type { Task } from '../../documents/tasks.ts';
import type { Brief, DispatchContext, Skip } from '../workflow.ts';
import { complexityOf } from './config.ts';
import { documents, planTools } from './documents.ts';
import { specsIn, tasksIn } from './read-documents.ts';
import * as paths from './paths.ts';
import { fillTemplate } from '../prompt-template.ts';
import challenge from './prompts/challenge.md';
import fix from './prompts/fix.md';
import implement from './prompts/implement.md';
import listTasks from './prompts/list-tasks.md';
import mergeByHand from './prompts/merge-by-hand.md';
import propose from './prompts/propose.md';
import repair from './prompts/repair.md';
import reviewMerge from './prompts/review-merge.md';
import review from './prompts/review.md';
import revise from './prompts/revise.md';
import specify from './prompts/specify.md';
import { data, itemReasons, itemTasks } from './run-data.ts';
import { validatePlan } from './validate.ts';

interface Step {
  readonly template: string;
  /** One of these tools must be called; a single one ends the matter. */
  readonly reports: readonly string[];
  /** The report is about the spec that is the current item. */
  readonly ofItem?: true;
}

const steps: Readonly<Record<string, Step>> = {
  propose: { template: propose, reports: ['create_proposal'] },
  specify: { template: specify, reports: ['create_spec'], ofItem: true },
  list_tasks: { template: listTasks, reports: ['create_tasks'] },
  repair: { template: repair, reports: planTools },
  challenge: { template: challenge, reports: ['append_review'] },
  revise: { template: revise, reports: planTools },
  implement: { template: implement, reports: [] },
  review: { template: review, reports: ['create_review'] },
  // Whether a fix is one is for the next review to judge.
  fix: { template: fix, reports: [] },
  merge_by_hand: { template: mergeByHand, reports: ['write_main_spec'], ofItem: true },
  review_merge: { template: reviewMerge, reports: ['create_review'] },
};

export function stepOf({ step }: Pick<DispatchContext, 'step'>): Step {
  const found = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (!found) throw new Error(`the change workflow has no dispatch step "${step}"`);
  return found;
}

export function brief(context: DispatchContext): Brief | Skip {
  const { template, reports } = stepOf(context);
  if (context.step === 'implement' && openTasks(context).length === 0) {
    return { signal: { name: 'reported' }, why: 'nothing left to do in this group' };
  }
  const [closedBy] = reports.length === 1 ? reports : [];
  const specs = context.files.list(paths.specsFolder(context.run)).filter((path) => path.endsWith('.md'));
  return {
    prompt: fillTemplate(template, (name) => (Object.hasOwn(values, name) ? values[name]?.(context) : undefined)),
    complexity: complexityOf(specs.length, tasksOf(context).length),
    ...(closedBy !== undefined && { closedBy }),
  };
}

const readOnly = [
  'You may read everything in this repository and run commands that change nothing.',
  'Do not create, edit or delete files and do not commit: if anything changes, your report does not count and the dispatch is repeated.',
].join(' ');

const writesCode = [
  `Do not touch \`${paths.controlFolder}/\`: plan and state are changed through tools only.`,
  'Do not commit, push, switch branches or rewrite history.',
  'Do not weaken or skip tests and checks to make them pass.',
].join(' ');

/** What stands in a prompt for each `{{name}}`. */
export const values: Readonly<Record<string, (context: DispatchContext) => string>> = {
  change: ({ run }) => run,
  reading: readingList,
  tool_server: () => '(a tool of the MCP server `pawl`; if you do not see it, search your tools for its name)',
  person: ({ hint }) => (hint === undefined ? '' : `\n## A person adds\n\n${hint.trim()}\n`),
  read_only: () => readOnly,
  writes_code: () => writesCode,
  description: ({ snapshot, run }) =>
    data.description.of(snapshot) ??
    `See \`${paths.clarificationsPath(run)}\` and what else is in \`${paths.changeFolder(run)}\`.`,
  proposal: ({ run }) => paths.proposalPath(run),
  specs_folder: ({ run }) => paths.specsFolder(run),
  tasks: ({ run }) => paths.tasksPath(run),
  review: ({ run }) => paths.reviewPath(run),
  findings: blockingFindings,
  task_ids: (context) => openTasks(context).join(', '),
  checks: checkLines,
  earlier_review: earlierReview,
  spec: itemId,
  main_spec: (context) => paths.mainSpecPath(itemId(context)),
  change_spec: (context) => paths.specPath(context.run, itemId(context)),
  reasons: ({ item }) =>
    itemReasons(item)
      .map((reason) => `- ${reason}`)
      .join('\n') || '- The two texts disagree.',
  earlier_merge: earlierMerge,
  merges: mergeLines,
};

/** By path, and only what exists: an agent sent to a missing file starts guessing. */
function readingList({ files, run }: DispatchContext): string {
  const known: readonly (readonly [path: string, what: string])[] = [
    [paths.projectPath, 'what this project is'],
    ['AGENTS.md', 'how to work in this repository'],
    ['CLAUDE.md', 'how to work in this repository'],
    ['GEMINI.md', 'how to work in this repository'],
    ['.github/copilot-instructions.md', 'how to work in this repository'],
    ...Object.values(documents).flatMap(({ path, about }) =>
      about === undefined ? [] : [[path(run), about] as const],
    ),
  ];
  const lines = known
    .filter(([path]) => files.read(path) !== undefined)
    .map(([path, what]) => `- \`${path}\`: ${what}`);
  return lines.length === 0 ? '- There are no instructions for this project yet.' : lines.join('\n');
}

function itemId({ item, step }: DispatchContext): string {
  if (!item) throw new Error(`step "${step}" works through a list, but there is no item`);
  return item.id;
}

function tasksOf(context: DispatchContext): readonly Task[] {
  return tasksIn(context)?.tasks ?? [];
}

function blockingFindings({ files, run }: DispatchContext): string {
  const blocking = validatePlan(files, run).findings.filter(isBlocking);
  return (
    blocking.map((finding) => `- ${findingText(finding)}`).join('\n') ||
    'Nothing any more: confirm it with `validate_change`.'
  );
}

/** The item's tasks that are still to be done, in the item's order. */
function openTasks(context: DispatchContext): readonly string[] {
  const open = new Set(
    tasksOf(context)
      .filter(({ status }) => status === 'pending' || status === 'in_progress')
      .map(({ id }) => id),
  );
  return itemTasks(context.item).filter((id) => open.has(id));
}

function checkLines({ snapshot }: DispatchContext): string {
  const runs = data.checks.of(snapshot).results;
  if (runs.length === 0) return '  - none were found for this project';
  return runs
    .map(({ name, status, required, log }) => {
      const weight = status === 'failed' && required ? ' (required: no approval)' : '';
      return `  - ${name}: ${status}${weight}${log === null ? '' : `, output in \`${log}\``}`;
    })
    .join('\n');
}

function earlierReview({ files, run }: DispatchContext): string {
  const path = paths.reviewPath(run);
  return files.read(path) === undefined
    ? ''
    : ` The review before this one is \`${path}\`: see whether its issues are resolved.`;
}

function earlierMerge(context: DispatchContext): string {
  const { files, run } = context;
  const earlier = [
    ['An earlier attempt at this merge', paths.mergedSpecPath(run, itemId(context))],
    ['What the reviewer said about it', paths.mergeReviewPath(run)],
  ] as const;
  const found = earlier.filter(([, path]) => files.read(path) !== undefined);
  return found.map(([what, path]) => `- ${what}: \`${path}\`\n`).join('');
}

function mergeLines({ files, run }: DispatchContext): string {
  const lines = specsIn(files, paths.mergedFolder(run)).map(
    ({ id, path }) => `- merged \`${path}\`, main \`${paths.mainSpecPath(id)}\`, change \`${paths.specPath(run, id)}\``,
  );
  return lines.join('\n') || '- There is no merged spec: report that as a High issue.';
}
