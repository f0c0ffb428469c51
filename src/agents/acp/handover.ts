/** What the bridge is told about its dispatch: a JSON file in the dispatch's folder that only its owner can read. */

import { readJson } from '../../documents/read-document.ts';
import { list, orNull, record, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import type { Schema } from '../../schema/schema.ts';
import { anything, number, oneOf, verbatim } from '../../schema/simple.ts';

export interface Handover {
  /** The agent's name, for messages. */
  readonly agent: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly workspace: string;
  readonly access: 'read' | 'write';
  readonly model: string | null;
  /** The conversation to go on with, by its exact id. */
  readonly resume: string | null;
  /** A folder that later dispatches know too. */
  readonly ledger: string;
  /** Our tools; null when the agent has them from its configuration. */
  readonly mcp: { readonly url: string; readonly token: string } | null;
  /** The user's own MCP servers whose tools may be used. */
  readonly servers: readonly string[];
  /** Modes to work in, the best one first; where the agent has none of them it stays in its own. */
  readonly modes: readonly string[];
  /** What this agent alone wants to know about a session. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** For each step before the prompt. */
  readonly handshakeMsMax: number;
}

const names = list(verbatim(), 'a list of texts');
const textOrNull = orNull(unlessNull(verbatim()));

const handover: Schema<Handover> = table({
  agent: verbatim(),
  command: names,
  workspace: verbatim(),
  access: oneOf(['read', 'write']),
  model: textOrNull,
  resume: textOrNull,
  ledger: verbatim(),
  mcp: orNull(unlessNull(table({ url: verbatim(), token: verbatim() }))),
  servers: names,
  modes: names,
  meta: record(anything),
  handshakeMsMax: number(),
});

export function parseHandover(text: string, file: string): Handover {
  return readJson(handover, text, file);
}
