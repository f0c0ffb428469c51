/** What an agent is made with: how the user wants it started, and what adapters take from that and from the dispatch. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DispatchRequest } from './agent.ts';
import type { VersionNotes } from './version-notes.ts';

export interface AgentOptions {
  /** Program and arguments instead of its usual name. */
  readonly command: readonly string[] | null;
  readonly driver: 'native' | 'acp' | null;
  /** Names of the user's own MCP servers it may have beside ours. */
  readonly mcp: readonly string[];
  /** Names of more variables it may see: for programs nobody knows the keys of. */
  readonly env?: readonly string[];
  /** The user's environment; an agent gets only what its adapter names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly versions?: VersionNotes;
}

/** How a program reaches the network: no agent works without. */
const network = ['HTTPS_PROXY', 'HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

/** Names of variables, as a text. */
export function variables(...names: readonly string[]): readonly string[] {
  return names.flatMap((each) => each.split(' '));
}

/** The variables an adapter names, as far as they are set; a name that ends with `*` stands for all that begin so. */
export function chosenEnv(environment: AgentOptions['environment'], names: readonly string[]): Record<string, string> {
  const isChosen = (name: string): boolean =>
    [...network, ...names].some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isChosen(name) ? [[name, value]] : [],
    ),
  );
}

/** A file in the dispatch's own folder that only its owner can read; returns its path. */
export function dispatchFile({ folder }: DispatchRequest, name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return file;
}

export function bearer({ tools }: DispatchRequest): { readonly Authorization: string } {
  return { Authorization: `Bearer ${tools.token}` };
}
