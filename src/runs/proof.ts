/** A project's own workflow runs only when it is proven, or when a person says that it shall run all the same. */

import type { Workflow } from '../workflows/workflow.ts';
import { refusal, type Refusal } from './refusal.ts';

/** The proofs that fail; empty for a proven workflow. */
export async function failedProofs({ name, machine, roles }: Workflow) {
  const { verify } = await import('../verifier/verifier.ts');
  const writers = Object.keys(roles).filter((role) => roles[role]?.writesTree);
  const { proofs } = verify(machine, { workflow: name, writers, worstCase: false });
  return proofs.filter(({ holds }) => holds !== true);
}

type FailedProofs = Awaited<ReturnType<typeof failedProofs>>;

/** Names of the failed proofs that a person lets pass; a run that was begun with a proof goes on with one. */
export function letPass(
  { name }: Workflow,
  failed: FailedProofs,
  { unproven, continues }: { readonly unproven: boolean; readonly continues: boolean },
): readonly string[] | Refusal {
  const runnable = failed.every(({ id }) => id !== 'names');
  if (failed.length === 0 || (unproven && runnable)) return failed.map(({ id }) => id);
  const [first] = failed.flatMap(({ refutations }) => refutations);
  const why = first?.what ?? 'it has more states than can be explored';
  const wayOut = continues
    ? '; it was proven when the run was begun: mend it, or put it back'
    : '; --unproven runs it all the same, which is recorded';
  return refusal('unproven', `the workflow ${name} is not proven: ${why}`, {
    fix: `pawl verify ${name} shows how${runnable ? wayOut : ''}`,
  });
}
