/** What STATE.yaml shows of a change. */

import { word } from '../../schema/simple.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import type { StateReader } from '../workflow.ts';
import { identifyState } from '../yaml-state.ts';
import { archiveFolder, statePath } from './paths.ts';
import { phases, type Phase } from './phases.ts';
import { data } from './run-data.ts';

export const phaseFormat = { schema: word(phases), expected: `one of ${phases.join(', ')}` };

export function shownState(run: string): StateReader {
  return {
    path: ({ snapshot }) => stateFilePath(run, snapshot),
    identify: (text) => identify(text, statePath(run)),
  };
}

export function stateFilePath(run: string, snapshot?: Snapshot): string {
  const name = snapshot && data.archivedAs.of(snapshot);
  return name ? `${archiveFolder(name)}/STATE.yaml` : statePath(run);
}

/** The phase and time a state file shows. A phase is read in any case. */
export function identify(text: string, file: string): { phase: Phase; updatedAt: string } {
  return identifyState(phaseFormat, text, file);
}
