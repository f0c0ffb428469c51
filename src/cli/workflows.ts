/** Workflows by name: the bundled ones, each loaded when it is needed, and a project's own. */

import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { nearest } from '../schema/nearest.ts';
import { bundled } from '../workflows/bundled.ts';
import { nameOfFile } from '../workflows/defined/paths.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { Problem } from './problem.ts';
import type { Project } from '../project/project.ts';
import { projectHere } from './project-here.ts';

export const bundledNames: readonly string[] = bundled.map(({ name }) => name);

export function surfaceNamed(name: string): WorkflowSurface | undefined {
  return bundled.find((surface) => surface.name === name);
}

/** The workflow of a run of this project. */
export function loadWorkflow(name: string): Promise<Workflow> {
  return isBundled(name) ? bundledWorkflow(name) : ownWorkflow(name, projectHere());
}

export function isBundled(name: string): boolean {
  return surfaceNamed(name) !== undefined;
}

/** The workflow of that name, or in that file; all there are without one. */
export async function workflowsNamed(word: string | undefined, project: Project): Promise<readonly Workflow[]> {
  if (word === undefined) {
    const { loadDefined } = await import('../project/load-workflow.ts');
    const own = project.root === null ? [] : project.workflows.map((file) => loadDefined(project.root ?? '', file));
    return Promise.all([...bundledNames.map(bundledWorkflow), ...own]);
  }
  return [await (isBundled(word) ? bundledWorkflow(word) : ownWorkflow(word, project))];
}

function bundledWorkflow(name: string): Promise<Workflow> {
  const surface = surfaceNamed(name);
  if (!surface) throw new Error(`there is no bundled workflow "${name}"`);
  return surface.load();
}

/** By the name of its file in pawl.toml, or by the path of any file of the repository. */
async function ownWorkflow(word: string, project: Project): Promise<Workflow> {
  const { loadDefined } = await import('../project/load-workflow.ts');
  const named = project.workflows.find((file) => nameOfFile(file) === word || file === word);
  if (project.root !== null && named !== undefined) return loadDefined(project.root, named);
  if (/[./]/.test(word)) {
    const root = project.root ?? process.cwd();
    return loadDefined(root, relative(realpathSync(root), resolve(word)));
  }
  const known = [...bundledNames, ...project.workflows.map(nameOfFile)];
  const near = nearest(word, known);
  throw new Problem(
    'unknown_workflow',
    `there is no workflow "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    {
      fix: `known here: ${known.join(', ')}; pawl.toml lists a project's own`,
    },
  );
}
