/** A workflow with a command for each phase. */

import { pollSurface } from '../../test/poll/surface.ts';
import { bundled } from '../workflows/bundled.ts';
import type { TellVerb, WorkflowSurface } from '../workflows/surface.ts';

const phases = ['brainstorm', 'specify', 'design', 'create-plan', 'create-tasks', 'implement', 'verify', 'finish'];

export const phasedSurface: WorkflowSurface = {
  ...pollSurface,
  verbs: [
    ...pollSurface.verbs,
    ...phases.map((verb): TellVerb => ({
      verb,
      does: 'tell',
      writes: true,
      slash: true,
      // As long as a line of help may be.
      about: `Do the phase ${verb} `.padEnd(60, '.'),
      words: ['poll?'],
      flags: {},
      tell: () => Promise.resolve(() => ({ document: {}, lines: [] })),
    })),
  ],
};

/** With the bundled ones that have no commands of their own, whose names might be the same. */
export const besidePhases: readonly WorkflowSurface[] = [
  ...bundled.filter(({ verbs }) => !verbs.some(({ slash }) => slash)),
  phasedSurface,
];
