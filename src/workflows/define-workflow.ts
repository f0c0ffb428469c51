/** A workflow from what is particular about it; the rest is the same for all and added here. */

import { stateOf } from '../engine/transition.ts';
import { summarize, type RunWords } from './run-summary.ts';
import type { RunView, Workflow } from './workflow.ts';

export interface WorkflowParts extends Omit<Workflow, 'summarize' | 'exportTo' | 'undoWrites'> {
  readonly words: RunWords;
  /** Where the journal of a run that is over is exported to. */
  readonly journalPath: (view: RunView) => string;
  readonly undoWrites?: Workflow['undoWrites'];
}

export function defineWorkflow({ words, journalPath, ...parts }: WorkflowParts): Workflow {
  const { machine } = parts;
  return {
    undoWrites: () => [],
    ...parts,
    summarize: (view, rest) => summarize(machine, words, view, rest),
    exportTo: (view) => (stateOf(machine, view.snapshot.state).kind === 'final' ? journalPath(view) : null),
  };
}
