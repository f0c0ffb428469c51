/** What the runner of a command is told: a JSON file in the dispatch's folder that only its owner can read. */

import { readJson } from '../../documents/read-document.ts';
import { list, table } from '../../schema/compound.ts';
import type { Schema } from '../../schema/schema.ts';
import { verbatim } from '../../schema/simple.ts';

export interface Handover {
  /** Program and arguments; `{prompt_file}` stands for the path of the prompt. */
  readonly command: readonly string[];
  /** Where files of the dispatch go. */
  readonly folder: string;
}

export const promptFile = '{prompt_file}';

const handover: Schema<Handover> = table({ command: list(verbatim(), 'a list of texts'), folder: verbatim() });

export function parseHandover(text: string, file: string): Handover {
  return readJson(handover, text, file);
}
