/**
 * Workflows by name: the bundled ones, and those of the project around the current folder.
 * They can be shown anywhere; a repository only adds its own.
 */

import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import { projectFile, readProject, type Project } from '../project/project.ts';
import { refusal } from '../runs/refusal.ts';
import type { Workflows } from '../runs/work-order.ts';
import { didYouMean } from '../schema/nearest.ts';
import { definedVerbs } from '../workflows/defined/surface.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { commands, verbCommand, type Command } from './command-table.ts';
import { findRepositoryIfAny } from './context.ts';
import { isTrusted, requireTrust } from './trusting.ts';
import { Problem, toProblem } from './problem.ts';

export type Surfaces = readonly WorkflowSurface[];

export function projectHere(bundled: Surfaces): Project {
  const project = readProject(findRepositoryIfAny(process.cwd())?.root ?? null);
  const clash = project.workflows.find(({ name }) => isTaken(name, bundled));
  if (clash === undefined) return project;
  const problem = `${clash.file} would define "${clash.name}", which is a command of Pawl itself`;
  throw new DocumentError({ file: projectFile, line: null }, problem, 'a file with another name');
}

/** Whether a workflow of that name could not be called. */
export function isTaken(name: string, bundled: Surfaces): boolean {
  return name === 'help' || commands('pawl', bundled).some(({ path }) => path[0] === name);
}

/** `skipped` are files of code that nobody trusts. */
export async function allWorkflows(bundled: Surfaces, project: Project) {
  const { isYaml } = await import('../project/load-workflow.ts');
  const here = findRepositoryIfAny(process.cwd());
  const isSkipped = (file: string): boolean => !isYaml(file) && here !== null && !isTrusted(here);
  const own = project.workflows.filter(({ file }) => !isSkipped(file));
  const loading = own.map(({ name }) => ownWorkflow(name, bundled, project));
  const workflows = await Promise.all([...bundled.map((surface) => surface.load()), ...loading]);
  return { workflows, skipped: project.workflows.map(({ file }) => file).filter(isSkipped) };
}

export async function oneWorkflow(word: string, bundled: Surfaces, project: Project): Promise<Workflow> {
  const surface = bundled.find(({ name }) => name === word);
  return surface ? surface.load() : ownWorkflow(word, bundled, project);
}

/** By its name in pawl.toml, or by the path of any file of the repository. */
export async function ownWorkflow(word: string, bundled: Surfaces, project = projectHere(bundled)): Promise<Workflow> {
  const { loadDefined } = await import('../project/load-workflow.ts');
  const trusted = (): void => {
    const repository = findRepositoryIfAny(process.cwd());
    if (repository) requireTrust(repository);
  };
  const named = project.workflows.find(({ name, file }) => name === word || file === word);
  if (project.root !== null && named !== undefined) return loadDefined(project.root, named.file, trusted);
  if (/[./]/.test(word)) {
    const root = project.root ?? process.cwd();
    return loadDefined(root, relative(realpathSync(root), resolve(word)), trusted);
  }
  const known = [...bundled, ...project.workflows].map(({ name }) => name);
  const hint = didYouMean(word, known) || `; Pawl knows ${known.join(', ')}`;
  throw new Problem(refusal('WorkflowNotFound', `there is no workflow "${word}"${hint}`, { fix: 'pawl show' }));
}

/** The commands of a project's own workflow; empty when none has that name. */
export async function ownCommands(workflow: string, workflows: Workflows): Promise<readonly Command[]> {
  if (!projectHere(workflows.bundled).workflows.some(({ name }) => name === workflow)) return [];
  const surface = workflows.surfaceOf(workflow);
  const verbs = definedVerbs(await surface.load());
  return verbs.map((verb) => verbCommand('pawl', [workflow, verb.verb], { ...surface, verbs }, verb));
}

/** For help, which works whatever is wrong with the project's files; `problem` says so. */
export function ownNames(bundled: Surfaces): { readonly names: readonly string[]; readonly problem: string | null } {
  try {
    return { names: projectHere(bundled).workflows.map(({ name }) => name), problem: null };
  } catch (error) {
    return { names: [], problem: toProblem(error).message };
  }
}
