/**
 * The prompt of each step. It names the worktree and every artifact by its absolute path, and paraphrases none (ADR-5,
 * ADR-6); only the tests that `test` hands over to `make` are told.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { bullets } from '../../documents/review-text.ts';
import { fillTemplate } from '../prompt-template.ts';
import { toolCommands } from '../toolchains.ts';
import type { Brief, DispatchContext } from '../workflow.ts';
import { toolOf } from './conclude.ts';
import { fixPath, issuePath, planPath, taskPath } from './files/ids.ts';
import { readIssue } from './files/issue-file.ts';
import makes from './limits/makes.md';
import reads from './limits/reads.md';
import tests from './limits/tests.md';
import addSeam from './prompts/add-seam.md';
import advise from './prompts/advise.md';
import adviseCode from './prompts/advise-code.md';
import diagnose from './prompts/diagnose.md';
import draftFix from './prompts/draft-fix.md';
import draftPlan from './prompts/draft-plan.md';
import draftTasks from './prompts/draft-tasks.md';
import fixCode from './prompts/fix-code.md';
import fixTests from './prompts/fix-tests.md';
import frame from './prompts/frame.md';
import implement from './prompts/implement.md';
import reverify from './prompts/reverify.md';
import reviewCode from './prompts/review-code.md';
import reviewPlan from './prompts/review-plan.md';
import reviewSplit from './prompts/review-split.md';
import reviewTests from './prompts/review-tests.md';
import revisePlan from './prompts/revise-plan.md';
import reviseTasks from './prompts/revise-tasks.md';
import signOff from './prompts/sign-off.md';
import updateIssue from './prompts/update-issue.md';
import writeStubs from './prompts/write-stubs.md';
import writeTests from './prompts/write-tests.md';
import { data } from './run-data.ts';
import { isCode } from './role-words.ts';

type Artifact = 'issue' | 'plan' | 'task' | 'tasks' | 'fix';

interface Step {
  readonly template: string;
  readonly reads: readonly Artifact[];
}

const planned = { reads: ['issue', 'plan', 'task'] } as const;

const steps: Readonly<Record<string, Step>> = {
  draft_plan: { template: draftPlan, reads: ['issue', 'plan'] },
  revise_plan: { template: revisePlan, reads: ['issue', 'plan'] },
  review_plan: { template: reviewPlan, reads: ['issue', 'plan'] },
  draft_tasks: { template: draftTasks, reads: ['issue', 'plan'] },
  revise_tasks: { template: reviseTasks, reads: ['issue', 'plan', 'tasks'] },
  review_split: { template: reviewSplit, reads: ['issue', 'plan', 'tasks'] },
  write_stubs: { template: writeStubs, ...planned },
  write_tests: { template: writeTests, ...planned },
  fix_tests: { template: fixTests, ...planned },
  review_tests: { template: reviewTests, ...planned },
  sign_off: { template: signOff, ...planned },
  add_seam: { template: addSeam, ...planned },
  implement: { template: implement, ...planned },
  diagnose: { template: diagnose, reads: ['issue', 'plan', 'task', 'fix'] },
  review_code: { template: reviewCode, ...planned },
  draft_fix: { template: draftFix, reads: ['issue', 'plan', 'task', 'fix'] },
  fix_code: { template: fixCode, reads: ['issue', 'fix'] },
  retest: { template: fixTests, ...planned },
  reverify: { template: reverify, ...planned },
  update_issue: { template: updateIssue, reads: ['issue', 'plan', 'task'] },
};

const limits: Readonly<Record<string, string>> = { test: tests, make: makes };

export function brief(context: DispatchContext): Brief {
  const { step, role } = context;
  const found = steps[step];
  if (!found) throw new Error(`the issue workflow has no prompt for "${step}"`);
  const isAdvisor = role === 'simplify';
  const task = fill(isAdvisor ? (step === 'review_code' ? adviseCode : advise) : found.template, context);
  const tool = isAdvisor ? 'file_advice' : toolOf(step);
  const own: Readonly<Record<string, string>> = {
    task: task.trim(),
    tool,
    artifacts: artifactLines(context, found.reads),
    limits: fill(limits[role] ?? reads, context).trim(),
    notes: isAdvisor ? '' : notesOf(context),
  };
  const prompt = fillTemplate(frame, (name) => own[name] ?? values[name]?.(context));
  const commands = commandsOf(context);
  return { prompt, closedBy: tool, complexity: 'medium', ...(commands && { commands }) };
}

function fill(template: string, context: DispatchContext): string {
  return fillTemplate(template, (name) => values[name]?.(context));
}

const values: Readonly<Record<string, (context: DispatchContext) => string>> = {
  role: ({ role }) => role,
  issue: ({ run }) => run,
  title: ({ snapshot }) => data.title.of(snapshot),
  worktree: ({ workspace }) => workspace,
  person: ({ hint }) => (hint === undefined ? '' : `\n## A person adds\n\n${hint.trim()}\n`),
  commands: (context) => {
    const commands = commandsOf(context) ?? [];
    return commands.length === 0 ? '' : `: ${commands.map((each) => `\`${each} …\``).join(', ')}`;
  },
  stubbed: ({ snapshot }) =>
    data.stubTree.of(snapshot) === null
      ? ''
      : 'The new symbols are stubs: every new test must fail by calling one. A test that passes, or fails without reaching a stub, is rejected.',
  justification: ({ snapshot }) => data.justification.of(snapshot),
  seam: ({ snapshot }) => data.notes.of(snapshot) || (data.escalation.of(snapshot)?.why ?? ''),
  handover: ({ snapshot }) => {
    const handed = data.tests.of(snapshot);
    if (handed.length === 0) return 'This task has no tests: `check` has signed that off.';
    return bullets(handed.map(({ name, file, code }) => `${name} (${file}): fails with ${code}`));
  },
  escalation: ({ snapshot }) => {
    const { signal = '', why = '' } = data.escalation.of(snapshot) ?? {};
    return `${signal}: ${why}`;
  },
  merge_base: ({ snapshot }) => data.mergeBase.of(snapshot),
  changed: ({ judged }) => {
    const code = judged?.files.filter(({ path }) => isCode(path)) ?? [];
    return code.map(({ path, change }) => `${path} (${change})`).join(', ') || 'nothing';
  },
  suite: ({ snapshot }) =>
    bullets(
      data.suite
        .of(snapshot)
        .map(({ name, status, log }) => `${name}: ${status}${log === null ? '' : ` (output: ${log})`}`),
    ) || '- There are none.',
  deviations: ({ snapshot }) => section('Deviations that `make` reported', data.deviations.of(snapshot)),
  manifest: ({ snapshot }) =>
    section(
      'Tasks completed without tests (NOT_TESTABLE). Does each justification still hold given the final diff? Say so in `untested`',
      data.manifest
        .of(snapshot)
        .map(({ task, justification, rationale }) => `${task}: ${justification} (signed off: ${rationale})`),
    ),
  criteria: ({ files, run }) => {
    const path = issuePath(run);
    const issue = attempt(() => readIssue(files.read(path) ?? '', path));
    if (issue instanceof DocumentError) return issue.message;
    return issue.criteria.map(({ text, done }, index) => `${index + 1}. ${text}${done ? ' (ticked)' : ''}`).join('\n');
  },
};

/** What a role that writes may run, beside commands that only look. */
function commandsOf({ role, files }: DispatchContext): readonly string[] | null {
  if (role !== 'test' && role !== 'make') return null;
  return [...toolCommands(files, role === 'make' ? 'build' : 'test'), ...lookingCommands];
}

const lookingCommands = ['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'pwd'];

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n${bullets(lines)}\n`;
}

/** Only what exists: an agent sent to a missing file starts guessing. */
function artifactLines({ files, run, snapshot, workspace }: DispatchContext, wanted: readonly Artifact[]): string {
  const tasks = data.tasks.of(snapshot);
  const found: Readonly<Record<Artifact, readonly (readonly [path: string, what: string])[]>> = {
    issue: [[issuePath(run), 'the issue']],
    plan: [[planPath(run), 'the plan']],
    task: [[taskPath(run, 1), 'the task of this run']],
    tasks: Array.from({ length: tasks }, (_, index) => [taskPath(run, index + 1), `task ${index + 1}`] as const),
    fix: [[fixPath(run, data.fix.of(snapshot)), 'the task that fixes what the review found']],
  };
  const instructions = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'].map((path) => [path, 'how to work here'] as const);
  return [...instructions, ...wanted.flatMap((name) => found[name])]
    .filter(([path]) => files.exists(path))
    .map(([path, what]) => `${what}: ${workspace}/${path}`)
    .join('\n');
}

function notesOf({ snapshot, step }: DispatchContext): string {
  const notes = data.notes.of(snapshot).trim();
  if (notes === '' || step === 'add_seam') return '';
  return `\n## To be dealt with\n\n${notes}\n`;
}
