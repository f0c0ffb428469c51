/**
 * The pre-dispatch checks: each a named validator that stops a dispatch which could only go wrong.
 * They read the files as they are on disk at that moment, never what the journal remembers of them.
 */

import { DocumentError } from '../../documents/document-error.ts';
import type { DispatchContext } from '../workflow.ts';
import { answerOnDisk, APPROVED, strategyOnDisk } from './checks/rechecking.ts';
import { contextFiles } from './context-files.ts';
import { criteriaOf, tasksOf } from './documents.ts';
import { projectTypes } from './files/checklists.ts';
import { architectureProblems, hasPlaceholder, specProblems } from './files/content-checks.ts';
import * as paths from './files/paths.ts';
import { phaseOf } from './phases.ts';
import { meta, scopeOf } from './run-data.ts';

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
    phaseOf(snapshot) === 'APPROVE_DESIGN' && !step.startsWith('correct_')
      ? 'nobody is dispatched in a gate but for corrections'
      : null,

  context_files: (context) => {
    const { required, present } = contextFiles(context);
    const missing = required.filter((path) => context.files.read(path) === undefined);
    if (missing.length > 0) return `${missing.join(', ')}: it is missing, and the ${context.role} needs it`;
    return firstProblem(present, context);
  },

  placeholders: (context) => {
    const { present } = contextFiles(context);
    const gap = [...present, ...taskFiles(context)].find(hasPlaceholder);
    return gap === undefined ? null : `"${gap}" still has a placeholder in it`;
  },

  task_id: ({ item, files, run }) => {
    if (!item) return null;
    return readable({ files, run }).includes(item.id) ? null : `${paths.tasksPath(run)} has no task ${item.id}`;
  },

  project_type: ({ snapshot: { data } }) =>
    projectTypes.some((type) => type === data['projectType']) ? null : 'the project type is not set',

  repo_state: ({ snapshot: { data } }) =>
    typeof data['branch'] === 'string' ? null : 'the state of the repository is not set',

  design_approval: (context) => {
    if (isLean(context) || !afterApproval.has(context.role) || isBeforeApproval(context.step)) return null;
    const answer = answerOnDisk(context, 'UD-APPROVE-DESIGN');
    return answer !== null && APPROVED.test(answer)
      ? null
      : `${paths.statusPath(context.run)} does not say that the design is approved (UD-APPROVE-DESIGN)`;
  },

  review_strategy: (context) => {
    if (isLean(context) || !judges.has(context.role)) return null;
    const strategy = strategyOnDisk(context);
    if (strategy === null)
      return `${paths.statusPath(context.run)} has no canonical review strategy (UD-REVIEW-STRATEGY)`;
    const chosen = context.snapshot.flags['course']?.replace('_', '-');
    return strategy === chosen ? null : `${paths.statusPath(context.run)} says ${strategy}, but ${chosen} was chosen`;
  },
};

const afterApproval = new Set(['Planner', 'Coder', 'Reviewer', 'QA', 'Security', 'Integrator', 'Docs']);
const judges = new Set(['Reviewer', 'QA', 'Security']);

function isLean({ snapshot }: DispatchContext): boolean {
  return snapshot.flags['course'] === 'lean';
}

function isBeforeApproval(step: string): boolean {
  return step.startsWith('correct_');
}

function firstProblem(present: readonly string[], context: DispatchContext): string | null {
  for (const path of present) {
    const problem = contentProblem(path, context);
    if (problem !== null) return problem;
  }
  return null;
}

/** Whether a document that a role is sent to can be worked with. */
function contentProblem(path: string, context: DispatchContext): string | null {
  const { files, run } = context;
  const text = files.read(path) ?? '';
  const spec = files.read(paths.specPath(run)) ?? '';
  try {
    if (path === paths.tasksPath(run)) tasksOf(context);
    if (path === paths.acceptancePath(run)) criteriaOf(context);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  const [problem] =
    path === paths.specPath(run)
      ? specProblems(text, { lean: isLean(context) })
      : path === paths.architecturePath(run)
        ? architectureProblems(text, spec)
        : [];
  return problem === undefined ? null : `${path}: ${problem}`;
}

function taskFiles({ snapshot, files, run }: DispatchContext): readonly string[] {
  const id = scopeOf(snapshot);
  if (id === meta || files.read(paths.tasksPath(run)) === undefined) return [];
  try {
    const task = tasksOf({ files, run }).tasks.find((each) => each.id === id);
    return task ? [...task.context_files, ...task.files_expected] : [];
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}

function readable(place: Pick<DispatchContext, 'files' | 'run'>): readonly string[] {
  try {
    return tasksOf(place).tasks.map(({ id }) => id);
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}
