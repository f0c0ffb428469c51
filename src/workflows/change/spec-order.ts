import { readProposal } from '../../documents/proposal.ts';
import type { RunView } from '../workflow.ts';
import { orderSpecs } from './order.ts';
import { proposalPath } from './paths.ts';

/** The change's specs, each after those it depends on; empty when its proposal names no sound order. */
export function specOrder({ files, run }: Pick<RunView, 'files' | 'run'>): readonly string[] {
  const path = proposalPath(run);
  const text = files.read(path);
  if (text === undefined) return [];
  const ordered = orderSpecs(readProposal(text, path).affectedSpecs);
  return 'ok' in ordered ? ordered.ok : [];
}
