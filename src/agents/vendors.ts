/** The vendors' programs, whichever driver starts them: what is set for each, and what users have set up for them. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseToml } from '../documents/toml.ts';
import { orElse, readText } from '../workspace/files.ts';
import type { DispatchRequest } from './agent.ts';
import { bearer, dispatchFile, type AgentOptions } from './agent-options.ts';
import { inner, readSettingsFile, texts, type Json } from './json-line.ts';

type Environment = AgentOptions['environment'];
type User = Pick<AgentOptions, 'mcp' | 'environment'>;

export const claudeEnv: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
  ENABLE_TOOL_SEARCH: 'false',
};

export const opencodeEnv: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_SHARE: '1',
};

/** Shorter waits of OpenCode are its own business. */
export const opencodeWaitMsMax = 60_000;
const opencodeTriesMax = 3;

/**
 * The URL of a plugin that runs inside of OpenCode, which waits for the end of a limit without a word, for hours, and tries
 * server errors again and again. `print` is JavaScript that prints a line of JSON from `message` and `next`; `hooks` are further ones.
 */
export function opencodePlugin(request: DispatchRequest, print: string, hooks = ''): string {
  const source = `import { writeSync } from 'node:fs';

export const Pawl = async () => ({
  event: async ({ event }) => {
    const { type, attempt, message, next } = event.type === 'session.status' ? event.properties.status : {};
    if (type !== 'retry' || (attempt < ${opencodeTriesMax} && next - Date.now() < ${opencodeWaitMsMax})) return;
    ${print}
  },
${hooks}});
`;
  return pathToFileURL(dispatchFile(request, 'opencode-plugin.js', source)).href;
}

/** The file that names Claude Code's servers: ours, and of the user's own those that are allowed. */
export function claudeServers(request: DispatchRequest, { mcp, environment }: User): string {
  const folder = environment['CLAUDE_CONFIG_DIR'] ?? homeOf(environment);
  const known = mcp.length === 0 ? {} : inner(readSettingsFile(join(folder, '.claude.json')), 'mcpServers');
  const pawl = { type: 'http', url: request.tools.url, headers: bearer(request), alwaysLoad: true };
  return dispatchFile(request, 'mcp.json', { mcpServers: { ...picked(known, mcp), pawl } });
}

export function picked(known: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (name in known ? [[name, known[name]]] : [])));
}

/** Codex's; where it cannot be read, Codex itself will say so. */
export function codexConfig(environment: Environment): Json {
  const file = join(environment['CODEX_HOME'] ?? join(homeOf(environment), '.codex'), 'config.toml');
  return orElse({}, () => parseToml(readText(file) ?? '', file));
}

/** The variable our token is in: its name is in Codex's configuration, its value nowhere else. */
export const tokenVariable = 'PAWL_TOOL_TOKEN';

/** Our server, as Codex is configured with it. */
export function codexPawl({ tools }: Pick<DispatchRequest, 'tools'>) {
  const approval = { default_tools_approval_mode: 'approve', enabled: true, required: true };
  return { url: tools.url, bearer_token_env_var: tokenVariable, ...approval };
}

/** Fetched at the start, or without an end. */
export const codexFeaturesOff = [
  'plugins',
  'remote_plugin',
  'plugin_discovery_prefetch',
  'apps',
  'unbounded_connection_retries',
];

export function codexProvider(user: Json): string {
  return texts(user['model_provider']) ?? 'openai';
}

/** Variables the user's own provider and allowed servers take their keys from. */
export function codexVariables(user: Json, mcp: readonly string[]): string[] {
  const provider = inner(user, 'model_providers', codexProvider(user));
  const servers = mcp.map((name) => inner(user, 'mcp_servers', name));
  const named = [provider, ...servers].flatMap((each) => [
    each['env_key'],
    each['bearer_token_env_var'],
    ...Object.values(inner(each, 'env_http_headers')),
    ...[each['env_vars']].flat(),
  ]);
  return named.filter((name) => typeof name === 'string');
}

/** OpenCode's that were not allowed, for all projects, switched off. */
export function opencodeServersOff({ mcp, environment }: User): Json {
  const known = opencodeSettings(environment).flatMap((settings) => Object.keys(inner(settings, 'mcp')));
  return Object.fromEntries(known.flatMap((name) => (mcp.includes(name) ? [] : [[name, { enabled: false }]])));
}

/** Where OpenCode reaches the user's own providers. */
export function opencodeProviderUrls(environment: Environment): readonly string[] {
  const providers = opencodeSettings(environment).flatMap((settings) => Object.values(inner(settings, 'provider')));
  const urls = providers.map((provider) => texts(inner(inner(provider), 'options')['baseURL']));
  return urls.filter((url) => url !== null);
}

/** All of the user's own configuration of OpenCode, file by file. */
export function opencodeSettings(environment: Environment): readonly Json[] {
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
  return all.map(readSettingsFile);
}

/** The arguments that switch off those of Copilot that were not allowed. */
export function copilotServersOff({ mcp, environment }: User): string[] {
  const folder = environment['COPILOT_HOME'] ?? join(homeOf(environment), '.copilot');
  const known = Object.keys(inner(readSettingsFile(join(folder, 'mcp-config.json')), 'mcpServers'));
  return [
    '--disable-builtin-mcps',
    ...known.flatMap((name) => (mcp.includes(name) ? [] : `--disable-mcp-server=${name}`)),
  ];
}

export function homeOf(environment: Environment): string {
  return environment['HOME'] ?? homedir();
}
