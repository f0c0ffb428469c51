/** What STATE.yaml shows of a change. */

import { keyLine } from '../../documents/key-line.ts';
import { inFile, readDocument } from '../../documents/read-document.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { choose, never, table, withDefault } from '../../schema/compound.ts';
import { ifFits } from '../../schema/lenient.ts';
import { verbatim, word } from '../../schema/simple.ts';
import type { StateReader } from '../workflow.ts';
import { archiveFolder, statePath } from './paths.ts';
import { phases, type Phase } from './phases.ts';
import { archivedAs } from './run-data.ts';

export function shownState(run: string): StateReader {
  return {
    path: ({ snapshot }) => {
      const name = archivedAs(snapshot);
      return name === null ? statePath(run) : `${archiveFolder(name)}/STATE.yaml`;
    },
    identify: (text) => identify(text, statePath(run)),
  };
}

/** The phase and time a state file shows. A phase is read in any case. */
export function identify(text: string, file: string): { phase: Phase; updatedAt: string } {
  const locate = inFile(file, ([key]) => (key === undefined ? null : keyLine(text, key)) ?? 1);
  const { phase, updated_at: updatedAt } = readDocument(stateHead, valuesOf(text, file), locate, {
    unknownKeys: 'ignored',
  });
  return { phase, updatedAt };
}

const knownPhase = word(phases);

const stateHead = table(
  {
    phase: choose((value) =>
      value === undefined ? never(`one of ${phases.join(', ')}`, 'there is no phase') : knownPhase,
    ),
    updated_at: withDefault(ifFits(verbatim()), ''),
  },
  { problem: 'this is not a map of keys', expected: 'phase: … and the other keys of a state file' },
);

/** The last text stays parsed: a command looks at the same one several times. */
export function valuesOf(text: string, file: string): unknown {
  if (last?.text !== text) last = { text, value: parseYaml(text, { file, line: 1 }) };
  return last.value;
}

/** What a text holds, where it is the one that was read last. */
export function parsedBefore(text: string | undefined): { readonly values?: unknown } {
  return last?.text === text ? { values: last?.value } : {};
}

let last: { readonly text: string; readonly value: unknown } | undefined;
