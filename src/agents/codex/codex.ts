/**
 * Codex, driven by its own command line.
 *
 * Its traps, all handled here: a repository it trusts configures MCP servers and hooks that run code (never trusted);
 * retries without an end when nobody answers (off); plugins and apps that are fetched at the start (off); a token in
 * the model's shell (only the core of the environment is inherited); a temp folder above HOME stops its sandbox, and
 * /tmp is writable in it (a folder of the dispatch's own); MCP tools that need an approval nobody can give (given);
 * features it does not know end it (set as configuration, where they are ignored); a `Retry-After` of any length is
 * waited out, and told by nothing but one warning on standard error (asked for, and a long one ends the turn); tokens
 * are counted from the beginning of a conversation, earlier dispatches included (taken off).
 */

import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent, DispatchRequest } from '../agent.ts';
import type { AgentOptions } from '../agent-options.ts';
import { inner, texts, type Json } from '../json-line.ts';
import { nativeAgent } from '../native-agent.ts';
import { codexConfiguration, codexProvider, codexVariables, tokenVariable } from '../vendors.ts';
import { readOutput, waitingLog } from './codex-output.ts';

const passedOn = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_ORGANIZATION',
  'OPENAI_PROJECT',
  'CODEX_API_KEY',
  'CODEX_ACCESS_TOKEN',
  'CODEX_HOME',
  'CODEX_CA_CERTIFICATE',
  'ALL_PROXY',
];

const fixed: Readonly<Record<string, TomlValue>> = {
  'features.plugins': false,
  'features.remote_plugin': false,
  'features.plugin_discovery_prefetch': false,
  'features.apps': false,
  'features.unbounded_connection_retries': false,
  'analytics.enabled': false,
  'feedback.enabled': false,
  check_for_update_on_startup: false,
  // A person's desktop is not told about every step of a run.
  notify: [],
  approval_policy: 'never',
  'shell_environment_policy.inherit': 'core',
};

const requestRetriesMax = 2;
const streamRetriesMax = 2;

export function createAgent(options: AgentOptions): Promise<Agent> {
  const user = codexConfiguration(options.environment);
  return nativeAgent(options, {
    agent: 'codex',
    atLeast: '0.150.0',
    install: 'npm install -g @openai/codex',
    passedOn: [...passedOn, ...codexVariables(user, options.mcp)],
    start: (request) => ({
      args: argumentsOf(request, { user, mcp: options.mcp }),
      env: {
        [tokenVariable]: request.tools.token,
        TMPDIR: temporaryFolder(request),
        RUST_LOG: `error,${waitingLog}=warn`,
      },
      output: readOutput(request.model ?? texts(user['model']), {
        resume: request.resume,
        ledger: dirname(request.folder),
      }),
    }),
  });
}

function temporaryFolder({ folder }: DispatchRequest): string {
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return temporary;
}

function argumentsOf(
  request: DispatchRequest,
  { user, mcp }: { readonly user: Json; readonly mcp: readonly string[] },
): string[] {
  const { access, model, resume, workspace } = request;
  const settings: Readonly<Record<string, TomlValue>> = {
    ...fixed,
    ...retries(user),
    ...serversOf(request, user, mcp),
    projects: Object.fromEntries(
      [workspace, realpathSync(workspace)].map((path) => [path, { trust_level: 'untrusted' }]),
    ),
    sandbox_mode: access === 'write' ? 'workspace-write' : 'read-only',
    ...(access === 'write' && {
      'sandbox_workspace_write.exclude_slash_tmp': true,
      'sandbox_workspace_write.exclude_tmpdir_env_var': false,
    }),
  };
  return [
    'exec',
    ...(resume === null ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
    ...(model === null ? [] : ['-m', model]),
    ...(resume === null ? [] : [resume]),
    '-',
  ];
}

/** Providers that are built in cannot be set, and have an end of their own; the user's may be without. */
function retries(user: Json): Record<string, TomlValue> {
  const name = codexProvider(user);
  const provider = inner(user, 'model_providers', name);
  if (Object.keys(provider).length === 0) return {};
  return {
    ...(!('request_max_retries' in provider) && {
      [`model_providers.${name}.request_max_retries`]: requestRetriesMax,
    }),
    ...(!('stream_max_retries' in provider) && { [`model_providers.${name}.stream_max_retries`]: streamRetriesMax }),
  };
}

/** Ours, and of the user's own those that were allowed; the others are off. */
function serversOf({ tools }: DispatchRequest, user: Json, mcp: readonly string[]): Record<string, TomlValue> {
  const settings: Record<string, TomlValue> = {};
  for (const name of Object.keys(inner(user, 'mcp_servers')))
    if (mcp.includes(name)) settings[`mcp_servers.${name}.default_tools_approval_mode`] = 'approve';
    else settings[`mcp_servers.${name}.enabled`] = false;
  const { url } = tools;
  const approval = { default_tools_approval_mode: 'approve', enabled: true, required: true };
  return { ...settings, 'mcp_servers.pawl': { url, bearer_token_env_var: tokenVariable, ...approval } };
}

type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** Texts are written as in JSON: TOML reads the same escapes. */
function toml(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}=${toml(each)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}
