/**
 * Workflows by name: the bundled ones, and those of the project around the current folder.
 * They can be looked at anywhere; a repository only adds its own.
 */

import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import { projectFile, readProject, type Project } from '../project/project.ts';
import type { Workflows } from '../runs/run-repository.ts';
import { nearest } from '../schema/nearest.ts';
import { definedVerbs } from '../workflows/defined/surface.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { findRepository, NotARepository } from '../workspace/git.ts';
import { commands, verbCommand, type Command } from './command-table.ts';
import { Problem } from './problem.ts';

type Surfaces = readonly WorkflowSurface[];

export function projectHere(bundled: Surfaces): Project {
  const project = readProject(rootHere());
  const taken = project.workflows.find(({ name }) => isTaken(name, bundled));
  if (taken === undefined) return project;
  const problem = `${taken.file} would define "${taken.name}", which is a command of Pawl itself`;
  throw new DocumentError({ file: projectFile, line: null }, problem, 'a file with another name');
}

function rootHere(): string | null {
  try {
    return findRepository(process.cwd()).root;
  } catch (error) {
    if (error instanceof NotARepository) return null;
    throw error;
  }
}

/** Whether a workflow of that name could not be called. */
export function isTaken(name: string, bundled: Surfaces): boolean {
  return name === 'help' || commands('pawl', bundled).some(({ path }) => path[0] === name);
}

/** The workflow of that name, or in that file; all there are without one. */
export async function workflowsNamed(
  word: string | undefined,
  bundled: Surfaces,
  project: Project,
): Promise<readonly Workflow[]> {
  if (word === undefined) {
    const own = project.workflows.map(({ name }) => ownWorkflow(name, bundled, project));
    return Promise.all([...bundled.map((surface) => surface.load()), ...own]);
  }
  const surface = bundled.find(({ name }) => name === word);
  return [await (surface ? surface.load() : ownWorkflow(word, bundled, project))];
}

/** By its name in pawl.toml, or by the path of any file of the repository. */
export async function ownWorkflow(word: string, bundled: Surfaces, project = projectHere(bundled)): Promise<Workflow> {
  const { loadDefined } = await import('../project/load-workflow.ts');
  const named = project.workflows.find(({ name, file }) => name === word || file === word);
  if (project.root !== null && named !== undefined) return loadDefined(project.root, named.file);
  if (/[./]/.test(word)) {
    const root = project.root ?? process.cwd();
    return loadDefined(root, relative(realpathSync(root), resolve(word)));
  }
  const known = [...bundled, ...project.workflows].map(({ name }) => name);
  const near = nearest(word, known);
  throw new Problem(
    'WorkflowNotFound',
    `there is no workflow "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    { fix: `known here: ${known.join(', ')}; pawl.toml lists a project's own` },
  );
}

/** The commands of a project's own workflow; empty when none has that name. */
export async function ownCommands(workflow: string, workflows: Workflows): Promise<readonly Command[]> {
  if (!projectHere(workflows.bundled).workflows.some(({ name }) => name === workflow)) return [];
  const surface = workflows.surfaceOf(workflow);
  const verbs = definedVerbs(await surface.load());
  return verbs.map((verb) => verbCommand('pawl', [workflow, verb.verb], { ...surface, verbs }, verb));
}

/** For help, which must not fail over a file somebody is in the middle of editing. */
export function ownNames(bundled: Surfaces): readonly string[] {
  try {
    return projectHere(bundled).workflows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}
