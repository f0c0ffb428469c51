/** A workflow from what is particular about it; the rest is the same for all and added here. */

import { stateOf } from '../engine/transition.ts';
import { summarize, type RunWords } from './run-summary.ts';
import type { CheckResult, RunView, Workflow } from './workflow.ts';

type Defaulted = 'undoWrites' | 'listed' | 'nextIn';

export interface WorkflowParts
  extends Omit<Workflow, 'summarize' | 'exportTo' | Defaulted>, Partial<Pick<Workflow, Defaulted>> {
  readonly words: RunWords;
  /** Where the journal of a run that is over is exported to. */
  readonly journalPath: (view: RunView) => string;
}

export function defineWorkflow({ words, journalPath, ...parts }: WorkflowParts): Workflow {
  const { machine } = parts;
  return {
    undoWrites: () => [],
    listed: () => ({}),
    nextIn: () => null,
    ...parts,
    summarize: (view, rest) => summarize(machine, words, view, rest),
    exportTo: (view) => (stateOf(machine, view.snapshot.state).kind === 'final' ? journalPath(view) : null),
  };
}

/** A check that stops the run. Codes are the names of signals where nothing else is given, as in journals of earlier versions. */
export function stopWith(signal: string, message: string, { code = signal, notes = [message] } = {}): CheckResult {
  return { signal: { name: signal, problem: { code, message } }, notes };
}
