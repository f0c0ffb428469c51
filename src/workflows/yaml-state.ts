/** What a state file in YAML shows. Apart from its writing, which takes longer to load. */

import { attempt, DocumentError } from '../documents/document-error.ts';
import { inFile, readDocument } from '../documents/read-document.ts';
import { keyLine, parseYaml } from '../documents/yaml.ts';
import { choose, never, table, withDefault } from '../schema/compound.ts';
import { ifFits } from '../schema/lenient.ts';
import { leaf, type Schema } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';

export type StateKeys = Readonly<Record<string, unknown>>;

export interface PhaseFormat<P extends string> {
  readonly schema: Schema<P>;
  /** In words, for a file without a phase. */
  readonly expected: string;
  /** The highest `schema_version` that can be written back as it is. */
  readonly version?: number;
}

/** The phase and the time a state file shows. */
export function identifyState<P extends string>(format: PhaseFormat<P>, text: string, file: string) {
  const { schema, expected, version = Infinity } = format;
  const newest = leaf(`${version} or lower: update Pawl, a newer version wrote this file`, (value) =>
    Number.parseFloat(typeof value === 'string' ? value : JSON.stringify(value ?? 0)) > version ? undefined : true,
  );
  const head = table(
    {
      schema_version: newest,
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
export function stateKeys(text: string, file: string): StateKeys {
  const values = attempt(() => stateValues(text, file));
  return isRecord(values) && !(values instanceof DocumentError) ? values : {};
}

/** The last text stays parsed: a command looks at the same one several times. */
function stateValues(text: string, file: string): unknown {
  if (last?.text !== text) last = { text, value: parseYaml(text, { file, line: 1 }) };
  return last.value;
}

let last: { readonly text: string; readonly value: unknown } | undefined;
