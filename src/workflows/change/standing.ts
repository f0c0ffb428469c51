/** How a change stands: its last verdict and how often it was judged. */

import type { Snapshot } from '../../engine/snapshot.ts';
import { phaseOf } from './phases.ts';
import { lastReview } from './run-data.ts';

interface Standing {
  readonly snapshot: Snapshot;
}

/** The last verdict that counts in this phase: of the code once there is one, of the plan before. */
export function verdictOf(view: Standing): string | null {
  const code = lastReview(view.snapshot, 'codeReview');
  const plan = view.snapshot.data['verdict'];
  return inImplementation(view) && code ? code.verdict : typeof plan === 'string' ? plan : null;
}

export function iterationOf(view: Standing): number {
  const reviews = view.snapshot.data['planReviews'];
  if (inImplementation(view)) return lastReview(view.snapshot, 'codeReview')?.iteration ?? 0;
  return typeof reviews === 'number' ? reviews : 0;
}

function inImplementation({ snapshot }: Standing): boolean {
  return ['implementing', 'complete', 'archived'].includes(phaseOf(snapshot) ?? '');
}
