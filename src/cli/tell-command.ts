/** Verbs that tell about, or change, a workflow's files in the repository: no run, no agent. */

import { tell } from '../runs/tell.ts';
import type { TellVerb, WorkflowSurface } from '../workflows/surface.ts';
import type { CommandFunction } from './context.ts';
import { localDate } from './local-date.ts';
import { accepted } from './problem.ts';
import { print } from './show/screen.ts';
import { plainText } from './show/text.ts';

export function tellVerb(surface: WorkflowSurface, verb: TellVerb): CommandFunction {
  return async (given, context) => {
    const today = localDate(new Date());
    const { document, lines } = accepted(await tell(context.repository(), { surface, verb, given, today }));
    return print(given.flags, document, () => lines.map(plainText).join('\n'));
  };
}
