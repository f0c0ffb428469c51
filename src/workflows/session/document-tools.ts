/** The tools that write a session's documents: each role its own, checked before they count. */

import { DocumentError } from '../../documents/document-error.ts';
import type { DispatchContext, ToolAnswer } from '../workflow.ts';
import { defineTool } from '../tool-definition.ts';
import { readConfig } from './config.ts';
import { criteriaOf, shellRefused, wantsShell } from './documents.ts';
import { criteriaProblems, renderAcceptance } from './files/acceptance-file.ts';
import { architectureProblems, hasPlaceholder, specProblems } from './files/content-checks.ts';
import * as paths from './files/paths.ts';
import { planProblems, readTasks, renderTasks, type SessionTask, type TaskStatus } from './files/tasks-file.ts';
import { toolArguments } from './tool-arguments.ts';
import type { Role } from './vocabulary.ts';

/** Which documents a role may write, by their path in the session folder. */
export const documentsOf: Readonly<Partial<Record<Role, { readonly pattern: RegExp; readonly words: string }>>> = {
  SpecAgent: { pattern: /^spec\.md$/, words: 'spec.md' },
  Researcher: { pattern: /^research\/[\w.-]{1,80}\.md$/, words: 'research/<name>.md' },
  Architect: {
    pattern: /^(?:architecture\.md|adr\/ADR-\d{3}\.md)$/,
    words: 'architecture.md or adr/ADR-001.md',
  },
  Designer: { pattern: /^design-specs\/[\w.-]{1,80}\.md$/, words: 'design-specs/<name>.md' },
};

export const writeDocument = defineTool(toolArguments.write_document, {
  description: 'Writes one of your documents into the session folder, as a whole. Call it again to replace it.',
  roles: Object.keys(documentsOf),
  report: { once: false },
  run({ path, content }, context) {
    const allowed = Object.entries(documentsOf).find(([role]) => role === context.role)?.[1];
    if (!allowed?.pattern.test(path) || hasPlaceholder(path))
      return {
        error: `"${path}" is not yours to write, nothing was written; expected ${allowed?.words ?? 'nothing'}.`,
      };
    const text = `${content.trimEnd()}\n`;
    const problems = contentProblems(path, text, context);
    if (problems.length > 0) return refused(path, problems);
    return written(`${paths.sessionFolder(context.run)}/${path}`, text);
  },
});

function contentProblems(path: string, text: string, { files, run, step }: DispatchContext): readonly string[] {
  if (path === 'spec.md') return specProblems(text, { lean: step === 'intake_lean' });
  if (path === 'architecture.md') return architectureProblems(text, files.read(paths.specPath(run)) ?? '');
  return [];
}

export const writeAcceptance = defineTool(toolArguments.write_acceptance, {
  description: 'Writes acceptance.json: the criteria by which the session is judged, and how each is verified.',
  roles: ['SpecAgent'],
  report: { once: false },
  run({ criteria }, context) {
    const problems = [
      ...criteriaProblems(criteria),
      ...shellProblems(
        criteria.flatMap(({ verify }) => verify),
        context,
      ),
    ];
    if (problems.length > 0) return refused('acceptance.json', problems);
    return written(paths.acceptancePath(context.run), renderAcceptance(criteria));
  },
});

export const writeTasks = defineTool(toolArguments.write_tasks, {
  description: 'Writes tasks.yaml: the tasks, what each depends on, and how one sees that it is done.',
  roles: ['Planner', 'SpecAgent'],
  report: { once: false },
  run({ project, tasks }, context) {
    const lean = context.step === 'intake_lean';
    if (context.role === 'SpecAgent' && !lean)
      return {
        error: 'Only a lean session has its task from you, nothing was written; leave planning to the Planner.',
      };
    const path = paths.tasksPath(context.run);
    const standing = plannedBefore(context, path);
    const content = renderTasks({
      project,
      tasks: tasks.map((task) => ({ ...task, status: statusOf(task, standing) })),
    });
    const file = readTasks(content, path);
    const acceptanceIds = criteriaOf(context).map(({ id }) => id);
    const checks = file.tasks.flatMap(({ acceptance_checks: each }) => each);
    const problems = [...planProblems(file, { acceptanceIds, lean }), ...shellProblems(checks, context)];
    return problems.length > 0 ? refused('tasks.yaml', problems) : written(path, content);
  },
});

function plannedBefore({ files }: DispatchContext, path: string): readonly SessionTask[] {
  const text = files.read(path);
  try {
    return text === undefined ? [] : readTasks(text, path).tasks;
  } catch (error) {
    // What cannot be read any more is what a new plan is for.
    if (error instanceof DocumentError) return [];
    throw error;
  }
}

/** A new plan does not undo what was done: tasks that stay what they were keep their status, which no agent sets. */
function statusOf(task: Pick<SessionTask, 'id' | 'goal'>, standing: readonly SessionTask[]): TaskStatus {
  return standing.find(({ id, goal }) => id === task.id && goal === task.goal)?.status ?? 'not-started';
}

function shellProblems(checks: readonly string[], { files }: DispatchContext): readonly string[] {
  const { allowShell } = readConfig(files).config.session;
  return allowShell ? [] : checks.filter(wantsShell).map(shellRefused);
}

function refused(name: string, problems: readonly string[]): ToolAnswer {
  return {
    error: [
      `${name} is not complete, nothing was written. Mend this and call it again:`,
      ...problems.map((each) => `- ${each}`),
    ].join('\n'),
  };
}

function written(path: string, content: string): ToolAnswer {
  return { text: `Written: ${path}.`, writes: [{ path, content }] };
}
