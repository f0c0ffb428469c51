/** What the scripted agent's executable is told about its dispatch: a JSON file in the dispatch's folder. */

import { DocumentError } from '../../documents/document-error.ts';
import { asRecord, stringField } from '../../documents/fields.ts';
import { parseTurn, type Turn } from './turn.ts';

export interface Handover {
  readonly dispatch: string;
  readonly role: string;
  readonly step: string;
  /** The script, for messages. */
  readonly script: string;
  /** Turns the role's earlier dispatches played. */
  readonly played: number;
  /** Null when the script has no turn left for this dispatch. */
  readonly next: { readonly index: number; readonly turn: Turn } | null;
}

export function parseHandover(text: string, file: string): Handover {
  const where = { file, line: null };
  const value: unknown = JSON.parse(text);
  const record = asRecord(value, where);
  const script = stringField(record, 'script', where);
  return {
    dispatch: stringField(record, 'dispatch', where),
    role: stringField(record, 'role', where),
    step: stringField(record, 'step', where),
    script,
    played: numberField(record['played'], file),
    next: record['next'] === null ? null : parseNext(asRecord(record['next'], where), { script, file }),
  };
}

function parseNext(
  next: Record<string, unknown>,
  { script, file }: { script: string; file: string },
): Handover['next'] {
  const index = numberField(next['index'], file);
  return { index, turn: parseTurn(next['turn'], { file: script, number: index + 1 }) };
}

function numberField(value: unknown, file: string): number {
  if (typeof value === 'number') return value;
  throw new DocumentError({ file, line: null }, 'a count is missing', 'a number');
}
