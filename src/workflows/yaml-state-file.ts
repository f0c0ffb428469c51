/** A state file in YAML: a projection of the run that people read, comment and may edit. */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { inFile, readDocument } from '../documents/read-document.ts';
import { editYaml } from '../documents/yaml-edit.ts';
import { keyLine, parseYaml } from '../documents/yaml.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { choose, never, table, withDefault } from '../schema/compound.ts';
import { ifFits } from '../schema/lenient.ts';
import type { Schema } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import type { RunView, StateFile } from './workflow.ts';

type Keys = Readonly<Record<string, unknown>>;

interface Projection {
  /** A snapshot may say that the file was moved. */
  readonly path: (run: string, snapshot?: Snapshot) => string;
  /** The keys that follow from the run. `before`: those of the file as it is. */
  readonly fields: (view: RunView, before: Keys) => Keys;
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

interface PhaseFormat<P extends string> {
  readonly schema: Schema<P>;
  /** In words, for a file without a phase. */
  readonly expected: string;
}

/** The phase and the time a state file shows. */
export function identifyState<P extends string>({ schema, expected }: PhaseFormat<P>, text: string, file: string) {
  const head = table(
    {
      phase: choose((value) => (value === undefined ? never(expected, 'there is no phase') : schema)),
      updated_at: withDefault(ifFits(verbatim()), ''),
    },
    { problem: 'this is not a map of keys', expected: 'phase: … and the other keys of a state file' },
  );
  const locate = inFile(file, ([key]) => (key === undefined ? null : keyLine(text, key)) ?? 1);
  const read = readDocument(head, stateValues(text, file), locate, { unknownKeys: 'ignored' });
  return { phase: read.phase, updatedAt: read.updated_at };
}

/** None for a file that cannot be read. */
export function stateKeys(text: string, file: string): Keys {
  const values = attempt(() => stateValues(text, file));
  return isRecord(values) && !(values instanceof DocumentError) ? values : {};
}

/** The last text stays parsed: a command looks at the same one several times. */
function stateValues(text: string, file: string): unknown {
  if (last?.text !== text) last = { text, value: parseYaml(text, { file, line: 1 }) };
  return last.value;
}

let last: { readonly text: string; readonly value: unknown } | undefined;
