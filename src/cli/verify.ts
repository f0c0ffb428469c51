/** `verify`: proofs about a workflow, before a token is spent. */

import { verify as prove } from '../verifier/verifier.ts';
import type { Verification } from '../verifier/refutation.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { CommandFunction } from './verb.ts';
import { exitCodes } from './exit-codes.ts';
import type { Project } from '../project/project.ts';
import { screenOf } from './show/screen.ts';
import { verificationText } from './show/verification.ts';
import { projectHere, workflowsNamed } from './workflows.ts';

export const verify: CommandFunction = async ({ words, flags }, { workflows: { bundled } }) => {
  const project = projectHere(bundled);
  const workflows = await workflowsNamed(words[0], bundled, project);
  const verifications = workflows.map((workflow) => verifyWorkflow(workflow, project));
  const screen = screenOf(process.stdout);
  screen.write(
    flags['json']
      ? `${JSON.stringify({ workflows: verifications })}\n`
      : verifications.map((verification) => verificationText(verification, screen)).join('\n'),
  );
  return verifications.every(({ holds }) => holds) ? exitCodes.done : exitCodes.failed;
};

export function verifyWorkflow({ name, machine, roles }: Workflow, { prices }: Pick<Project, 'prices'>): Verification {
  const writers = Object.keys(roles).filter((role) => roles[role]?.writesTree);
  return prove(machine, { workflow: name, writers, prices });
}
