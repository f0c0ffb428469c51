/** What implementer and archivist report with. */

import { isBlocking } from '../../documents/finding.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { setTaskStatus, type Task } from '../../documents/tasks.ts';
import { defineTool } from '../tool-definition.ts';
import type { DispatchContext } from '../workflow.ts';
import { specAt, tasksIn } from './read-documents.ts';
import { mainSpecPath, mergedSpecPath, specPath, tasksPath } from './paths.ts';
import { itemTasks } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';

export const updateTask = defineTool(toolArguments.update_task, {
  description:
    'Sets the status of one task in tasks.md. Call it as soon as a task is completed or turns out to be blocked.',
  roles: ['implementer'],
  report: { once: false },
  run({ task_id: id, status }, context) {
    const path = tasksPath(context.run);
    const before = context.files.read(path);
    if (before === undefined) return { error: `There is no ${path}.` };
    const tasks = tasksIn(context)?.tasks ?? [];
    const known = tasks.map((task) => task.id);
    const allowed = context.step === 'implement' ? itemTasks(context.item) : known;
    if (!known.includes(id))
      return { error: `There is no task "${id}", nothing was written; known: ${known.join(', ')}.` };
    if (!allowed.includes(id)) {
      return { error: `Task "${id}" is not part of this dispatch, nothing was written; yours: ${allowed.join(', ')}.` };
    }
    const isOpen = (task: Task) => ['pending', 'in_progress'].includes(task.id === id ? status : task.status);
    const open = tasks.filter((task) => allowed.includes(task.id) && isOpen(task)).map((task) => task.id);
    const left = open.length === 0 ? 'None of your tasks is left.' : `Left: ${open.join(', ')}.`;
    const content = setTaskStatus(before, id, status, path);
    return { text: `Task ${id} is ${status}. ${left}`, writes: [{ path, content }] };
  },
});

export const writeMainSpec = defineTool(toolArguments.write_main_spec, {
  description: 'Files the merged text of one main spec. It takes effect after a review.',
  roles: ['archivist'],
  report: { once: false },
  run({ spec_id: id, content }, context) {
    if (context.item && context.item.id !== id) {
      return { error: `spec_id is "${id}", nothing was written; expected "${context.item.id}".` };
    }
    const path = mergedSpecPath(context.run, id);
    const text = `${content.trimEnd()}\n`;
    const spec = readSpec(text, path);
    const mistakes = specMistakes(spec, id);
    if (mistakes.length > 0) {
      return { error: ['This is not a readable spec, nothing was written:', ...mistakes].join('\n') };
    }
    const lost = lostRequirements(spec, id, context);
    const warning =
      lost.length === 0
        ? ''
        : ` Gone without being removed or renamed by the change: ${lost.join(', ')}. If that is wrong, call again.`;
    return {
      text: `Written: ${path}, ${spec.requirements.length} requirements.${warning}`,
      writes: [{ path, content: text }],
    };
  },
});

function specMistakes(spec: Spec, id: string): string[] {
  return [
    ...(spec.hasFront ? [] : [`- the front matter is missing; expected it to begin with ---, id: ${id}, type: spec`]),
    ...(spec.id === id ? [] : [`- id is "${spec.id}"; expected "${id}"`]),
    ...(spec.requirements.length > 0
      ? []
      : ['- there is no requirement; expected "### R1: title" under "## Requirements"']),
    ...twins(spec).map((twin) => `- requirement ${twin} is there twice; expected one`),
    ...spec.findings.filter(isBlocking).map(({ line, message, fix }) => `- line ${line}: ${message}; ${fix}`),
  ];
}

function twins({ requirements }: Spec): string[] {
  const ids = requirements.map(({ id }) => id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

function lostRequirements(merged: Spec, id: string, { files, run }: DispatchContext): string[] {
  const main = specAt(files, mainSpecPath(id));
  const change = specAt(files, specPath(run, id));
  const accounted = new Set([
    ...merged.requirements.map((requirement) => requirement.id),
    ...(change?.removed ?? []),
    ...(change?.renamed ?? []).map(({ from }) => from),
  ]);
  return (main?.requirements ?? []).map((requirement) => requirement.id).filter((each) => !accounted.has(each));
}
