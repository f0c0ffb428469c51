/** MCP servers of the user's own, where each vendor's program looks for them. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { trapOf } from './hostile-repository.ts';

/** Adds them to what the user has configured for an agent; each leaves a file with its name when it is started. */
export function addOwnServers(agent: string, repository: ScratchRepository, names: readonly string[]): void {
  const at = (path: string): string => join(repository.home, path);
  const servers = names.map((name) => [name, ['sh', '-c', `${trapOf(repository, name)}; sleep 1`]] as const);
  const listed = (server: (command: readonly string[]) => unknown) =>
    Object.fromEntries(servers.map(([name, command]) => [name, server(command)]));
  const local = ([command, ...args]: readonly string[]) => ({ command, args });
  switch (agent) {
    case 'claude':
      return merge(at('.claude.json'), 'mcpServers', listed(local));
    case 'gemini':
      return merge(at('.gemini/settings.json'), 'mcpServers', listed(local));
    case 'copilot':
      return merge(
        at('.copilot/mcp-config.json'),
        'mcpServers',
        listed((each) => ({ type: 'local', tools: ['*'], ...local(each) })),
      );
    case 'opencode':
      return merge(
        at('.config/opencode/opencode.json'),
        'mcp',
        listed((command) => ({ type: 'local', command, enabled: true })),
      );
    case 'codex':
      for (const [name, [command, ...args]] of servers)
        appendFileSync(
          at('.codex/config.toml'),
          `\n[mcp_servers.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`,
        );
      return;
    default:
      throw new Error(`nobody knows where ${agent} looks for servers`);
  }
}

function merge(file: string, key: string, servers: Readonly<Record<string, unknown>>): void {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...before, [key]: servers }));
}
