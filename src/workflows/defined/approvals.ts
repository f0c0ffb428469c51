/** Approvals of a defined workflow: what each gate's passing step puts on record, and whether it still counts. */

import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { FileView } from '../workflow.ts';
import { artifactDigest } from './artifacts.ts';
import type { WorkflowDefinition } from './definition.ts';

interface Seen {
  readonly files: FileView;
  readonly run: string;
}

/** What a step approves, by digest: empty for a step that passes no gate. */
export function approvals(
  { gates = {}, artifacts = {} }: WorkflowDefinition,
  step: string,
  { files, run }: Seen,
): Record<string, Json> {
  const approved: Record<string, Json> = {};
  for (const { of, passedBy } of Object.values(gates)) {
    const artifact = artifacts[of];
    if (artifact && passedBy.includes(step)) approved[approvalKey(of)] = artifactDigest(artifact, files, run);
  }
  return approved;
}

export function isUnchanged(
  { artifacts = {} }: WorkflowDefinition,
  of: string,
  { files, run, snapshot }: Seen & { readonly snapshot: Snapshot },
): boolean {
  const artifact = artifacts[of];
  return artifact !== undefined && snapshot.data[approvalKey(of)] === artifactDigest(artifact, files, run);
}

function approvalKey(artifact: string): string {
  return `approved.${artifact}`;
}
