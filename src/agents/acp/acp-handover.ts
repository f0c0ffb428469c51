/** What the bridge is told about its dispatch. */

import { list, orNull, record, table } from '../../schema/compound.ts';
import { unlessNull } from '../../schema/lenient.ts';
import type { Infer } from '../../schema/schema.ts';
import { anything, number, oneOf, verbatim } from '../../schema/simple.ts';

const names = list(verbatim(), 'a list of texts');
const textOrNull = orNull(unlessNull(verbatim()));

export const acpHandover = table({
  /** Program and arguments. */
  command: names,
  workspace: verbatim(),
  access: oneOf(['read', 'write']),
  model: textOrNull,
  /** The conversation to go on with, by its exact id. */
  resume: textOrNull,
  /** A folder that later dispatches know too. */
  ledger: verbatim(),
  /** Our tools; null when the agent has them from its configuration. */
  mcp: orNull(unlessNull(table({ url: verbatim(), token: verbatim() }))),
  /** The user's own MCP servers whose tools may be used. */
  servers: names,
  /** Modes to work in, the best one first; where the agent has none of them it stays in its own. */
  modes: names,
  /** What this agent alone wants to know about a session. */
  meta: record(anything),
  /** For each step before the prompt. */
  handshakeMsMax: number(),
});
export type AcpHandover = Infer<typeof acpHandover>;
