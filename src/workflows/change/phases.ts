/** The phases of a change as STATE.yaml shows them, its last judgement in each, and where that file lies. */

import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { word } from '../../schema/simple.ts';
import type { RunView } from '../workflow.ts';
import { archiveFolder, statePath } from './paths.ts';
import { machine } from './machine.ts';
import { data } from './run-data.ts';

export const phases = ['proposed', 'challenged', 'rejected', 'implementing', 'complete', 'archived'] as const;
export type Phase = (typeof phases)[number];

/** In any case. */
export const phaseFormat = { schema: word(phases), expected: `one of ${phases.join(', ')}` };

/** The phase a snapshot belongs to; null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const name = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === name) ?? null;
}

/** The last verdict that counts in this phase: of the code once there is one, of the plan before. */
export function verdictOf({ snapshot }: Pick<RunView, 'snapshot'>): string | null {
  const code = judgesCode(snapshot) ? data.codeReview.of(snapshot) : null;
  return code?.verdict ?? data.verdict.of(snapshot);
}

/** How often it was judged. */
export function iterationOf({ snapshot }: Pick<RunView, 'snapshot'>): number {
  return judgesCode(snapshot) ? (data.codeReview.of(snapshot)?.iteration ?? 0) : data.planReviews.of(snapshot);
}

function judgesCode(snapshot: Snapshot): boolean {
  return ['implementing', 'complete', 'archived'].includes(phaseOf(snapshot) ?? '');
}

export function stateFilePath(run: string, snapshot?: Snapshot): string {
  const name = snapshot && data.archivedAs.of(snapshot);
  return name ? `${archiveFolder(name)}/STATE.yaml` : statePath(run);
}
