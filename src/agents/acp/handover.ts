/** What the bridge is told about its dispatch: a JSON file in the dispatch's folder that only its owner can read. */

import { DocumentError } from '../../documents/document-error.ts';
import { asRecord, stringField, type Place } from '../../documents/fields.ts';

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

export function parseHandover(text: string, file: string): Handover {
  const place: Place = { file, line: null };
  const record = asRecord(JSON.parse(text), place);
  const mcp = record['mcp'] === null ? null : asRecord(record['mcp'], place);
  const handshakeMsMax = record['handshakeMsMax'];
  if (typeof handshakeMsMax !== 'number') throw new DocumentError(place, 'handshakeMsMax is missing', 'a number');
  return {
    agent: stringField(record, 'agent', place),
    command: namesField(record, 'command', place),
    workspace: stringField(record, 'workspace', place),
    access: record['access'] === 'write' ? 'write' : 'read',
    model: typeof record['model'] === 'string' ? record['model'] : null,
    resume: typeof record['resume'] === 'string' ? record['resume'] : null,
    ledger: stringField(record, 'ledger', place),
    mcp: mcp && { url: stringField(mcp, 'url', place), token: stringField(mcp, 'token', place) },
    servers: namesField(record, 'servers', place),
    modes: namesField(record, 'modes', place),
    meta: asRecord(record['meta'], place),
    handshakeMsMax,
  };
}

function namesField(record: Record<string, unknown>, key: string, place: Place): readonly string[] {
  const value = record[key];
  if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value;
  throw new DocumentError(place, `${key} is missing`, 'a list of texts');
}
