/**
 * GitHub Copilot CLI, driven by its own command line.
 *
 * Its traps, all handled here: the program npm installs is a loader that dies of a signal while the agent it started
 * runs on (that agent is started itself); a trusted folder's configuration runs code (`--trust-folder` and
 * COPILOT_ALLOW_ALL are never given); tokens are told in a file only; arguments that swallow what follows (each is one
 * word); login tokens in the model's shell (hidden); it unpacks 240 MB into a home that has none of it (the user's own is used).
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Agent, DispatchRequest } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { lookingCommands } from '../looking.ts';
import { nativeAgent } from '../native-agent.ts';
import { programPath } from '../program.ts';
import { sessionIdOf } from '../session-id.ts';
import { copilotServers } from '../users-configuration.ts';
import { readOutput } from './copilot-output.ts';

const logins = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];

const passedOn = [
  ...logins,
  'COPILOT_HOME',
  'COPILOT_MODEL',
  'COPILOT_OFFLINE',
  'COPILOT_PROVIDER_*',
  'COPILOT_GH_HOST',
  'GH_HOST',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_EXTRA_CA_CERTS',
];

const fixed: Readonly<Record<string, string>> = { COPILOT_AUTO_UPDATE: 'false' };

export function createAgent(options: AgentOptions): Promise<Agent> {
  return nativeAgent({
    agent: 'copilot',
    command: withoutLoader(options.command ?? ['copilot'], options.environment),
    atLeast: '1.0.100',
    install: 'npm install -g @github/copilot',
    env: { ...chosenEnv(options.environment, passedOn), ...fixed },
    start: (request) => {
      const session = request.resume ?? sessionIdOf(request);
      // Beside the dispatch's own folder, because a later one that goes on with the session counts on from it.
      const usageFile = join(dirname(request.folder), `copilot-${session}.json`);
      return { args: argumentsOf(request, options, usageFile), output: readOutput(session, usageFile) };
    },
  });
}

/** The agent itself, where the program is npm's loader: the loader does not pass signals on. */
function withoutLoader(command: readonly string[], { PATH = '' }: AgentOptions['environment']): readonly string[] {
  const [program = '', ...args] = command;
  const loader = programPath(program, PATH);
  if (!loader?.endsWith('npm-loader.js')) return command;
  const require = createRequire(loader);
  for (const platform of process.platform === 'linux' ? ['linuxmusl', 'linux'] : [process.platform]) {
    try {
      return [require.resolve(`@github/copilot-${platform}-${process.arch}`), ...args];
    } catch {
      // Not this one.
    }
  }
  return command;
}

function argumentsOf(request: DispatchRequest, { mcp, environment }: AgentOptions, usageFile: string): string[] {
  const { folder, tools, access, model } = request;
  const config = join(folder, 'mcp.json');
  const pawl = { type: 'http', url: tools.url, headers: { Authorization: `Bearer ${tools.token}` }, tools: ['*'] };
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: { pawl } }), { mode: 0o600 });
  const allowed = access === 'write' ? ['write', 'shell'] : lookingCommands.map((command) => `shell(${command}:*)`);
  return [
    '--output-format=json',
    '--no-color',
    '--no-auto-update',
    '--no-ask-user',
    '--no-remote',
    '--disable-client-telemetry',
    '--disable-builtin-mcps',
    request.resume === null ? `--session-id=${sessionIdOf(request)}` : `--resume=${request.resume}`,
    `--usage-output-file=${usageFile}`,
    `--additional-mcp-config=@${config}`,
    `--secret-env-vars=${logins.join(',')}`,
    ...copilotServers(environment).flatMap((name) => (mcp.includes(name) ? [] : [`--disable-mcp-server=${name}`])),
    ...['pawl', ...mcp, ...allowed].map((tool) => `--allow-tool=${tool}`),
    ...(access === 'write' ? [] : ['--deny-tool=write']),
    ...(model === null ? [] : [`--model=${model}`]),
  ];
}
