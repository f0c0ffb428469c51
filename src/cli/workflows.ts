/** The bundled workflows, each loaded when it is needed. */

import type { Workflow } from '../workflows/workflow.ts';
import { Problem } from './problem.ts';

export async function loadWorkflow(name: string): Promise<Workflow> {
  if (name === 'change') return (await import('../workflows/change/change.ts')).change;
  throw new Problem('unknown_workflow', `this version of Pawl does not have the workflow "${name}"`, {
    fix: 'update Pawl',
  });
}
