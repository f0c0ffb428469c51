/**
 * Agents that are known to speak the Agent Client Protocol: how they are started, and what has to be said to each.
 *
 * Their traps, all handled here: settings, hooks and servers of a repository run code (Claude: only the user's settings
 * count; OpenCode: off; codex-acp trusts every repository, and so does Copilot: not started where there is something); tools hide behind a search (Claude); an agent asks another model
 * instead of us, or nobody (Codex: its mode; OpenCode: its permissions); OpenCode waits for limits in silence (a plugin of
 * ours tells); Gemini starts itself anew and survives its signals; to Copilot a refused permission is the end of its turn
 * (what is known to be refused is denied beforehand).
 *
 * Not handled, other than by their own drivers: keys in the model's shell, how often Gemini and Copilot try again, and
 * plugins of a repository in OpenCode, which has no switch for them.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DispatchRequest } from '../agent.ts';
import { opencodePlugin } from './opencode-plugin.ts';

export interface KnownAgent {
  readonly command: readonly string[];
  /** More of them for a role that only reads. */
  readonly readArgs?: readonly string[];
  readonly atLeast: string;
  readonly install: string;
  /** Variables of the user's that it may see. */
  readonly passedOn: readonly string[];
  readonly env?: (request: Pick<DispatchRequest, 'folder'>) => Readonly<Record<string, string>>;
  readonly modes?: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Files of a repository that it would run code from, and cannot be kept from: with them it is not started. */
  readonly runsCodeOf?: readonly string[];
}

export const knownAgents: Readonly<Record<string, KnownAgent>> = {
  claude: {
    command: ['claude-agent-acp'],
    atLeast: '0.99.0',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    passedOn: [
      'ANTHROPIC_*',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_USE_*',
      'AWS_*',
      'IS_SANDBOX',
    ],
    env: () => ({
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      ENABLE_TOOL_SEARCH: 'false',
    }),
    modes: { read: ['default'], write: ['default'] },
    meta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true, promptSuggestions: false } } },
  },
  codex: {
    command: ['codex-acp'],
    atLeast: '2.6.0',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    passedOn: ['OPENAI_*', 'CODEX_HOME', 'CODEX_API_KEY'],
    env: () => ({
      CODEX_CONFIG: JSON.stringify({
        analytics: { enabled: false },
        check_for_update_on_startup: false,
        shell_environment_policy: { inherit: 'core' },
        features: {
          plugins: false,
          apps: false,
          remote_plugin: false,
          plugin_discovery_prefetch: false,
          unbounded_connection_retries: false,
        },
      }),
    }),
    modes: { read: ['read-only'], write: ['workspace-write', 'agent'] },
    runsCodeOf: ['.codex'],
  },
  gemini: {
    command: ['gemini', '--acp', '--skip-trust'],
    atLeast: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    passedOn: ['GEMINI_*', 'GOOGLE_*'],
    env: () => ({ GEMINI_CLI_NO_RELAUNCH: 'true' }),
    modes: { read: ['default'], write: ['default'] },
  },
  opencode: {
    command: ['opencode', 'acp'],
    atLeast: '1.18.0',
    install: 'npm install -g opencode-ai',
    passedOn: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*', 'XDG_*'],
    env: opencodeEnv,
    modes: { read: ['build'], write: ['build'] },
  },
  copilot: {
    command: ['copilot', '--acp', '--no-auto-update'],
    readArgs: ['--deny-tool=write'],
    atLeast: '1.0.100',
    install: 'npm install -g @github/copilot',
    passedOn: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    runsCodeOf: ['.github/hooks', '.github/copilot'],
  },
};

/** Modes of agents nobody has tried: one that asks us is better than one that asks nobody. */
export const usualModes = { read: ['read-only', 'default', 'ask'], write: ['workspace-write', 'default', 'ask'] };

function opencodeEnv({ folder }: Pick<DispatchRequest, 'folder'>): Record<string, string> {
  const plugin = join(folder, 'opencode-plugin.js');
  mkdirSync(folder, { recursive: true });
  writeFileSync(plugin, opencodePlugin);
  return {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // Merged over the user's own configuration.
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      snapshot: false,
      experimental: { continue_loop_on_deny: true },
      plugin: [pathToFileURL(plugin).href],
    }),
    OPENCODE_PERMISSION: JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'deny' }),
  };
}
