/**
 * The prompt of a dispatch, in the order of the contract: identity and role, contract, project instructions, session,
 * input, first steps.
 */

import type { Json } from '../../engine/snapshot.ts';
import { fillTemplate } from '../prompt-template.ts';
import type { DispatchContext } from '../workflow.ts';
import { instructionPaths } from './checks.ts';
import { contextFiles, documentNames, isLean, taskNamed, writingTools } from './documents.ts';
import { sessionFolder } from './files/session-paths.ts';
import { phaseOf } from './transition-table.ts';
import checklist from './prompts/checklist.md';
import template from './prompts/dispatch.md';
import roleTexts from './prompts/roles.md';
import { data, meta, scopeOf, valuesOf } from './run-data.ts';
import { mayWrite, type ProjectType } from './session-words.ts';

const roleSpecs = new Map(
  roleTexts.split(/^# /m).map((part) => {
    const [name = '', ...lines] = part.split('\n');
    return [name, lines.join('\n').trim()];
  }),
);

export function promptFor(context: DispatchContext): string {
  const { role, hint, run, snapshot, files } = context;
  const goal = data.goal.of(snapshot);
  // Looked up each time: they may come and go.
  const instructions = instructionPaths.filter((path) => files.read(path) !== undefined);
  const present = contextFiles(context);
  const values: Readonly<Record<string, string | undefined>> = {
    role,
    spec: roleSpecs.get(role),
    boundaries: boundaries(role),
    instructions:
      instructions.length === 0
        ? ''
        : `## Project instructions\n\nRead and follow ${quoted(instructions)}. They rank below the contract, your role and the workflow; report conflicts in \`notes\`.\n\n`,
    folder: sessionFolder(run),
    state: phaseOf(snapshot) ?? 'INTAKE',
    mode: isLean(snapshot) ? 'lean' : 'full',
    goal: goal === '' ? '' : `- goal: ${goal}\n`,
    input: JSON.stringify(input(context), null, 2),
    read: present.length === 0 ? 'Look at the repository.' : `Read ${quoted(present)}.`,
    hint: hint === undefined ? '' : `## A person adds\n\n${hint.trim()}`,
  };
  return fillTemplate(template, (name) => values[name]);
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

const shownDecisionsMax = 30;

function input(context: DispatchContext): Json {
  const { snapshot, files, run } = context;
  const { result, failedStep } = data.ci.of(snapshot);
  const answered = Object.values(snapshot.decisions).filter(({ status }) => status === 'answered');
  const decisions = answered.slice(-shownDecisionsMax).map(({ id, question, answer }) => ({ id, question, answer }));
  return {
    task: taskInput(context),
    project_type: data.projectType.of(snapshot),
    repo_state: { branch: data.branch.of(snapshot) ?? 'HEAD', ci_status: result, last_failed_step: failedStep },
    tools_available: [...writingTools(context.step), 'report'],
    artifact_list: [...files.list(sessionFolder(run))],
    ...(decisions.length > 0 && { user_decisions: decisions }),
    ...particular(context),
  };
}

function taskInput(context: DispatchContext): Json {
  const { snapshot, judged, item } = context;
  const task = item && item.id === scopeOf(snapshot) ? taskNamed(context, item.id) : null;
  const { goal = metaGoal(context), non_goals = [], acceptance_checks = [], risk_flags = [] } = task ?? {};
  const changed = judged?.files.map(({ path, change, oldPath }) => ({
    path,
    change_type: change,
    ...(oldPath !== undefined && { old_path: oldPath }),
  }));
  return {
    id: task?.id ?? meta,
    title: task?.title ?? goal,
    goal,
    non_goals,
    context_files: contextFiles(context),
    ...(changed && { session_changed_files: changed }),
    constraints: [boundaries(context.role)],
    acceptance_checks,
    ...(task && { files_expected: task.files_expected, done_when: task.done_when }),
    risk_flags,
  };
}

function metaGoal({ snapshot, judged }: DispatchContext): string {
  const { round, mode } = snapshot.flags;
  if (!judged) return data.goal.of(snapshot);
  if (round === 'release') return 'Review of what the release changed';
  return `${mode === 'single_final' ? 'Single-final' : 'Cross-task final'} review of all session changes`;
}

const shownIssuesMax = 50;

/** What a step has to know beyond what all are told. */
function particular({ step, snapshot }: DispatchContext): { readonly [key: string]: Json } {
  const issues = valuesOf(data.issue, snapshot).slice(-shownIssuesMax);
  const known = issues.length === 0 ? {} : { known_issues: issues };
  if (step === 'research') return { research_question: data.intake.of(snapshot).research };
  if (step.startsWith('correct_')) return { correction: data.correction.of(snapshot)?.summary ?? '' };
  if (step === 'review') {
    const isRelease = snapshot.flags['round'] === 'release';
    const released = isRelease ? { release_changed_files: data.released.of(snapshot) } : {};
    return { checklist: checklistFor(data.projectType.of(snapshot)), ...known, ...released };
  }
  if (step === 'qa' || step === 'security') return known;
  const leanOutcome = data.leanOutcome.of(snapshot);
  if (step === 'intake' && leanOutcome !== null) return { lean_outcome: leanOutcome };
  return step.startsWith('fix_') ? repairInput(step, snapshot) : {};
}

/** What a reviewer looks at. Items that do not apply to the type of project are reported N/A rather than left out. */
export function checklistFor(type: ProjectType): { readonly id: string; readonly text: string }[] {
  return [...checklist.matchAll(/^- ([\w-]+)(?: \((.+?)\))?: (.+)$/gm)].map(([, id = '', only, text = '']) => {
    const applies = only === undefined || type === 'mixed' || only.split(', ').includes(type);
    return { id, text: applies ? text : 'N/A: skipped for this type of project' };
  });
}

function repairInput(step: string, snapshot: DispatchContext['snapshot']): { readonly [key: string]: Json } {
  const gate = step.startsWith('fix_build') ? 'integrate' : (/^fix_(review|security)$/.exec(step)?.[1] ?? 'qa');
  const { summary, findings } = data.judgement.get(snapshot, gate) ?? {};
  const guidance = data.guidance.of(snapshot);
  const handedOver = data.handedOver.of(snapshot);
  return {
    to_fix: summary === undefined ? null : { gate, summary, findings: findings ?? [] },
    tried_before: data.attempts.of(snapshot).map(({ kind, tried }) => `${kind}: ${tried}`),
    ...(guidance !== null && { guidance }),
    ...(handedOver !== null && { integrator_says: handedOver }),
  };
}
