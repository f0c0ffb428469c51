/**
 * The pre-dispatch checks: each a named validator that stops a dispatch which could only go wrong.
 * They read the files as they are on disk at that moment, never what the journal remembers of them.
 */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { findingText } from '../../documents/finding.ts';
import type { DispatchContext } from '../workflow.ts';
import { isApprovedOnDisk, strategyOnDisk } from './checks/rechecking.ts';
import { hasPlaceholder } from './content-checks.ts';
import { contextFiles, contextFindings, isLean, tasksOf } from './documents.ts';
import { statusPath, tasksPath } from './files/paths.ts';
import type { SessionTask } from './files/tasks-file.ts';
import { phaseOf } from './machine.ts';
import { data, meta, scopeOf } from './run-data.ts';
import { designDecision, judges, projectTypes, strategyDecision } from './vocabulary.ts';

/** What is wrong; null when nothing is. */
type Validator = (context: DispatchContext) => string | null;

export interface Unfit {
  readonly validator: string;
  readonly problem: string;
}

/** The first check that fails. */
export function unfit(context: DispatchContext): Unfit | null {
  for (const [validator, check] of Object.entries(validators)) {
    const problem = check(context);
    if (problem !== null) return { validator, problem };
  }
  return null;
}

export const validators: Readonly<Record<string, Validator>> = {
  gate_state: ({ snapshot, step }) =>
    phaseOf(snapshot) === 'APPROVE_DESIGN' && !isCorrection(step)
      ? 'nobody is dispatched in a gate but for corrections'
      : null,

  context_files: (context) => {
    const [finding] = contextFindings(context);
    return finding ? findingText(finding) : null;
  },

  placeholders: (context) => {
    const id = scopeOf(context.snapshot);
    const { context_files: read = [], files_expected: written = [] } =
      (id !== meta && tasksIn(context).find((task) => task.id === id)) || {};
    const gap = [...contextFiles(context), ...read, ...written].find(hasPlaceholder);
    return gap === undefined ? null : `"${gap}" still has a placeholder in it`;
  },

  task_id: (context) => {
    const { item, run } = context;
    if (!item || tasksIn(context).some(({ id }) => id === item.id)) return null;
    return `${tasksPath(run)} has no task ${item.id}`;
  },

  project_type: ({ snapshot }) =>
    projectTypes.some((type) => type === snapshot.data['projectType']) ? null : 'the project type is not set',

  repo_state: ({ snapshot }) => (data.branch.of(snapshot) === null ? 'the state of the repository is not set' : null),

  design_approval: (context) => {
    const { snapshot, role, step, run } = context;
    const isDue = !isLean(snapshot) && !beforeApproval.includes(role) && !isCorrection(step);
    if (!isDue || isApprovedOnDisk(context)) return null;
    return `${statusPath(run)} does not say that the design is approved (${designDecision.id})`;
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

const beforeApproval: readonly string[] = ['SpecAgent', 'Researcher', 'Architect', 'Designer'];

function isCorrection(step: string): boolean {
  return step.startsWith('correct_');
}

/** None where they cannot be read, which another validator tells. */
function tasksIn(context: DispatchContext): readonly SessionTask[] {
  const read = attempt(() => tasksOf(context).tasks);
  return read instanceof DocumentError ? [] : read;
}
