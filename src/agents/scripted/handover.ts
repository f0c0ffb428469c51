/** What the scripted agent's executable is told about its dispatch: a JSON file in the dispatch's folder. */

import { readJson } from '../../documents/read-document.ts';
import { orNull, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import type { Schema } from '../../schema/schema.ts';
import { number, verbatim } from '../../schema/simple.ts';
import { turn, type Turn } from './turn.ts';

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

const handover: Schema<Handover> = table({
  dispatch: verbatim(),
  role: verbatim(),
  step: verbatim(),
  script: verbatim(),
  played: number(),
  next: orNull(unlessNull(table({ index: number(), turn }))),
});

export function parseHandover(text: string, file: string): Handover {
  return readJson(handover, text, file);
}
