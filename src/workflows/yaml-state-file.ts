/** A state file in YAML: a projection of the run that people read, comment and may edit. */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { editYaml } from '../documents/yaml-edit.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { isRecord } from '../schema/values.ts';
import { identifyState, stateValues, type PhaseFormat } from './yaml-state.ts';
import type { RunView, StateFile } from './workflow.ts';

export interface YamlProjection<P extends string> {
  /** Where it lies; a snapshot may say that it was moved. */
  readonly path: (run: string, snapshot?: Snapshot) => string;
  /** The keys that follow from the run. `before`: those of the file as it is. */
  readonly fields: (view: RunView, before: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly phase: PhaseFormat<P>;
  readonly adopt: StateFile['adopt'];
}

export function yamlStateFile<P extends string>({ path, fields, phase, adopt }: YamlProjection<P>) {
  return (run: string): StateFile => ({
    path: ({ snapshot }) => path(run, snapshot),
    render: (before, view) => {
      const file = path(run, view.snapshot);
      // A file that cannot be read is refused by the edit, with its line.
      const parsed = attempt(() => stateValues(before ?? '', file));
      const values = isRecord(parsed) && !(parsed instanceof DocumentError) ? parsed : undefined;
      return editYaml(before, fields(view, values ?? {}), file);
    },
    identify: (text) => identifyState(phase, text, path(run)),
    adopt,
  });
}
