/** A state file in YAML: a projection of the run that people read, comment and may edit. */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { keyLine } from '../documents/key-line.ts';
import { inFile, readDocument } from '../documents/read-document.ts';
import { editYaml } from '../documents/yaml-edit.ts';
import { parseYaml } from '../documents/yaml.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { choose, never, table, withDefault } from '../schema/compound.ts';
import { ifFits } from '../schema/lenient.ts';
import type { Schema } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import type { RunView, StateFile } from './workflow.ts';

export interface YamlProjection<P extends string> {
  /** Where it lies; a snapshot may say that it was moved. */
  readonly path: (run: string, snapshot?: Snapshot) => string;
  /** The keys that follow from the run. `before`: those of the file as it is. */
  readonly fields: (view: RunView, before: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly phase: PhaseFormat<P>;
  readonly adopt: StateFile['adopt'];
}

export interface PhaseFormat<P extends string> {
  readonly schema: Schema<P>;
  /** In words, for a file without a phase. */
  readonly expected: string;
}

export function yamlStateFile<P extends string>({ path, fields, phase, adopt }: YamlProjection<P>) {
  return (run: string): StateFile => ({
    path: ({ snapshot }) => path(run, snapshot),
    render: (before, view) => {
      const file = path(run, view.snapshot);
      // A file that cannot be read is refused by the edit, with its line.
      const parsed = attempt(() => parseYaml(before ?? '', { file, line: 1 }));
      const values = isRecord(parsed) && !(parsed instanceof DocumentError) ? parsed : undefined;
      return editYaml(before, fields(view, values ?? {}), { file, values });
    },
    identify: (text) => identifyState(phase, text, path(run)),
    adopt,
  });
}

/** The phase and the time a state file shows. */
export function identifyState<P extends string>(
  { schema, expected }: PhaseFormat<P>,
  text: string,
  file: string,
): { phase: P; updatedAt: string } {
  const head = table(
    {
      phase: choose((value) => (value === undefined ? never(expected, 'there is no phase') : schema)),
      updated_at: withDefault(ifFits(verbatim()), ''),
    },
    { problem: 'this is not a map of keys', expected: 'phase: … and the other keys of a state file' },
  );
  const locate = inFile(file, ([key]) => (key === undefined ? null : keyLine(text, key)) ?? 1);
  const values = parseYaml(text, { file, line: 1 });
  const { phase, updated_at: updatedAt } = readDocument(head, values, locate, { unknownKeys: 'ignored' });
  return { phase, updatedAt };
}
