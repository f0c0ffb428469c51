/** `show`: a workflow as tables or a picture, or where a run is in its workflow. */

import { diagramOf } from '../diagrams/diagram.ts';
import { formats, render, type Format } from '../diagrams/formats.ts';
import { walkOf, type Walk } from '../diagrams/run-walk.ts';
import { nearest } from '../schema/nearest.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { findRun, runKeys } from '../runs/find.ts';
import { recordsOf } from '../runs/follow.ts';
import { isRefusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/run-repository.ts';
import type { CommandFunction } from './verb.ts';
import { repositoryIfAny } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { unknownWord, type Given } from './options.ts';
import { accepted, Problem } from './problem.ts';
import type { Project } from '../project/project.ts';
import { screenOf } from './show/screen.ts';
import { aligned } from './show/text.ts';
import { projectHere, workflowsNamed } from './workflows.ts';

export const show: CommandFunction = async ({ words, flags }, context) => {
  const { bundled } = context.workflows;
  const format = formatOf(flags, context.spec.name);
  const project = projectHere(bundled);
  const known = knownWorkflows(bundled, project);
  const [word] = words;
  const screen = screenOf(process.stdout);
  if (word === undefined) {
    screen.write(listText(known, format === 'json'));
    return exitCodes.done;
  }
  const { workflow, walk } = await subjectOf(word, known, {
    named: (name) => workflowNamed(name, bundled, project),
    repository: repositoryIfAny(context),
  });
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
function knownWorkflows(bundled: readonly WorkflowSurface[], { workflows }: Project): readonly KnownWorkflow[] {
  return [...bundled.map(({ name }) => ({ name, file: null })), ...workflows];
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
async function subjectOf(
  word: string,
  known: readonly KnownWorkflow[],
  {
    named,
    repository,
  }: {
    readonly named: (name: string) => Promise<Workflow | undefined>;
    readonly repository: RunRepository | null;
  },
): Promise<Subject> {
  const itself = isRunOnly.test(word) ? undefined : await named(word);
  if (itself) return { workflow: itself, walk: null };
  const found = repository && findRun(repository, word);
  if (!repository || !found || (isRefusal(found) && found.code !== 'ambiguous_run'))
    throw unknownName(word, known, repository);
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

async function workflowNamed(
  name: string,
  bundled: readonly WorkflowSurface[],
  project: Project,
): Promise<Workflow | undefined> {
  try {
    return (await workflowsNamed(name, bundled, project))[0];
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
