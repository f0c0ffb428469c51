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
import {
  codexConfiguration,
  codexFeaturesOff,
  codexPawl,
  codexProvider,
  codexVariables,
  tokenVariable,
} from '../vendors.ts';
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
  ...Object.fromEntries(codexFeaturesOff.map((name) => [`features.${name}`, false])),
  'analytics.enabled': false,
  'feedback.enabled': false,
  check_for_update_on_startup: false,
  // A person's desktop is not told about every step of a run.
  notify: [],
  approval_policy: 'never',
  'shell_environment_policy.inherit': 'core',
};

const retriesMax = { request_max_retries: 2, stream_max_retries: 2 };

export function createAgent(options: AgentOptions): Promise<Agent> {
  const user = codexConfiguration(options.environment);
  return nativeAgent(options, {
    agent: 'codex',
    atLeast: '0.150.0',
    install: 'npm install -g @openai/codex',
    passedOn: [...passedOn, ...codexVariables(user, options.mcp)],
    start: (request) => {
      const { tools, folder, model, resume } = request;
      const TMPDIR = join(folder, 'tmp');
      mkdirSync(TMPDIR, { recursive: true });
      return {
        args: argumentsOf(request, user, options.mcp),
        env: { [tokenVariable]: tools.token, TMPDIR, RUST_LOG: `error,${waitingLog}=warn` },
        output: readOutput(model ?? texts(user['model']), { resume, ledger: dirname(folder) }),
      };
    },
  });
}

function argumentsOf(request: DispatchRequest, user: Json, mcp: readonly string[]): string[] {
  const { access, model, resume, workspace } = request;
  const settings: Readonly<Record<string, TomlValue>> = {
    ...fixed,
    ...retries(user),
    ...serversOf(user, mcp),
    'mcp_servers.pawl': codexPawl(request),
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
  const unset = Object.entries(retriesMax).filter(([key]) => !(key in provider));
  return Object.fromEntries(unset.map(([key, value]) => [`model_providers.${name}.${key}`, value]));
}

/** The user's own: those that were allowed need no approval, the others are off. */
function serversOf(user: Json, mcp: readonly string[]): Record<string, TomlValue> {
  const settings = Object.keys(inner(user, 'mcp_servers')).map((name): [string, TomlValue] =>
    mcp.includes(name)
      ? [`mcp_servers.${name}.default_tools_approval_mode`, 'approve']
      : [`mcp_servers.${name}.enabled`, false],
  );
  return Object.fromEntries(settings);
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
