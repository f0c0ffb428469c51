/** What users have set up for the vendors' programs: their own MCP servers, and the variables those need. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseToml } from '../documents/toml.ts';
import type { AgentOptions } from './agent-options.ts';
import { inner, texts } from './json-line.ts';
import { readSettingsFile } from './settings-file.ts';

type Environment = AgentOptions['environment'];
type Settings = Readonly<Record<string, unknown>>;

/** Claude Code's, of those that are named. */
export function claudeServers(environment: Environment, names: readonly string[]): Settings {
  const folder = environment['CLAUDE_CONFIG_DIR'] ?? homeOf(environment);
  const known = names.length === 0 ? {} : inner(readSettingsFile(join(folder, '.claude.json')), 'mcpServers');
  return Object.fromEntries(names.flatMap((name) => (name in known ? [[name, known[name]]] : [])));
}

/** Codex's; where it cannot be read, Codex itself will say so. */
export function codexConfiguration(environment: Environment): Settings {
  const file = join(environment['CODEX_HOME'] ?? join(homeOf(environment), '.codex'), 'config.toml');
  try {
    return parseToml(readFileSync(file, 'utf8'), file);
  } catch {
    return {};
  }
}

export function codexProvider(user: Settings): string {
  return texts(user['model_provider']) ?? 'openai';
}

/** Variables the user's own provider and allowed servers take their keys from. */
export function codexVariables(user: Settings, mcp: readonly string[]): string[] {
  const provider = inner(user, 'model_providers', codexProvider(user));
  const servers = mcp.map((name) => inner(user, 'mcp_servers', name));
  const named = [provider, ...servers].flatMap((each): unknown[] => {
    const { env_vars: passed } = each;
    const listed: unknown[] = Array.isArray(passed) ? passed : [];
    return [
      each['env_key'],
      each['bearer_token_env_var'],
      ...Object.values(inner(each, 'env_http_headers')),
      ...listed,
    ];
  });
  return named.filter((name) => typeof name === 'string');
}

/** Names of OpenCode's, for all projects. */
export function opencodeServers(environment: Environment): string[] {
  const { XDG_CONFIG_HOME, OPENCODE_CONFIG, OPENCODE_CONFIG_DIR } = environment;
  const home = homeOf(environment);
  const folders = [
    join(XDG_CONFIG_HOME ?? join(home, '.config'), 'opencode'),
    join(home, '.opencode'),
    OPENCODE_CONFIG_DIR,
  ];
  const files = folders.flatMap((folder) =>
    folder === undefined ? [] : ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => join(folder, name)),
  );
  const all = OPENCODE_CONFIG === undefined ? files : [OPENCODE_CONFIG, ...files];
  return [...new Set(all.flatMap((file) => Object.keys(inner(readSettingsFile(file), 'mcp'))))];
}

/** Names of Copilot's. */
export function copilotServers(environment: Environment): string[] {
  const folder = environment['COPILOT_HOME'] ?? join(homeOf(environment), '.copilot');
  return Object.keys(inner(readSettingsFile(join(folder, 'mcp-config.json')), 'mcpServers'));
}

function homeOf(environment: Environment): string {
  return environment['HOME'] ?? homedir();
}
