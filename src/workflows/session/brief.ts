/**
 * What each dispatch of a session is sent off with, or why it is not sent at all. Named validators stop one which could
 * only go wrong. They read the files as they are on disk at that moment, never what the journal remembers of them.
 */

import { findingText } from '../../documents/finding.ts';
import type { Brief, DispatchContext, Dispatching, Skip } from '../workflow.ts';
import { openFindings, openNotes } from './ask-user.ts';
import { isApprovedOnDisk, strategyOnDisk } from './checks.ts';
import { conclude } from './conclude.ts';
import { hasPlaceholder } from './content-checks.ts';
import { contextFiles, contextFindings, isLean, taskNamed, tasksIfReadable } from './documents.ts';
import { resumeCommand, statusPath, tasksPath } from './files/session-paths.ts';
import { isDesignAsApproved } from './gates.ts';
import { phaseOf } from './transition-table.ts';
import { promptFor } from './prompt.ts';
import { data, meta, scopeOf } from './run-data.ts';
import { tools } from './tools.ts';
import { designDecision, judges, projectTypes, strategyDecision } from './session-words.ts';

export const dispatching: Dispatching = { tools, brief, conclude };

export function brief(context: DispatchContext): Brief | Skip {
  const { role, run, snapshot } = context;
  const stopped = unfit(context);
  if (stopped) {
    const { validator, problem: message } = stopped;
    const problem = { code: `pre_dispatch_${validator}`, message, fix: `fix it, then run ${resumeCommand(run)}` };
    return { signal: { name: 'unfit', problem }, why: `${role} is not dispatched: ${message}` };
  }
  // The more is at stake, the stronger the model.
  const isHard = role === 'Architect' || role === 'Planner' || role === 'Security';
  const complexity = snapshot.flags['mode'] === 'lean' ? 'low' : isHard ? 'high' : 'medium';
  return skipped(context) ?? { prompt: promptFor(context), closedBy: 'report', complexity };
}

export function unfit(context: DispatchContext): { readonly validator: string; readonly problem: string } | null {
  for (const [validator, check] of Object.entries(validators)) {
    const problem = check(context);
    if (problem !== null) return { validator, problem };
  }
  return null;
}

export const validators: Readonly<Record<string, (context: DispatchContext) => string | null>> = {
  gate_state: ({ snapshot, step }) =>
    phaseOf(snapshot) === 'APPROVE_DESIGN' && !step.startsWith('correct_')
      ? 'a gate dispatches only corrections'
      : null,

  context_files: (context) => {
    const [finding] = contextFindings(context);
    return finding ? findingText(finding) : null;
  },

  placeholders: (context) => {
    const id = scopeOf(context.snapshot);
    const { context_files: read = [], files_expected: written = [] } =
      (id !== meta && tasksIfReadable(context).find((task) => task.id === id)) || {};
    const gap = [...contextFiles(context), ...read, ...written].find(hasPlaceholder);
    return gap === undefined ? null : `"${gap}" still has a placeholder in it`;
  },

  task_id: (context) => {
    const { item, run } = context;
    if (!item || tasksIfReadable(context).some(({ id }) => id === item.id)) return null;
    return `${tasksPath(run)} has no task ${item.id}`;
  },

  project_type: ({ snapshot }) =>
    projectTypes.some((type) => type === snapshot.data['projectType']) ? null : 'the project type is not set',

  repo_state: ({ snapshot }) => (data.branch.of(snapshot) === null ? 'the state of the repository is not set' : null),

  design_approval: (context) => {
    const { snapshot, role, step, run } = context;
    const isBefore = step.startsWith('correct_') || ['SpecAgent', 'Researcher', 'Architect', 'Designer'].includes(role);
    if (isLean(snapshot) || isBefore) return null;
    if (!isApprovedOnDisk(context))
      return `${statusPath(run)} does not say that the design is approved (${designDecision.id})`;
    return isDesignAsApproved(context) ? null : `the design is not what was approved last (${designDecision.id})`;
  },

  review_strategy: (context) => {
    if (isLean(context.snapshot) || !judges.includes(context.role)) return null;
    const file = statusPath(context.run);
    const strategy = strategyOnDisk(context);
    if (strategy === null) return `${file} has no canonical review strategy (${strategyDecision.id})`;
    const chosen = context.snapshot.flags['mode']?.replace('_', '-');
    return strategy === chosen ? null : `${file} says ${strategy}, but ${chosen} was chosen`;
  },
};

/** Roles that are not needed, and judgements that stand because nothing has changed. */
function skipped(context: DispatchContext): Skip | null {
  const { step, role, snapshot, item } = context;
  const { needsResearch, hasUi } = data.intake.of(snapshot);
  const skip = (name: string, why: string): Skip => ({ signal: { name }, why });
  if (step === 'research' && !needsResearch) return skip('not_needed', 'no research was asked for');
  if (step === 'design_ui' && !hasUi) return skip('not_needed', 'there is no user interface');
  if (step === 'code' && item && taskNamed(context, item.id).status === 'implemented')
    return skip('reported', 'the task is implemented already');
  if (step === 'fix_build' && snapshot.flags['mode'] === 'lean')
    return skip('hand_over', 'in a lean session the Coder fixes the build');
  if (!judges.includes(role) || step.startsWith('fix_')) return null;
  if (stands(context)) return skip('unchanged', 'it passed, and nothing has changed since');
  return isNeeded(context) ? null : skip('not_needed', `no change that concerns ${role}`);
}

/** The same gate passed for the same purpose, and the files are the very same. */
function stands({ step, snapshot, history, judged }: DispatchContext): boolean {
  if (data.pass.get(snapshot, step) !== scopeOf(snapshot) || judged === undefined) return false;
  const last = history.findLast((each) => each.step === step && each.problem === null);
  if (last === undefined || last.tree !== judged.digest) return false;
  if (last.signal.startsWith('passed') || last.id === data.accepted.of(snapshot)) return true;
  // A person has decided about everything it found.
  if (step === 'review') return last.signal === 'notes' && openNotes(snapshot).length === 0;
  return step === 'security' && last.signal === 'decision' && openFindings(snapshot).length === 0;
}

/**
 * QA looks at behaviour, Security at risk, by what was touched since the last judgement was complete.
 * A single final pass is the only look they get; otherwise they join the final pass where they have not worked yet,
 * so that every core role has.
 */
function isNeeded({ step, snapshot, history }: DispatchContext): boolean {
  const { behaviour, risky } = data.touched.of(snapshot);
  const { mode, round } = snapshot.flags;
  if (step === 'review' || (step === 'qa' ? behaviour : risky)) return true;
  if (round === 'task' || mode === 'lean') return false;
  const worked = history.some((each) => each.step === step && each.problem === null);
  return !worked || mode === 'single_final';
}
