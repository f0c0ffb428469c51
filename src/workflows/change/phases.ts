/** The phases of a change, as STATE.yaml shows them, and its last judgement in each. */

import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { machine } from './machine.ts';
import { data } from './run-data.ts';

export const phases = ['proposed', 'challenged', 'rejected', 'implementing', 'complete', 'archived'] as const;
export type Phase = (typeof phases)[number];

/** The phase a snapshot belongs to; null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const shown = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === shown) ?? null;
}

interface View {
  readonly snapshot: Snapshot;
}

/** The last verdict that counts in this phase: of the code once there is one, of the plan before. */
export function verdictOf({ snapshot }: View): string | null {
  const code = judgesCode(snapshot) ? data.codeReview.of(snapshot) : null;
  return code?.verdict ?? data.verdict.of(snapshot);
}

/** How often it was judged. */
export function iterationOf({ snapshot }: View): number {
  return judgesCode(snapshot) ? (data.codeReview.of(snapshot)?.iteration ?? 0) : data.planReviews.of(snapshot);
}

function judgesCode(snapshot: Snapshot): boolean {
  return ['implementing', 'complete', 'archived'].includes(phaseOf(snapshot) ?? '');
}
