/** `show`: a workflow as tables or a picture, or where a run is in its workflow. */

import { diagramOf } from '../diagrams/diagram.ts';
import { formats, render, type Format } from '../diagrams/formats.ts';
import { walkOf, type Walk } from '../diagrams/walk.ts';
import { nearest } from '../schema/nearest.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { findRun, runKeys } from '../runs/find.ts';
import { recordsOf } from '../runs/follow.ts';
import { isRefusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/run-repository.ts';
import type { CommandFunction } from './commands.ts';
import { repositoryIfAny } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { unknownWord, type Given } from './options.ts';
import { accepted, Problem } from './problem.ts';
import type { Project } from '../project/project.ts';
import { nameOfFile } from '../workflows/defined/paths.ts';
import { projectHere } from './project-here.ts';
import { screenOf } from './show/screen.ts';
import { aligned } from './show/text.ts';
import { bundledNames, workflowsNamed } from './workflows.ts';

export const show: CommandFunction = async ({ words, flags }, context) => {
  const { spec } = context;
  const format = formatOf(flags, spec.name);
  const project = projectHere();
  const [word] = words;
  const screen = screenOf(process.stdout);
  if (word === undefined) {
    screen.write(listText(await knownWorkflows(project), format === 'json'));
    return exitCodes.done;
  }
  const { workflow, walk } = await subjectOf(word, project, repositoryIfAny(context));
  screen.write(await render(format, diagramOf(workflow.name, workflow.machine), walk));
  return exitCodes.done;
};

function formatOf({ format, json }: Given['flags'], command: string): Format {
  if (format === undefined) return json ? 'json' : 'matrix';
  const known = formats.find((each) => each === format);
  if (!known) throw unknownWord('format', String(format), formats, command);
  if (json && known !== 'json')
    throw new Problem('usage', `--json and --format ${known} are two formats`, { fix: 'give one of them' });
  return known;
}

interface KnownWorkflow {
  readonly name: string;
  /** The project's file that defines it; null for a bundled one. */
  readonly file: string | null;
}

/** By name only: a project's own workflow is code, which is not run in passing. */
async function knownWorkflows({ workflows }: Project): Promise<readonly KnownWorkflow[]> {
  return [
    ...bundledNames.map((name) => ({ name, file: null })),
    ...workflows.map((file) => ({ name: nameOfFile(file), file })),
  ];
}

function listText(workflows: readonly KnownWorkflow[], json: boolean): string {
  if (json) return `${JSON.stringify({ workflows })}\n`;
  const rows = workflows.map(({ name, file }) => [name, file ?? 'bundled', `pawl show ${name}`]);
  return `${aligned([['WORKFLOW', 'FROM', 'SHOW IT'], ...rows]).join('\n')}\n`;
}

interface Subject {
  readonly workflow: Workflow;
  /** The way of the run that was named; null when a workflow was. */
  readonly walk: Walk | null;
}

/** A workflow's name or file comes first; `<workflow>/<id>` names a run without doubt. */
async function subjectOf(word: string, project: Project, repository: RunRepository | null): Promise<Subject> {
  const named = isRunOnly.test(word) ? undefined : await workflowNamed(word, project);
  if (named) return { workflow: named, walk: null };
  const found = repository && findRun(repository, word);
  if (!repository || !found || (isRefusal(found) && found.code !== 'ambiguous_run'))
    throw unknownName(word, await knownWorkflows(project), repository);
  const { workflow: name, run } = accepted(found);
  const [first, ...records] = recordsOf(repository, { workflow: name, run });
  if (first?.type !== 'created')
    throw new Problem('RunNotFound', `the run "${word}" has not begun`, { fix: 'pawl runs lists them' });
  const workflow = await repository.workflows.load(first.workflow);
  const steps = records.filter((record) => record.type === 'moved' || record.type === 'state.edited');
  return { workflow, walk: walkOf(workflow.machine, run, first.snapshot, steps) };
}

/** `<workflow>/<id>` or `<id>.<n>`, and no file. */
const isRunOnly = /^(?!.*\.[a-z]+$).*[./]/i;

async function workflowNamed(name: string, project: Project): Promise<Workflow | undefined> {
  try {
    return (await workflowsNamed(name, project))[0];
  } catch (error) {
    if (error instanceof Problem && error.diagnostic.code === 'unknown_workflow') return undefined;
    throw error;
  }
}

function unknownName(word: string, workflows: readonly KnownWorkflow[], repository: RunRepository | null): Problem {
  const runs = repository ? runKeys(repository).map(({ run }) => run) : [];
  const near = nearest(word, [...workflows.map(({ name }) => name), ...runs]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const shown = JSON.stringify(word.slice(0, shownCharsMax));
  return new Problem('unknown_name', `there is no workflow and no run ${shown}${hint}`, {
    fix: 'pawl show lists the workflows, pawl runs the runs',
  });
}

const shownCharsMax = 80;
