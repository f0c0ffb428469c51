/** The project around the current folder. Workflows can be looked at anywhere; a repository only adds its own. */

import { DocumentError } from '../documents/document-error.ts';
import { readProject, type Project } from '../project/project.ts';
import { nameOfFile } from '../workflows/defined/paths.ts';
import { configPath } from '../workflows/workflow-config.ts';
import { findRepository, NotARepository } from '../workspace/git.ts';
import { commands } from './commands.ts';

export function projectHere(): Project {
  const project = readProject(rootHere());
  const taken = project.workflows.find((file) => isTaken(nameOfFile(file)));
  if (taken === undefined) return project;
  const problem = `${taken} would define "${nameOfFile(taken)}", which is a command of Pawl itself`;
  throw new DocumentError({ file: configPath, line: null }, problem, 'a file with another name');
}

/** Whether a workflow of that name could not be called. */
export function isTaken(name: string): boolean {
  return name === 'help' || commands('pawl').some(({ path }) => path[0] === name);
}

function rootHere(): string | null {
  try {
    return findRepository(process.cwd()).root;
  } catch (error) {
    if (error instanceof NotARepository) return null;
    throw error;
  }
}
