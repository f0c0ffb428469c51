/**
 * Agents that are known to speak the Agent Client Protocol: how they are started, and what has to be said to each.
 *
 * Their traps, all handled here: settings, hooks and servers of a repository run code (Claude: only the user's settings
 * count; OpenCode: off; codex-acp trusts every repository, and so does Copilot: not started where there is something); the
 * user's own servers start unasked (off, but for those that were allowed); what a session is begun with ends up on a
 * command line, our token with it (Claude: a file), or switches the user's servers on again (Codex: our server is in its
 * configuration); tools hide behind a search (Claude); an agent asks another model instead of us, or nobody (Codex: its
 * mode; OpenCode: its permissions); OpenCode waits for limits in silence (a plugin of ours tells); Gemini starts itself
 * anew and survives its signals; to Copilot a refused permission is the end of its turn (what is known to be refused is
 * denied beforehand; after any other refusal it is told to go on).
 *
 * Not handled, other than by their own drivers: keys in the model's shell, how often Gemini and Copilot try again, and
 * plugins of a repository in OpenCode, which has no switch for them.
 */

import { chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import { orElse } from '../../workspace/files.ts';
import type { DispatchRequest } from '../agent.ts';
import { chosenEnv, dispatchFile, type AgentOptions } from '../agent-options.ts';
import { claudeVariables, geminiVariables, opencodeVariables } from '../credentials.ts';
import { inner } from '../json-line.ts';
import { programPath, type ProgramSpec } from '../program.ts';
import {
  claudeEnv,
  claudeServers,
  codexConfig,
  codexFeaturesOff,
  codexPawl,
  codexVariables,
  copilotServersOff,
  opencodeEnv,
  opencodePlugin,
  opencodeServersOff,
  tokenVariable,
} from '../vendors.ts';
import { waitingMethod } from './turn-end.ts';

export interface KnownAgent extends Pick<ProgramSpec, 'command' | 'atLeast' | 'install'> {
  /** Variables of the user's that it may see. */
  readonly passedOn: (environment: AgentOptions['environment']) => readonly string[];
  readonly start: (request: DispatchRequest, user: User) => KnownStart;
  readonly modes?: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** The tokens it tells are those of all prompts of its process. */
  readonly countsOn?: true;
  /** Those without a sandbox of its own, for either role: it runs in Pawl's. */
  readonly boxedModes?: readonly string[];
  /** Files of a repository that it would run code from, and cannot be kept from: with them it is not started. */
  readonly runsCodeOf?: readonly string[];
}

interface User extends Pick<AgentOptions, 'mcp' | 'environment'> {
  readonly command: readonly string[];
}

/** What differs from dispatch to dispatch. */
export interface KnownStart {
  /** After those of the command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What this agent alone wants to know about a session. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** It has our server from its configuration, and is not to be told of it with the session. */
  readonly hasTools?: true;
}

export const knownAgents: Readonly<Record<string, KnownAgent>> = {
  claude: {
    command: ['claude-agent-acp'],
    atLeast: '0.99.0',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    passedOn: claudeVariables,
    start: startClaude,
    modes: { read: ['default'], write: ['default'] },
  },
  codex: {
    command: ['codex-acp'],
    atLeast: '2.6.0',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    passedOn: () => ['OPENAI_*', 'CODEX_HOME', 'CODEX_API_KEY'],
    start: startCodex,
    modes: { read: ['read-only'], write: ['workspace-write', 'agent'] },
    boxedModes: ['agent-full-access', 'full-access'],
    runsCodeOf: ['.codex'],
  },
  gemini: {
    command: ['gemini', '--acp', '--skip-trust'],
    atLeast: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    passedOn: (environment) => ['GEMINI_*', ...geminiVariables(environment)],
    start: (_, { mcp }) => ({
      args: [`--allowed-mcp-server-names=${['pawl', ...mcp].join(',')}`],
      env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    }),
    modes: { read: ['default'], write: ['default'] },
  },
  opencode: {
    command: ['opencode', 'acp'],
    atLeast: '1.18.0',
    install: 'npm install -g opencode-ai',
    passedOn: () => ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'XDG_*'],
    start: startOpencode,
    modes: { read: ['build'], write: ['build'] },
  },
  copilot: {
    command: ['copilot', '--acp', '--no-auto-update'],
    atLeast: '1.0.100',
    install: 'npm install -g @github/copilot',
    passedOn: () => ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    start: ({ access }, user) => ({
      args: [...copilotServersOff(user), ...(access === 'write' ? [] : ['--deny-tool=write', '--deny-tool=shell'])],
    }),
    countsOn: true,
    runsCodeOf: ['.github/hooks', '.github/copilot'],
  },
};

/** Modes of agents nobody has tried: one that asks us is better than one that asks nobody. */
export const usualModes = { read: ['read-only', 'default', 'ask'], write: ['workspace-write', 'default', 'ask'] };

function startClaude(request: DispatchRequest, user: User): KnownStart {
  const extraArgs = { 'mcp-config': claudeServers(request, user) };
  const options = { settingSources: ['user'], strictMcpConfig: true, promptSuggestions: false, extraArgs };
  return { env: claudeEnv, meta: { claudeCode: { options } }, hasTools: true };
}

function startCodex(request: DispatchRequest, user: User): KnownStart {
  const { mcp, environment } = user;
  const config = codexConfig(environment);
  const known = Object.keys(inner(config, 'mcp_servers'));
  const others = known.filter((name) => !mcp.includes(name));
  const approved = { default_tools_approval_mode: 'approve', enabled: true };
  const servers = known.map((name): [string, unknown] => [name, mcp.includes(name) ? approved : { enabled: false }]);
  return {
    env: {
      ...chosenEnv(environment, codexVariables(config, mcp)),
      ...codexWithout(others, request, user),
      [tokenVariable]: request.tools.token,
      CODEX_CONFIG: JSON.stringify({
        analytics: { enabled: false },
        check_for_update_on_startup: false,
        shell_environment_policy: { inherit: 'core' },
        features: Object.fromEntries(codexFeaturesOff.map((name) => [name, false])),
        mcp_servers: { ...Object.fromEntries(servers), pawl: codexPawl(request) },
      }),
    },
    hasTools: true,
  };
}

const codexFile = '@openai/codex/bin/codex.js';

/** Codex starts all servers it knows as soon as it is asked which there are, whatever its sessions are told: it has to be started without. */
function codexWithout(servers: readonly string[], request: DispatchRequest, user: User): Record<string, string> {
  const { command, environment } = user;
  // The one that comes with codex-acp; where that is not installed, there is none.
  const own = (): string => createRequire(programPath(command[0] ?? '', environment['PATH']) ?? '').resolve(codexFile);
  const codex = environment['CODEX_PATH'] ?? orElse(null, own);
  if (codex === null) return {};
  if (servers.length === 0) return environment['CODEX_PATH'] === undefined ? {} : { CODEX_PATH: codex };
  const words = [codex, '"$@"', ...servers.flatMap((name) => ['-c', `mcp_servers.${name}.enabled=false`])];
  const line = words.map((word) => (word === '"$@"' ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
  const program = dispatchFile(request, 'codex', `#!/bin/sh\nexec ${line}\n`);
  chmodSync(program, 0o700);
  return { CODEX_PATH: program };
}

/** Our plugin tells the bridge, as a notification beside the protocol's own. */
const printWaiting = `writeSync(1, JSON.stringify({ jsonrpc: '2.0', method: '${waitingMethod}', params: { message, next } }) + '\\n');`;

function startOpencode(request: DispatchRequest, user: User): KnownStart {
  return {
    env: {
      ...chosenEnv(user.environment, opencodeVariables(request.model, user.environment)),
      ...opencodeEnv,
      // Merged over the user's own configuration.
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        snapshot: false,
        experimental: { continue_loop_on_deny: true },
        plugin: [opencodePlugin(request, printWaiting)],
        mcp: opencodeServersOff(user),
      }),
      OPENCODE_PERMISSION: JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'deny' }),
    },
  };
}
