/** What each dispatch is sent off with: a prompt that names files by path and the tool to report with. */

import { findingText, isBlocking } from '../../documents/finding.ts';
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
  /** One of these tools must be called; a single one ends the dispatch. */
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
  if (context.step === 'implement' && openTasks(context).length === 0)
    return { signal: { name: 'reported' }, why: 'nothing left to do in this group' };
  const [closedBy] = reports.length === 1 ? reports : [];
  const specs = context.files.list(paths.specsFolder(context.run)).filter((path) => path.endsWith('.md'));
  return {
    prompt: fillTemplate(template, (name) => (Object.hasOwn(values, name) ? values[name]?.(context) : undefined)),
    complexity: complexityOf(specs.length, tasksIn(context)?.tasks.length ?? 0),
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

/** By the `{{name}}` it replaces in a prompt. */
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
  findings: ({ files, run }) =>
    bulletList(validatePlan(files, run).findings.filter(isBlocking).map(findingText)) ||
    'None any more: confirm it with `validate_change`.',
  task_ids: (context) => openTasks(context).join(', '),
  checks: checkLines,
  earlier_review: ({ files, run }) => {
    const path = paths.reviewPath(run);
    if (files.read(path) === undefined) return '';
    return ` The review before this one is \`${path}\`: see whether its issues are resolved.`;
  },
  spec: itemId,
  main_spec: (context) => paths.mainSpecPath(itemId(context)),
  change_spec: (context) => paths.specPath(context.run, itemId(context)),
  reasons: ({ item }) => bulletList(itemReasons(item)) || '- The two texts disagree.',
  earlier_merge: (context) => {
    const { files, run } = context;
    const earlier = {
      'An earlier attempt at this merge': paths.mergedSpecPath(run, itemId(context)),
      "The reviewer's findings about it": paths.mergeReviewPath(run),
    };
    const found = Object.entries(earlier).filter(([, path]) => files.read(path) !== undefined);
    return found.map(([what, path]) => `- ${what}: \`${path}\`\n`).join('');
  },
  merges: ({ files, run }) => {
    const lines = specsIn(files, paths.mergedFolder(run)).map(
      ({ id, path }) => `merged \`${path}\`, main \`${paths.mainSpecPath(id)}\`, change \`${paths.specPath(run, id)}\``,
    );
    return bulletList(lines) || '- There is no merged spec: report that as a High issue.';
  },
};

function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

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

function itemId({ item, step }: DispatchContext): string {
  if (!item) throw new Error(`step "${step}" works through a list, but there is no item`);
  return item.id;
}

/** The item's tasks that are still to be done, in the item's order. */
function openTasks(context: DispatchContext): readonly string[] {
  const tasks = tasksIn(context)?.tasks ?? [];
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress').map(({ id }) => id);
  return itemTasks(context.item).filter((id) => open.includes(id));
}

function checkLines({ snapshot }: DispatchContext): string {
  const lines = data.checks.of(snapshot).results.map(({ name, status, required, log }) => {
    const weight = status === 'failed' && required ? ' (required: no approval)' : '';
    return `  - ${name}: ${status}${weight}${log === null ? '' : `, output in \`${log}\``}`;
  });
  return lines.join('\n') || '  - none were found for this project';
}
