/** What the commands of `change` need before they become signals; mistakes are named and change nothing. */

import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import { attempt, DocumentError } from '../../documents/document-error.ts';
import { nearest } from '../../schema/nearest.ts';
import type { RunView, UsageProblem } from '../workflow.ts';
import { tasksIn } from './read-documents.ts';
import { tasksPath } from './paths.ts';
import { data } from './run-data.ts';

export function enter(command: string, args: Readonly<Record<string, Json>>, view: RunView): Signal | UsageProblem {
  const problem = command === 'plan' ? descriptionProblem(args, view) : tasksProblem(args, view);
  if (problem) return problem;
  const { description, tasks, acceptEdits } = args;
  const known = data.description.of(view.snapshot);
  return {
    name: command,
    data: {
      ...(command === 'plan' && data.description.set(typeof description === 'string' ? description : known)),
      ...((command === 'impl' || command === 'review') && {
        ...data.tasksOnly.set(Array.isArray(tasks) ? tasks.map(String) : null),
        ...data.acceptEdits.set(acceptEdits === true),
        ...data.freshReview.set(command === 'review'),
      }),
    },
  };
}

function descriptionProblem({ description }: Readonly<Record<string, Json>>, view: RunView): UsageProblem | null {
  const known = data.description.of(view.snapshot);
  if (view.snapshot.state === 'new') {
    if (typeof description === 'string' && description.trim() !== '') return null;
    return {
      code: 'DescriptionMissing',
      message: `the change "${view.run}" does not exist yet and has no description`,
      fix: `say what it should do: pawl change plan ${view.run} "what to change and why"`,
    };
  }
  if (typeof description !== 'string' || description.trim() === known) return null;
  return {
    code: 'DescriptionDiffers',
    message: `the change "${view.run}" exists already${known === null ? '' : ` and is described as: ${known}`}`,
    fix: 'leave the description out to continue it, or choose another id for another change',
  };
}

function tasksProblem({ tasks }: Readonly<Record<string, Json>>, view: RunView): UsageProblem | null {
  const list = Array.isArray(tasks) ? attempt(() => tasksIn(view)) : undefined;
  // A list that cannot be read is refused by the command itself, with the line.
  if (!Array.isArray(tasks) || !list || list instanceof DocumentError) return null;
  const known = list.tasks.map(({ id }) => id);
  const unknown = tasks.map(String).filter((id) => !known.includes(id));
  const [first] = unknown;
  if (first === undefined) return null;
  const near = nearest(first, known);
  return {
    code: 'TaskNotFound',
    message: `${tasksPath(view.run)} has no task ${unknown.join(', ')}`,
    fix: `${near === undefined ? 'known tasks' : `did you mean ${near}? Known tasks`}: ${known.join(', ')}`,
  };
}
