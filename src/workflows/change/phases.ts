/** The phases of a change, as STATE.yaml shows them. */

import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { machine } from './machine.ts';

export const phases = ['proposed', 'challenged', 'rejected', 'implementing', 'complete', 'archived'] as const;
export type Phase = (typeof phases)[number];

/** The phase a snapshot belongs to; null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const shown = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === shown) ?? null;
}
