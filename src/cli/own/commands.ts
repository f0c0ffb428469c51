/** The commands of a project's own workflow. */

import type { Workflows } from '../../runs/run-repository.ts';
import { DocumentError } from '../../documents/document-error.ts';
import { nameOfFile } from '../../workflows/defined/paths.ts';
import { definedVerbs } from '../../workflows/defined/surface.ts';
import { verbCommand, type Command } from '../commands.ts';
import { projectHere } from '../project-here.ts';

/** Empty when no workflow of the project has that name. */
export async function ownCommands(name: string, workflows: Workflows): Promise<readonly Command[]> {
  if (!projectHere().workflows.some((file) => nameOfFile(file) === name)) return [];
  const surface = workflows.surfaceOf(name);
  const verbs = definedVerbs(await surface.load());
  return verbs.map((verb) => verbCommand('pawl', [name, verb.verb], { ...surface, verbs }, verb));
}

/** For help, which must not fail over a file somebody is in the middle of editing. */
export function ownNames(): readonly string[] {
  try {
    return projectHere().workflows.map(nameOfFile);
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}
