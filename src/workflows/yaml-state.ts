/** What a state file in YAML shows. */

import { keyLine, parseYaml } from '../documents/yaml.ts';
import { inFile, readDocument } from '../documents/read-document.ts';
import { choose, never, table, withDefault } from '../schema/compound.ts';
import { ifFits } from '../schema/lenient.ts';
import type { Schema } from '../schema/schema.ts';
import { verbatim } from '../schema/simple.ts';

export interface PhaseFormat<P extends string> {
  readonly schema: Schema<P>;
  /** In words, for a file without a phase. */
  readonly expected: string;
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
  const { phase, updated_at: updatedAt } = readDocument(head, stateValues(text, file), locate, {
    unknownKeys: 'ignored',
  });
  return { phase, updatedAt };
}

/** What the file holds. The last text stays parsed: a command looks at the same one several times. */
export function stateValues(text: string, file: string): unknown {
  if (last?.text !== text) last = { text, value: parseYaml(text, { file, line: 1 }) };
  return last.value;
}

let last: { readonly text: string; readonly value: unknown } | undefined;
