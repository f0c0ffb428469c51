/** What the runner of a command is told: a JSON file in the dispatch's folder that only its owner can read. */

import { DocumentError } from '../../documents/document-error.ts';
import { asRecord, stringField } from '../../documents/fields.ts';

export interface Handover {
  /** Program and arguments; `{prompt_file}` stands for the path of the prompt. */
  readonly command: readonly string[];
  /** Where files of the dispatch go. */
  readonly folder: string;
}

export const promptFile = '{prompt_file}';

export function parseHandover(text: string, file: string): Handover {
  const place = { file, line: null };
  const record = asRecord(JSON.parse(text), place);
  const command = record['command'];
  if (!Array.isArray(command) || !command.every((each): each is string => typeof each === 'string'))
    throw new DocumentError(place, 'command is missing', 'a list of texts');
  return { command, folder: stringField(record, 'folder', place) };
}
