/** A project's own workflow runs only when it is proven, or when a person says that it shall run all the same. */

import type { Choice } from '../../store/record.ts';
import type { Workflow } from '../../workflows/workflow.ts';
import type { Given } from '../options.ts';
import { Problem } from '../problem.ts';
import { projectHere } from '../project-here.ts';
import { verifyWorkflow } from '../verify.ts';

/** What is to be put on record: the proofs that fail, where a person let it pass; nothing for a proven workflow. */
export function requireProof(
  workflow: Workflow,
  flags: Given['flags'],
  command: string | null,
): Pick<Choice, 'unproven'> {
  const { holds, proofs } = verifyWorkflow(workflow, projectHere());
  if (holds === true) return {};
  const failed = proofs.filter((proof) => proof.holds !== true);
  const runnable = failed.every(({ id }) => id !== 'names');
  if (flags['unproven'] && runnable) return { unproven: failed.map(({ id }) => id) };
  const [first] = failed.flatMap(({ refutations }) => refutations);
  const why = first?.what ?? 'it has more situations than can be explored';
  throw new Problem('unproven', `the workflow ${workflow.name} is not proven: ${why}`, {
    fix: `pawl verify ${workflow.name} shows how${runnable ? wayOut(command) : ''}`,
  });
}

/** A run that was begun with a proof goes on with one. */
function wayOut(command: string | null): string {
  return command === null || command === 'retry'
    ? '; it was proven when the run was begun: mend it, or put it back'
    : '; --unproven runs it all the same, which is recorded';
}
