/** The project around the current folder. Workflows can be looked at anywhere; a repository only adds its own. */

import { readProject, type Project } from '../project/project.ts';
import { findRepository, NotARepository } from '../workspace/git.ts';

export function projectHere(): Project {
  return readProject(rootHere());
}

function rootHere(): string | null {
  try {
    return findRepository(process.cwd()).root;
  } catch (error) {
    if (error instanceof NotARepository) return null;
    throw error;
  }
}
