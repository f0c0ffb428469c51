/** What status.json shows of where a session is. */

import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { phases, type Phase } from './files/status-file.ts';
import { machine } from './machine.ts';

/** Null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const shown = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === shown) ?? null;
}
