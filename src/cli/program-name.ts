/** A program with the verbs of one workflow tells of its commands as it takes them, without the workflow's name. */

import type { WorkflowSurface } from '../workflows/surface.ts';

let spelling: { readonly from: string; readonly to: string } | null = null;

export function speakAs(program: string, surfaces: readonly WorkflowSurface[]): void {
  const surface = surfaces.find((each) => each.program?.name === program);
  spelling = surface ? { from: `pawl ${surface.name} `, to: `${program} ` } : null;
}

/** A command to paste, as the program at work spells it. */
export function spelled<C extends string | null>(command: C): C | string {
  return spelling === null || command === null ? command : command.replaceAll(spelling.from, spelling.to);
}
