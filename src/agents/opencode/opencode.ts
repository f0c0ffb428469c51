/**
 * OpenCode, driven by its own command line.
 *
 * Its traps, all handled here: it waits for a rate limit to end without a word, for hours, and tries server errors
 * again and again (a plugin of ours sees it wait, says so and ends it); keys in the model's shell (the same plugin
 * blanks them); no terminal event (the last step that finished decides); `opencode.json` of the repository starts
 * servers (off); one denied tool ends the turn (it goes on); shell commands outlive it in sessions of their own (the
 * runtime ends them).
 *
 * Not handled, because it has no switch for it: `.opencode/plugin/*.js` and `.opencode/plugins/*.js` of the repository
 * run inside of it.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent, DispatchRequest } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { inner } from '../json-line.ts';
import { lookingCommands } from '../looking.ts';
import { nativeAgent } from '../native-agent.ts';
import { readSettingsFile } from '../settings-file.ts';
import { opencodeServers } from '../users-configuration.ts';
import { readOutput, waitMsMax } from './opencode-output.ts';

type Json = Readonly<Record<string, unknown>>;

const passedOn = [
  'OPENCODE_API_KEY',
  'OPENCODE_CONFIG_DIR',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_*',
  'VERTEX_LOCATION',
  'OPENROUTER_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'AWS_*',
  'AZURE_*',
  'XDG_*',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_EXTRA_CA_CERTS',
];

const fixed: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_SHARE: '1',
};

export function createAgent(options: AgentOptions): Promise<Agent> {
  return nativeAgent({
    agent: 'opencode',
    command: options.command ?? ['opencode'],
    atLeast: '1.18.0',
    install: 'npm install -g opencode-ai',
    env: { ...chosenEnv(options.environment, passedOn), ...fixed },
    start: (request) => ({
      args: [
        'run',
        '--format=json',
        '--agent=build',
        // Else a model is asked for one.
        '--title=pawl',
        ...(request.resume === null ? [] : [`--session=${request.resume}`]),
        ...(request.model === null ? [] : [`--model=${request.model}`]),
      ],
      env: configOf(request, options),
      output: readOutput(request.model),
    }),
  });
}

/** Merged over the user's own configuration; permissions have the last word from the environment. */
function configOf(request: DispatchRequest, { mcp, environment }: AgentOptions): Record<string, string> {
  const { tools, folder } = request;
  const file = join(folder, 'opencode.json');
  const plugin = join(folder, 'opencode-plugin.js');
  const user = readSettingsFile(environment['OPENCODE_CONFIG'] ?? '');
  const others = opencodeServers(environment).filter((name) => !mcp.includes(name));
  const config = {
    ...user,
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    experimental: { ...inner(user, 'experimental'), continue_loop_on_deny: true },
    plugin: [...listOf(user['plugin']), pathToFileURL(plugin).href],
    mcp: {
      ...inner(user, 'mcp'),
      ...Object.fromEntries(others.map((name) => [name, { enabled: false }])),
      pawl: {
        type: 'remote',
        url: tools.url,
        headers: { Authorization: `Bearer ${tools.token}` },
        oauth: false,
        enabled: true,
        timeout: toolMsMax,
      },
    },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(plugin, pawlPlugin);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return { OPENCODE_CONFIG: file, OPENCODE_PERMISSION: JSON.stringify(permissionsOf(request)) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const toolMsMax = 120_000;
const triesMax = 3;

/** Runs inside OpenCode: what it waits for is told to nobody else, and its shell has all of its variables. */
const pawlPlugin = `import { writeSync } from 'node:fs';

export const Pawl = async () => ({
  event: async ({ event }) => {
    const { type, attempt, message, next } = event.type === 'session.status' ? event.properties.status : {};
    if (type !== 'retry' || (attempt < ${triesMax} && next - Date.now() < ${waitMsMax})) return;
    writeSync(1, JSON.stringify({ type: 'pawl_gave_up', timestamp: Date.now(), message, next }) + '\\n');
    process.exit(1);
  },
  'shell.env': async (_, { env }) => {
    for (const name of Object.keys(process.env)) if (/KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i.test(name)) env[name] = '';
  },
});
`;

function permissionsOf({ access }: DispatchRequest): Json {
  const bash = { '*': 'deny', ...Object.fromEntries(lookingCommands.map((command) => [`${command}*`, 'allow'])) };
  return access === 'write'
    ? { edit: 'allow', bash: 'allow', external_directory: 'deny' }
    : { edit: 'deny', bash, external_directory: 'deny' };
}
