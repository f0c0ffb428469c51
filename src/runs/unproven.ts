/** Whether a workflow may run. */

import { readRunState } from '../runtime/run-state.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { WorkOrder } from './work-order.ts';

/**
 * A project's own workflow runs only when it is proven, or when a person allows it: then these are the proofs that fail.
 * A run that was begun so continues so.
 */
export async function unprovenIn(
  { repository, surface, run, choices, intent }: WorkOrder,
  { name, machine, writers }: Workflow,
): Promise<readonly string[] | Refusal> {
  if (repository.workflows.bundled.includes(surface)) return [];
  const { verify } = await import('../verifier/verifier.ts');
  const { proofs } = verify(machine, { workflow: name, writers, worstCase: false });
  const failed = proofs.filter(({ holds }) => holds !== true);
  if (failed.length === 0) return [];
  const recorded = readRunState(repository.store, { workflow: surface.name, run })?.choice.unproven ?? [];
  const runnable = failed.every(({ id }) => id !== 'names');
  if (runnable && (choices.unproven === true || recorded.length > 0)) return failed.map(({ id }) => id);
  const [first] = failed.flatMap(({ refutations }) => refutations);
  const why = first?.what ?? 'it has more states than can be explored';
  const choice =
    intent.kind === 'continue'
      ? 'it was proven when the run began: fix it, or restore it'
      : '--unproven runs it unproven, which is recorded';
  const message = `the workflow ${name} is not proven: ${why}${runnable ? `\n(${choice})` : ''}`;
  return refusal('WorkflowUnproven', message, { fix: `pawl verify ${name}` });
}
