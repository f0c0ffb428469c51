/** A project's own workflow runs only when it is proven, or when a person says that it shall run all the same. */

import { readRunState } from '../runtime/run-state.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { WorkOrder } from './work-order.ts';

/** The proofs of the workflow that fail and are let pass. A run that was begun so continues so. */
export async function unprovenIn(
  { repository, surface, run, choices, intent }: WorkOrder,
  { name, machine, roles }: Workflow,
): Promise<readonly string[] | Refusal> {
  if (repository.workflows.bundled.includes(surface)) return [];
  const { verify } = await import('../verifier/verifier.ts');
  const writers = Object.keys(roles).filter((role) => roles[role]?.writesTree);
  const { proofs } = verify(machine, { workflow: name, writers, worstCase: false });
  const failed = proofs.filter(({ holds }) => holds !== true);
  if (failed.length === 0) return [];
  const recorded = readRunState(repository.store, { workflow: surface.name, run })?.choice.unproven ?? [];
  const runnable = failed.every(({ id }) => id !== 'names');
  if (runnable && (choices.unproven === true || recorded.length > 0)) return failed.map(({ id }) => id);
  const [first] = failed.flatMap(({ refutations }) => refutations);
  const wayOut =
    intent.kind === 'continue'
      ? '; it was proven when the run began: fix it, or restore it'
      : '; --unproven runs it all the same, which is recorded';
  const why = first?.what ?? 'it has more states than can be explored';
  return refusal('WorkflowUnproven', `the workflow ${name} is not proven: ${why}`, {
    fix: `pawl verify ${name} shows how${runnable ? wayOut : ''}`,
  });
}
