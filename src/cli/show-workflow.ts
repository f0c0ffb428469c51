/** `show`: a workflow as tables or a diagram, or the path of a run through its workflow. */

import { diagramOf } from '../diagrams/diagram.ts';
import { formats, render, type Format } from '../diagrams/formats.ts';
import { walkOf, type Walk } from '../diagrams/run-walk.ts';
import type { Project } from '../project/project.ts';
import { findRun, recordsOf, runKeys } from '../runs/find.ts';
import { isRefusal, refusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/work-order.ts';
import { stepsIn } from '../runtime/earlier-records.ts';
import { didYouMean } from '../schema/nearest.ts';
import type { CommandInput } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { repositoryIfAny, type CommandFunction } from './context.ts';
import { accepted, Problem, usageError } from './problem.ts';
import { unknownWord } from './options.ts';
import { print, printLong, screenOf } from './show/screen.ts';
import { forTerminal } from './show/tables.ts';
import { aligned } from './show/text.ts';
import { oneWorkflow, projectHere, type Surfaces } from './workflows.ts';

export const show: CommandFunction = async ({ words: [word], flags }, context) => {
  const { bundled } = context.workflows;
  const format = formatOf(flags, context.spec.name);
  const project = projectHere(bundled);
  // By name only: a project's own workflow is code, which is not run in passing.
  const known = [...bundled.map(({ name }) => ({ name, file: null })), ...project.workflows];
  if (word === undefined) {
    const rows = known.map(({ name, file }) => [name, file ?? 'bundled', `pawl show ${name}`]);
    const text = aligned([['WORKFLOW', 'FROM', 'COMMAND'], ...rows]).join('\n');
    return print({ json: format === 'json' }, { workflows: known }, text);
  }
  const repository = repositoryIfAny(context);
  const found =
    (await workflowNamed(word, bundled, project)) ?? (repository && (await runNamed(word, repository))) ?? null;
  if (!found) throw notFound(word, known, repository);
  const { workflow, walk } = found;
  const text = await render(format, diagramOf(workflow.name, workflow.machine), walk);
  const screen = screenOf(process.stdout);
  const asTables = format === 'matrix' && flags['format'] === undefined && screen.live;
  const here = walk?.state ?? null;
  return printLong({ ...flags, json: false }, null, () =>
    (asTables ? forTerminal(text, { columns: screen.columns(), style: screen.style, here }) : text).replace(/\n$/, ''),
  );
};

function formatOf({ format, json }: CommandInput['flags'], command: string): Format {
  if (format === undefined) return json ? 'json' : 'matrix';
  const known = formats.find((each) => each === format);
  if (!known) throw unknownWord('format', String(format), formats, command);
  if (json && known !== 'json')
    throw usageError(`--json and --format ${known} are two formats`, 'leave one of them out');
  return known;
}

interface Subject {
  readonly workflow: Workflow;
  /** The path of the run that was named; null when a workflow was. */
  readonly walk: Walk | null;
}

/** `<workflow>/<id>` or `<id>.<n>`, and no file. */
const isRunOnly = /^(?!.*\.[a-z]+$).*[./]/i;

/** A workflow's name or file comes first; `<workflow>/<id>` names a run without doubt. */
async function workflowNamed(word: string, bundled: Surfaces, project: Project): Promise<Subject | null> {
  if (isRunOnly.test(word)) return null;
  try {
    return { workflow: await oneWorkflow(word, bundled, project), walk: null };
  } catch (error) {
    if (error instanceof Problem && error.diagnostic.code === 'WorkflowNotFound') return null;
    throw error;
  }
}

async function runNamed(word: string, repository: RunRepository): Promise<Subject | null> {
  const found = findRun(repository, word);
  if (isRefusal(found) && found.code !== 'AmbiguousRun') return null;
  const key = accepted(found);
  const [first, ...records] = recordsOf(repository, key);
  if (first?.type !== 'created')
    throw new Problem(refusal('RunNotFound', `the run "${word}" has not begun`, { fix: 'pawl runs' }));
  const workflow = await repository.workflows.load(first.workflow);
  const { start, steps } = stepsIn(workflow.machine, first, records);
  return { workflow, walk: walkOf(workflow.machine, key.run, start, steps) };
}

function notFound(word: string, workflows: readonly { name: string }[], repository: RunRepository | null): Problem {
  const runs = repository ? runKeys(repository).map(({ run }) => run) : [];
  const shown = JSON.stringify(word.slice(0, shownCharsMax));
  const near = didYouMean(word, [...workflows.map(({ name }) => name), ...runs]);
  const message = `there is no workflow and no run ${shown}${near}`;
  return new Problem(refusal('NameNotFound', message, { fix: 'pawl runs' }));
}

const shownCharsMax = 80;
