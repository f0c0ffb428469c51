/** A state file in YAML: a projection of the run that people read, comment and may edit. */

import { editYaml } from '../documents/yaml-edit.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import type { RunView, StateFile } from './workflow.ts';
import { identifyState, stateKeys, type PhaseFormat, type StateKeys } from './yaml-state.ts';

interface Projection {
  /** A snapshot may say that the file was moved. */
  readonly path: (run: string, snapshot?: Snapshot) => string;
  /** The keys that follow from the run. `before`: those of the file as it is. */
  readonly fields: (view: RunView, before: StateKeys) => StateKeys;
  readonly phase: PhaseFormat<string>;
  readonly adopt: StateFile['adopt'];
}

export function yamlStateFile({ path, fields, phase, adopt }: Projection) {
  return (run: string): StateFile => ({
    path: ({ snapshot }) => path(run, snapshot),
    render: (before, view) => {
      const file = path(run, view.snapshot);
      // A file that cannot be read is refused by the edit, with its line.
      return editYaml(before, fields(view, stateKeys(before ?? '', file)), file);
    },
    identify: (text) => identifyState(phase, text, path(run)),
    adopt,
  });
}
