/**
 * The prompt of a dispatch, in the order of the contract: identity and role, contract, project instructions, session,
 * input, first steps.
 */

import type { Json } from '../../engine/snapshot.ts';
import type { DispatchContext } from '../workflow.ts';
import { instructionPaths } from './checks.ts';
import { contextFiles, documentNames, isLean, taskNamed, writingTools } from './documents.ts';
import { sessionFolder } from './files/paths.ts';
import { phaseOf } from './machine.ts';
import checklist from './prompts/checklist.md';
import contract from './prompts/contract.md';
import roleTexts from './prompts/roles.md';
import { data, meta, scopeOf, valuesOf } from './run-data.ts';
import { mayWrite, type ProjectType } from './vocabulary.ts';

const roleSpecs = new Map(
  roleTexts.split(/^# /m).map((part) => {
    const [name = '', ...lines] = part.split('\n');
    return [name, lines.join('\n').trim()];
  }),
);

export function promptFor(context: DispatchContext): string {
  const { role, hint } = context;
  const spec = roleSpecs.get(role);
  if (spec === undefined) throw new Error(`internal error: there is no role "${role}"`);
  const parts = [
    `# You are the ${role}\n\n${spec}\n\n${boundaries(role)}`,
    contract.trim(),
    instructions(context),
    session(context),
    `## Input\n\n\`\`\`json\n${JSON.stringify(input(context), null, 2)}\n\`\`\``,
    firstSteps(context),
    ...(hint === undefined ? [] : [`## A person adds\n\n${hint.trim()}`]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function boundaries(role: string): string {
  const globs = mayWrite[role];
  const names = documentNames(role);
  const own = names === '' ? '' : ` Your documents (${names}) are written with the tool \`write_document\`.`;
  if (globs === undefined)
    return `You write no files yourself: if anything in the work tree changes, your report does not count.${own}`;
  return `You may write ${quoted(globs)} and nothing else: if anything else changes, your report does not count. Do not commit, push or switch branches.`;
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

/** Looked up each time: it may come and go. */
function instructions({ files }: DispatchContext): string {
  const found = instructionPaths.filter((path) => files.read(path) !== undefined);
  return found.length === 0
    ? ''
    : `## Project instructions\n\nRead and follow ${quoted(found)}. They rank below the contract, your role and the workflow; report conflicts in \`notes\`.`;
}

function session({ run, snapshot }: DispatchContext): string {
  const goal = data.goal.of(snapshot);
  return [
    '## Session',
    '',
    `- folder: \`${sessionFolder(run)}/\``,
    `- state: ${phaseOf(snapshot) ?? 'INTAKE'}, mode: ${isLean(snapshot) ? 'lean' : 'full'}`,
    ...(goal === '' ? [] : [`- goal: ${goal}`]),
  ].join('\n');
}

function input(context: DispatchContext): Json {
  const { snapshot, files, run } = context;
  const { result, failedStep } = data.ci.of(snapshot);
  return {
    task: taskInput(context),
    project_type: data.projectType.of(snapshot),
    repo_state: { branch: data.branch.of(snapshot) ?? 'HEAD', ci_status: result, last_failed_step: failedStep },
    tools_available: [...writingTools(context.step), 'report'],
    artifact_list: [...files.list(sessionFolder(run))],
    ...decided(context),
    ...particular(context),
  };
}

function taskInput(context: DispatchContext): Json {
  const { snapshot, judged, item } = context;
  const task = item && item.id === scopeOf(snapshot) ? taskNamed(context, item.id) : null;
  const goal = task?.goal ?? metaGoal(context);
  return {
    id: task?.id ?? meta,
    title: task?.title ?? goal,
    goal,
    non_goals: task?.non_goals ?? [],
    context_files: contextFiles(context),
    ...(task && { files_expected: task.files_expected }),
    ...(judged && { session_changed_files: judged.files.map(changedFile) }),
    constraints: [boundaries(context.role)],
    acceptance_checks: task?.acceptance_checks ?? [],
    ...(task && { done_when: task.done_when }),
    risk_flags: task?.risk_flags ?? [],
  };
}

function metaGoal({ snapshot, judged }: DispatchContext): string {
  const { round, mode } = snapshot.flags;
  if (!judged) return data.goal.of(snapshot);
  if (round === 'release') return 'Review of what the release changed';
  return `${mode === 'single_final' ? 'Single-final' : 'Cross-task final'} review of all session changes`;
}

function changedFile({ path, change, oldPath }: NonNullable<DispatchContext['judged']>['files'][number]): Json {
  return { path, change_type: change, ...(oldPath !== undefined && { old_path: oldPath }) };
}

const shownDecisionsMax = 30;

/** What a person said so far: it binds everybody. */
function decided({ snapshot }: DispatchContext): { readonly user_decisions?: Json } {
  const answers = Object.values(snapshot.decisions)
    .filter(({ status }) => status === 'answered')
    .slice(-shownDecisionsMax)
    .map(({ id, question, answer }) => ({ id, question, answer }));
  return answers.length === 0 ? {} : { user_decisions: answers };
}

function particular(context: DispatchContext): { readonly [key: string]: Json } {
  const { step, snapshot } = context;
  if (step === 'research') return { research_question: data.intake.of(snapshot).research };
  if (step.startsWith('correct_')) return { correction: data.correction.of(snapshot)?.summary ?? '' };
  if (step === 'review') return { checklist: checklistFor(data.projectType.of(snapshot)), ...known(context) };
  if (step === 'qa' || step === 'security') return known(context);
  const leanOutcome = data.leanOutcome.of(snapshot);
  if (step === 'intake' && leanOutcome !== null) return { lean_outcome: leanOutcome };
  return step.startsWith('fix_') ? repairInput(context) : {};
}

/** What a reviewer looks at. Items that do not apply to the type of project are reported N/A rather than left out. */
export function checklistFor(type: ProjectType): { readonly id: string; readonly text: string }[] {
  return [...checklist.matchAll(/^- ([\w-]+)(?: \((.+?)\))?: (.+)$/gm)].map(([, id = '', only, text = '']) => {
    const applies = only === undefined || type === 'mixed' || only.split(', ').includes(type);
    return { id, text: applies ? text : 'N/A: skipped for this type of project' };
  });
}

const shownIssuesMax = 50;

function known({ snapshot }: DispatchContext): { readonly [key: string]: Json } {
  const issues = valuesOf(data.issue, snapshot);
  return issues.length === 0 ? {} : { known_issues: issues.slice(-shownIssuesMax) };
}

const gates: Readonly<Record<string, string>> = {
  fix_review: 'review',
  fix_security: 'security',
  fix_build: 'integrate',
  fix_build_code: 'integrate',
};

function repairInput({ step, snapshot }: DispatchContext): { readonly [key: string]: Json } {
  const gate = gates[step] ?? 'qa';
  const { summary, findings } = data.judgement.get(snapshot, gate) ?? {};
  const guidance = data.guidance.of(snapshot);
  const handedOver = data.handedOver.of(snapshot);
  return {
    to_mend: summary === undefined ? null : { gate, summary, findings: findings ?? [] },
    tried_before: data.attempts.of(snapshot).map(({ kind, tried }) => `${kind}: ${tried}`),
    ...(guidance !== null && { guidance }),
    ...(handedOver !== null && { integrator_says: handedOver }),
  };
}

function firstSteps(context: DispatchContext): string {
  const present = contextFiles(context);
  const read = present.length === 0 ? 'Look at the repository.' : `Read ${quoted(present)}.`;
  return `## First steps\n\n1. ${read}\n2. Do your part, no more.\n3. End by calling the tool \`report\` once (a tool of the MCP server \`pawl\`; if you do not see it, search your tools for its name).`;
}
