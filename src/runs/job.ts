/** One piece of work on one run, as those see it who carry it out. */

import type { Json } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { RunKey } from '../store/run-store.ts';
import type { Intent, WorkflowSurface } from '../workflows/surface.ts';
import type { RunView, UsageProblem, Workflow } from '../workflows/workflow.ts';
import type { Caller } from './caller.ts';
import type { RunRepository } from './run-repository.ts';
import { recordedChoices, type WorkChoices } from './work-choices.ts';

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

export interface Order {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** The one place where a command becomes a signal. */
export function signalOf(job: Job, { command, args }: Order, view: RunView): Signal | UsageProblem {
  return job.workflow.enter(command, { ...args, ...recordedChoices(job.choices, job.unproven) }, view);
}
