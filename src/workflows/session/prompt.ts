/**
 * The prompt of a dispatch, in the order of the contract: identity and role, contract, project instructions, session,
 * input, first steps.
 */

import type { Json } from '../../engine/snapshot.ts';
import type { DispatchContext } from '../workflow.ts';
import { instructionPaths } from './checks/designing.ts';
import { contextFiles } from './context-files.ts';
import { tasksOf } from './documents.ts';
import { documentsOf } from './document-tools.ts';
import { checklistFor } from './files/checklists.ts';
import * as paths from './files/paths.ts';
import type { SessionTask } from './files/tasks-file.ts';
import { phaseOf } from './phases.ts';
import architect from './prompts/architect.md';
import coder from './prompts/coder.md';
import contract from './prompts/contract.md';
import designer from './prompts/designer.md';
import docs from './prompts/docs.md';
import integrator from './prompts/integrator.md';
import planner from './prompts/planner.md';
import qa from './prompts/qa.md';
import researcher from './prompts/researcher.md';
import reviewer from './prompts/reviewer.md';
import security from './prompts/security.md';
import specAgent from './prompts/spec-agent.md';
import {
  attemptsOf,
  ciOf,
  correctionOf,
  goalOf,
  intakeOf,
  judgementOf,
  knownIssuesOf,
  meta,
  projectTypeOf,
  scopeOf,
} from './run-data.ts';
import type { Role } from './vocabulary.ts';
import { mayWrite } from './write-bounds.ts';

const roleSpecs: Readonly<Record<Role, string>> = {
  SpecAgent: specAgent,
  Researcher: researcher,
  Architect: architect,
  Designer: designer,
  Planner: planner,
  Coder: coder,
  Reviewer: reviewer,
  QA: qa,
  Security: security,
  Integrator: integrator,
  Docs: docs,
};

export function promptFor(context: DispatchContext): string {
  const role = roleOf(context);
  const parts = [
    `# You are the ${role}\n\n${roleSpecs[role].trim()}\n\n${boundaries(role)}`,
    contract.trim(),
    instructions(context),
    session(context),
    `## Input\n\n\`\`\`json\n${JSON.stringify(input(context), null, 2)}\n\`\`\``,
    firstSteps(context),
    ...(context.hint === undefined ? [] : [`## A person adds\n\n${context.hint.trim()}`]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function roleOf({ role }: DispatchContext): Role {
  const known = Object.keys(roleSpecs).find((each): each is Role => each === role);
  if (!known) throw new Error(`there is no role "${role}"`);
  return known;
}

function boundaries(role: Role): string {
  const globs = mayWrite[role];
  const documents = documentsOf[role];
  const own = documents ? ` Your documents (${documents.words}) are written with the tool \`write_document\`.` : '';
  if (globs === null)
    return `You write no files yourself: if anything in the work tree changes, your report does not count.${own}`;
  const shown = globs.map((glob) => `\`${glob}\``).join(', ');
  return `You may write ${shown} and nothing else: if anything else changes, your report does not count. Do not commit, push or switch branches.`;
}

/** Looked up each time: it may come and go. */
function instructions({ files }: DispatchContext): string {
  const found = instructionPaths.filter((path) => files.read(path) !== undefined);
  return found.length === 0
    ? ''
    : `## Project instructions\n\nRead and follow ${found.map((path) => `\`${path}\``).join(', ')}. They rank below the contract, your role and the workflow; report conflicts in \`notes\`.`;
}

function session({ run, snapshot }: DispatchContext): string {
  const mode = snapshot.flags['course'] === 'lean' ? 'lean' : 'full';
  const goal = goalOf(snapshot);
  return [
    '## Session',
    '',
    `- folder: \`${paths.sessionFolder(run)}/\``,
    `- state: ${phaseOf(snapshot) ?? 'INTAKE'}, mode: ${mode}`,
    ...(goal === '' ? [] : [`- goal: ${goal}`]),
  ].join('\n');
}

function input(context: DispatchContext): Json {
  const { snapshot, files, run } = context;
  const { result, failedStep } = ciOf(snapshot);
  const branch = snapshot.data['branch'];
  return {
    task: taskInput(context),
    project_type: projectTypeOf(snapshot),
    repo_state: {
      branch: typeof branch === 'string' ? branch : 'HEAD',
      ci_status: result,
      last_failed_step: failedStep,
    },
    tools_available: toolsOf(context),
    artifact_list: [...files.list(paths.sessionFolder(run))],
    ...decided(context),
    ...particular(context),
  };
}

function toolsOf({ role, step }: DispatchContext): Json {
  return [
    ...(roleHasDocuments(role) ? ['write_document'] : []),
    ...(role === 'SpecAgent' ? ['write_acceptance'] : []),
    ...(role === 'Planner' || step === 'intake_lean' ? ['write_tasks'] : []),
    'report',
  ];
}

function roleHasDocuments(role: string): boolean {
  return Object.hasOwn(documentsOf, role);
}

const metaGoals = {
  final: 'Single-final review of all session changes',
  cross: 'Cross-task final review of all session changes',
  release: 'Review of what the release changed',
};

function taskInput(context: DispatchContext): Json {
  const { snapshot, judged } = context;
  const task = currentTask(context);
  const changed = judged ? { session_changed_files: judged.files.map(changedFile) } : {};
  const files = { context_files: contextFiles(context).present };
  if (task)
    return {
      id: task.id,
      title: task.title,
      goal: task.goal,
      non_goals: task.non_goals,
      ...files,
      files_expected: task.files_expected,
      ...changed,
      constraints: [boundaries(roleOf(context))],
      acceptance_checks: task.acceptance_checks,
      done_when: task.done_when,
      risk_flags: task.risk_flags,
    };
  const { round, course } = snapshot.flags;
  const goal =
    judged === undefined
      ? goalOf(snapshot)
      : round === 'release'
        ? metaGoals.release
        : course === 'single_final'
          ? metaGoals.final
          : metaGoals.cross;
  return {
    id: meta,
    title: goal,
    goal,
    non_goals: [],
    ...files,
    ...changed,
    constraints: [boundaries(roleOf(context))],
    acceptance_checks: [],
    risk_flags: [],
  };
}

function changedFile({ path, change, oldPath }: NonNullable<DispatchContext['judged']>['files'][number]): Json {
  return { path, change_type: change, ...(oldPath !== undefined && { old_path: oldPath }) };
}

function currentTask(context: DispatchContext): SessionTask | undefined {
  const id = scopeOf(context.snapshot);
  if (id === meta || context.item?.id !== id) return undefined;
  return tasksOf(context).tasks.find((task) => task.id === id);
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

/** What this step in particular has to know. */
function particular(context: DispatchContext): { readonly [key: string]: Json } {
  const { step, snapshot } = context;
  const { research } = intakeOf(snapshot);
  if (step === 'research') return { research_question: research };
  if (step.startsWith('correct_')) return { correction: correctionOf(snapshot)?.summary ?? '' };
  if (step === 'review') return { checklist: checklist(context), ...known(context) };
  if (step === 'qa' || step === 'security') return known(context);
  if (step === 'intake' && typeof snapshot.data['leanOutcome'] === 'string')
    return { lean_outcome: snapshot.data['leanOutcome'] };
  return step.startsWith('fix_') ? repairInput(context) : {};
}

function checklist({ snapshot }: DispatchContext): Json {
  return checklistFor(projectTypeOf(snapshot)).map(({ id, text, applies }) => ({
    id,
    text: applies ? text : 'N/A: skipped for this type of project',
  }));
}

const shownIssuesMax = 50;

function known({ snapshot }: DispatchContext): { readonly [key: string]: Json } {
  const issues = knownIssuesOf(snapshot);
  return issues.length === 0 ? {} : { known_issues: issues.slice(-shownIssuesMax) };
}

/** What is to be mended, what was tried, and what a person said about it. */
function repairInput({ step, snapshot }: DispatchContext): { readonly [key: string]: Json } {
  const gate = step.startsWith('fix_build')
    ? 'integrate'
    : step === 'fix_review'
      ? 'review'
      : step === 'fix_security'
        ? 'security'
        : 'qa';
  const judgement = judgementOf(snapshot, gate);
  const { guidance, handedOver } = snapshot.data;
  return {
    to_mend: judgement === null ? null : { gate, summary: judgement.summary, findings: [...judgement.findings] },
    tried_before: attemptsOf(snapshot).map(({ kind, tried }) => `${kind}: ${tried}`),
    ...(typeof guidance === 'string' && { guidance }),
    ...(typeof handedOver === 'string' && { integrator_says: handedOver }),
  };
}

function firstSteps(context: DispatchContext): string {
  const { present } = contextFiles(context);
  const read =
    present.length === 0 ? 'Look at the repository.' : `Read ${present.map((path) => `\`${path}\``).join(', ')}.`;
  return `## First steps\n\n1. ${read}\n2. Do your part, no more.\n3. End by calling the tool \`report\` once (a tool of the MCP server \`pawl\`; if you do not see it, search your tools for its name).`;
}
