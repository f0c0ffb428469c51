/** The brief of a dispatch, with what the project adds to the prompt of its role. */

import { promptFiles, promptParts } from '../documents/prompt-parts.ts';
import type { Brief, DispatchContext, Skip } from '../workflows/workflow.ts';
import type { Run } from './run.ts';

/** The configuration, and the files that it adds to prompts: no role may write them (B3). */
export function restsOn({ workflow, settings }: Pick<Run, 'workflow' | 'settings'>): readonly string[] {
  return [...workflow.configPaths, ...promptFiles(settings.prompts).map(({ file }) => file)];
}

/** Files are read as they were when the command began (U6). */
export async function briefOf({ workflow, settings }: Run, context: DispatchContext): Promise<Brief | Skip> {
  const dispatching = await workflow.dispatching();
  const made = dispatching.brief(context);
  if ('signal' in made) return made;
  const place = { workflow: workflow.name, role: context.role, tools: Object.keys(dispatching.tools) };
  const parts = promptParts(made.prompt, settings.prompts, place, context.files);
  return { ...made, prompt: parts.map(({ text }) => text).join('') };
}
