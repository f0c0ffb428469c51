/** `show`: a workflow as tables or a picture, or where a run is in its workflow. */

import { diagramOf } from '../diagrams/diagram.ts';
import { formats, render, type Format } from '../diagrams/formats.ts';
import { walkOf, type Walk } from '../diagrams/walk.ts';
import { nearest } from '../schema/nearest.ts';
import { readJournal } from '../store/journal.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun, runsIn, workflowsIn, type FoundRun } from './find-run.ts';
import { unknownWord, type Given } from './options.ts';
import { Problem } from './problem.ts';
import type { Project } from '../project/project.ts';
import { nameOfFile } from '../workflows/defined/paths.ts';
import { projectHere } from './project-here.ts';
import { screenOf } from './show/screen.ts';
import { aligned } from './show/text.ts';
import { bundledNames, loadWorkflow, workflowsNamed } from './workflows.ts';

export const show: CommandFunction = async ({ words, flags }, { spec }) => {
  const format = formatOf(flags, spec.name);
  const project = projectHere();
  const [word] = words;
  const screen = screenOf(process.stdout);
  if (word === undefined) {
    screen.write(listText(await knownWorkflows(project), format === 'json'));
    return exitCodes.done;
  }
  const { workflow, walk } = await subjectOf(word, project);
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
async function subjectOf(word: string, project: Project): Promise<Subject> {
  const named = isRunOnly.test(word) ? undefined : await workflowNamed(word, project);
  if (named) return { workflow: named, walk: null };
  const found = runNamed(word) ?? unknownName(word, await knownWorkflows(project));
  const [first, ...records] = readJournal(found.folder) ?? [];
  if (first?.type !== 'created')
    throw new Problem('RunNotFound', `the run "${word}" has not begun`, { fix: 'pawl runs lists them' });
  const workflow = await loadWorkflow(first.workflow);
  const steps = records.filter((record) => record.type === 'moved' || record.type === 'state.edited');
  return { workflow, walk: walkOf(workflow.machine, found.run, first.snapshot, steps) };
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

/** Undefined where there is no such run, or no repository to have one. */
function runNamed(word: string): FoundRun | undefined {
  const commonDir = commonDirHere();
  if (commonDir === undefined) return undefined;
  try {
    return findRun(commonDir, word);
  } catch (error) {
    if (error instanceof Problem && ['RunNotFound', 'invalid_run'].includes(error.diagnostic.code)) return undefined;
    throw error;
  }
}

function commonDirHere(): string | undefined {
  try {
    return findRepository(process.cwd()).commonDir;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'not_a_repository') return undefined;
    throw error;
  }
}

function unknownName(word: string, workflows: readonly KnownWorkflow[]): never {
  const commonDir = commonDirHere();
  const runs = commonDir === undefined ? [] : workflowsIn(commonDir).flatMap((each) => runsIn(commonDir, each));
  const near = nearest(word, [...workflows.map(({ name }) => name), ...runs]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const shown = JSON.stringify(word.slice(0, shownCharsMax));
  throw new Problem('unknown_name', `there is no workflow and no run ${shown}${hint}`, {
    fix: 'pawl show lists the workflows, pawl runs the runs',
  });
}

const shownCharsMax = 80;
