/** What each dispatch is sent off with: a prompt that names files by path and the tool to report with. */

import { readTasks, type Task } from '../../documents/tasks.ts';
import type { Brief, DispatchContext, FileView, Skip } from '../workflow.ts';
import { complexityOf } from './config.ts';
import * as paths from './paths.ts';
import { blockingFindings } from './plan-findings.ts';
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
import type { ToolName } from './tool-arguments.ts';

interface StepBrief {
  readonly template: string;
  /** The report that ends the matter; absent where several calls may follow each other. */
  readonly closedBy?: ToolName;
  /** What the template wants beyond what all of them have. */
  values(context: DispatchContext): Readonly<Record<string, string>>;
}

export function brief(context: DispatchContext): Brief | Skip {
  const step = Object.hasOwn(steps, context.step) ? steps[context.step] : undefined;
  if (!step) throw new Error(`the change workflow has no prompt for step "${context.step}"`);
  if (context.step === 'implement' && openTasks(context).length === 0) {
    return { signal: { name: 'reported' }, why: 'nothing left to do in this group' };
  }
  const values = { ...sharedValues(context), ...step.values(context) };
  return {
    prompt: fillTemplate(step.template, values),
    complexity: complexityOf(specFiles(context).length, tasksOf(context).length),
    ...(step.closedBy !== undefined && { closedBy: step.closedBy }),
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

const toolServer = '(a tool of the MCP server `pawl`; if you do not see it, search your tools for its name)';

const folders = {
  planning: (id: string) => ({ specs_folder: paths.specsFolder(id) }),
  plan: (id: string) => ({ specs_folder: paths.specsFolder(id), tasks: paths.tasksPath(id) }),
};

const steps: Readonly<Record<string, StepBrief>> = {
  propose: {
    template: propose,
    closedBy: 'create_proposal',
    values: ({ snapshot, run }) => ({
      read_only: readOnly,
      description:
        data.description.of(snapshot) ??
        `See \`${paths.clarificationsPath(run)}\` and what else is in \`${paths.changeFolder(run)}\`.`,
    }),
  },
  specify: {
    template: specify,
    closedBy: 'create_spec',
    values: (context) => {
      const spec = itemId(context);
      return { read_only: readOnly, spec, main_spec: paths.mainSpecPath(spec), ...folders.planning(context.run) };
    },
  },
  list_tasks: {
    template: listTasks,
    closedBy: 'create_tasks',
    values: ({ run }) => ({ read_only: readOnly, ...folders.planning(run) }),
  },
  repair: {
    template: repair,
    values: ({ files, run }) => ({
      read_only: readOnly,
      findings: blockingFindings(files, run).join('\n') || 'Nothing any more: confirm it with `validate_change`.',
      ...folders.plan(run),
    }),
  },
  challenge: {
    template: challenge,
    closedBy: 'append_review',
    values: ({ run }) => ({ read_only: readOnly, ...folders.plan(run) }),
  },
  revise: {
    template: revise,
    values: ({ run }) => ({ read_only: readOnly, proposal: paths.proposalPath(run), ...folders.plan(run) }),
  },
  implement: {
    template: implement,
    values: (context) => ({
      writes_code: writesCode,
      task_ids: openTasks(context).join(', '),
      ...folders.plan(context.run),
    }),
  },
  review: {
    template: review,
    closedBy: 'create_review',
    values: (context) => ({
      read_only: readOnly,
      checks: checkLines(context),
      earlier: earlierReview(context, paths.reviewPath(context.run)),
      ...folders.plan(context.run),
    }),
  },
  fix: {
    template: fix,
    values: (context) => ({
      writes_code: writesCode,
      review: paths.reviewPath(context.run),
      checks: checkLines(context),
      ...folders.plan(context.run),
    }),
  },
  merge_by_hand: { template: mergeByHand, closedBy: 'write_main_spec', values: mergeValues },
  review_merge: {
    template: reviewMerge,
    closedBy: 'create_review',
    values: (context) => ({ read_only: readOnly, merges: mergeLines(context) }),
  },
};

function sharedValues({ run, files, hint }: DispatchContext): Record<string, string> {
  return {
    change: run,
    reading: readingList(files, run),
    tool_server: toolServer,
    person: hint === undefined ? '' : `\n## A person adds\n\n${hint.trim()}\n`,
  };
}

/** By path, and only what exists: an agent sent to a missing file starts guessing. */
function readingList(files: FileView, run: string): string {
  const known: readonly (readonly [path: string, what: string])[] = [
    [paths.projectPath, 'what this project is'],
    ['AGENTS.md', 'how to work in this repository'],
    ['CLAUDE.md', 'how to work in this repository'],
    ['GEMINI.md', 'how to work in this repository'],
    ['.github/copilot-instructions.md', 'how to work in this repository'],
    [paths.clarificationsPath(run), 'questions that were already answered'],
    [paths.proposalPath(run), 'the proposal, and reviews of the plan behind it'],
    [paths.challengePath(run), 'older reviews of the plan'],
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

function specFiles({ files, run }: DispatchContext): readonly string[] {
  return files.list(paths.specsFolder(run)).filter((path) => path.endsWith('.md'));
}

function tasksOf({ files, run }: DispatchContext): readonly Task[] {
  const file = paths.tasksPath(run);
  const text = files.read(file);
  return text === undefined ? [] : readTasks(text, { file, changeId: run }).tasks;
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

function earlierReview({ files }: DispatchContext, path: string): string {
  return files.read(path) === undefined
    ? ''
    : ` The review before this one is \`${path}\`: see whether its issues are resolved.`;
}

function mergeValues(context: DispatchContext): Record<string, string> {
  const spec = itemId(context);
  const { files, run } = context;
  const reasons = itemReasons(context.item).map((reason) => `- ${reason}`);
  const earlier = [
    [paths.mergedSpecPath(run, spec), 'An earlier attempt at this merge'],
    [paths.mergeReviewPath(run), 'What the reviewer said about it'],
  ].filter(([path = '']) => files.read(path) !== undefined);
  return {
    read_only: readOnly,
    spec,
    reasons: reasons.join('\n') || '- The two texts disagree.',
    main_spec: paths.mainSpecPath(spec),
    change_spec: paths.specPath(run, spec),
    earlier: earlier.map(([path, what]) => `- ${what}: \`${path}\`\n`).join(''),
  };
}

function mergeLines({ files, run }: DispatchContext): string {
  const folder = paths.mergedFolder(run);
  const lines = files
    .list(folder)
    .flatMap((path) => paths.specIdOf(path, folder) ?? [])
    .map(
      (spec) =>
        `- merged \`${paths.mergedSpecPath(run, spec)}\`, main \`${paths.mainSpecPath(spec)}\`, change \`${paths.specPath(run, spec)}\``,
    );
  return lines.join('\n') || '- There is no merged spec: report that as a High issue.';
}
