/** One piece of work on one run, as those see it who carry it out. */

import type { RunKey } from '../store/run-store.ts';
import type { Intent, WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { Caller } from './caller.ts';
import type { RunRepository } from './run-repository.ts';
import type { WorkChoices } from './work-choices.ts';

export interface Job {
  readonly repository: RunRepository;
  readonly surface: WorkflowSurface;
  readonly workflow: Workflow;
  readonly run: string;
  readonly intent: Intent;
  readonly choices: WorkChoices;
  /** Proofs of the workflow that fail and were let pass. */
  readonly unproven: readonly string[];
  readonly caller: Caller;
}

export function keyOf({ workflow, run }: Pick<Job, 'workflow' | 'run'>): RunKey {
  return { workflow: workflow.name, run };
}
