/** How a change stands: its last verdict and how often it was judged. */

import type { Snapshot } from '../../engine/snapshot.ts';
import { phaseOf } from './phases.ts';
import { data } from './run-data.ts';

interface Standing {
  readonly snapshot: Snapshot;
}

/** The last verdict that counts in this phase: of the code once there is one, of the plan before. */
export function verdictOf(view: Standing): string | null {
  const code = data.codeReview.of(view.snapshot);
  return inImplementation(view) && code ? code.verdict : data.verdict.of(view.snapshot);
}

export function iterationOf(view: Standing): number {
  if (inImplementation(view)) return data.codeReview.of(view.snapshot)?.iteration ?? 0;
  return data.planReviews.of(view.snapshot);
}

function inImplementation({ snapshot }: Standing): boolean {
  return ['implementing', 'complete', 'archived'].includes(phaseOf(snapshot) ?? '');
}
