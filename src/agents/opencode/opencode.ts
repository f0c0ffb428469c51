/**
 * OpenCode, driven by its own command line.
 *
 * Its traps, all handled here: it waits for a rate limit to end without a word, for hours, and tries server errors
 * again and again (a plugin of ours sees it wait, says so and ends it); no terminal event (the last step that finished
 * decides); repository configuration runs code (off); one denied tool ends the turn (it goes on); a resumed session of
 * another folder hangs (sessions are never resumed); shell commands outlive it in sessions of their own (the runtime
 * ends them).
 *
 * Not handled: keys in its environment are seen by the model's shell.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allowedEnv } from '../../workspace/launcher.ts';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { inner, jsonLine, numbers, texts } from '../json-line.ts';
import { findProgram } from '../program.ts';

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

export async function createAgent(options: AgentOptions): Promise<Agent> {
  const env = { ...chosenEnv(options.environment, passedOn), ...fixed };
  const program = await findProgram({
    agent: 'opencode',
    command: options.command ?? ['opencode'],
    atLeast: '1.18.0',
    install: 'npm install -g opencode-ai',
    env: allowedEnv(env),
  });
  return {
    name: 'opencode',
    launch: (request) => ({
      command: program.command,
      args: [
        ...program.args,
        'run',
        '--format=json',
        '--agent=build',
        // Else a model is asked for one.
        '--title=pawl',
        ...(request.model === null ? [] : [`--model=${request.model}`]),
      ],
      env: { ...env, ...configOf(request, options) },
      stdin: request.prompt,
      output: readOutput(request.model),
    }),
  };
}

/** Merged over the user's own configuration; permissions have the last word from the environment. */
function configOf(request: DispatchRequest, { mcp, environment }: AgentOptions): Record<string, string> {
  const { tools, folder } = request;
  const file = join(folder, 'opencode.json');
  const plugin = join(folder, 'opencode-plugin.js');
  const user = readConfig(environment['OPENCODE_CONFIG'] ?? '');
  const others = usersServers(environment).filter((name) => !mcp.includes(name));
  const config = {
    ...user,
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    experimental: { ...inner(user, 'experimental'), continue_loop_on_deny: true },
    plugin: [...(Array.isArray(user['plugin']) ? user['plugin'] : []), pathToFileURL(plugin).href],
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
  writeFileSync(plugin, endsWaiting);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return { OPENCODE_CONFIG: file, OPENCODE_PERMISSION: JSON.stringify(permissionsOf(request)) };
}

const toolMsMax = 120_000;
const triesMax = 3;
const waitMsMax = 60_000;

/** Runs inside OpenCode: what it waits for is told to nobody else. */
const endsWaiting = `import { writeSync } from 'node:fs';

export const EndsWaiting = async () => ({
  event: async ({ event }) => {
    const { type, attempt, message, next } = event.type === 'session.status' ? event.properties.status : {};
    if (type !== 'retry' || (attempt < ${triesMax} && next - Date.now() < ${waitMsMax})) return;
    writeSync(1, JSON.stringify({ type: 'pawl_gave_up', timestamp: Date.now(), message, next }) + '\\n');
    process.exit(1);
  },
});
`;

function readConfig(file: string): Json {
  try {
    const text = readFileSync(file, 'utf8');
    // Comments are allowed in there.
    const plain = text.replace(
      /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_, quoted?: string) => quoted ?? '',
    );
    return inner(JSON.parse(plain.replace(/,(\s*[}\]])/g, '$1')));
  } catch {
    return {};
  }
}

/** Names of the MCP servers the user has configured for all projects. */
function usersServers({
  HOME = homedir(),
  XDG_CONFIG_HOME,
  OPENCODE_CONFIG_DIR,
}: AgentOptions['environment']): string[] {
  const folders = [
    join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'opencode'),
    join(HOME, '.opencode'),
    OPENCODE_CONFIG_DIR,
  ];
  const files = folders.flatMap((folder) =>
    folder === undefined ? [] : ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => join(folder, name)),
  );
  return [...new Set(files.flatMap((file) => Object.keys(inner(readConfig(file), 'mcp'))))];
}

function permissionsOf({ access }: DispatchRequest): Json {
  const bash = { '*': 'deny', ...Object.fromEntries(looking.map((command) => [`${command}*`, 'allow'])) };
  return access === 'write'
    ? { edit: 'allow', bash: 'allow', external_directory: 'deny' }
    : { edit: 'deny', bash, external_directory: 'deny' };
}

/** Commands a role that only reads may run. */
const looking = ['diff', 'log', 'show', 'status', 'blame', 'ls-files'].map((verb) => `git ${verb}`);

function readOutput(model: string | null): OutputReader {
  let session = false;
  let ending: Extract<AgentEvent, { type: 'finished' }> | null = null;
  return {
    line: (text) => {
      const line = jsonLine(text);
      ending = endingOf(line) ?? ending;
      const events = eventsOf(line);
      const id = line?.['sessionID'];
      if (session || typeof id !== 'string') return events;
      session = true;
      return [{ type: 'session', id, model }, ...events];
    },
    end: () => (ending ? [ending] : []),
  };
}

function eventsOf(line: Json | undefined): readonly AgentEvent[] {
  const part = inner(line, 'part');
  switch (line?.['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? [{ type: 'text', text: part['text'] }] : [];
    case 'tool_use':
      return toolEvents(part);
    case 'step_finish':
      return [usageOf(part)];
    default:
      return [];
  }
}

function toolEvents(part: Json): AgentEvent[] {
  const name = part['tool'];
  if (typeof name !== 'string') return [];
  const path = inner(part, 'state', 'input')['filePath'];
  const writes = name === 'write' || name === 'edit';
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

/** A model without a known price costs 0 by its account, which is not known to be true. */
function usageOf(part: Json): AgentEvent {
  const { input, output, reasoning, cache } = inner(part, 'tokens');
  const cost = numbers(part['cost']);
  return {
    type: 'usage',
    inputTokens: sum(input, inner(cache)['read'], inner(cache)['write']),
    outputTokens: sum(output, reasoning),
    costUsd: cost === 0 ? null : cost,
  };
}

function sum(...counts: readonly unknown[]): number | null {
  const known = counts.map(numbers).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

/** What the turn would come to if nothing followed this line; null when the line does not tell. */
function endingOf(line: Json | undefined): Extract<AgentEvent, { type: 'finished' }> | null {
  switch (line?.['type']) {
    case 'step_finish': {
      const reason = texts(inner(line, 'part')['reason']) ?? 'nothing';
      const message = `the turn ended in the middle: the last step ended with "${reason}"`;
      return { type: 'finished', error: reason === 'stop' ? null : { kind: 'retry', message } };
    }
    case 'error':
      return { type: 'finished', error: errorOf(inner(line, 'error')) };
    case 'pawl_gave_up':
      return { type: 'finished', error: waitedFor(line) };
    default:
      return null;
  }
}

function errorOf(error: Json): AgentError {
  const name = texts(error['name']) ?? '';
  const { message: said, statusCode } = inner(error, 'data');
  const status = numbers(statusCode);
  const message = `${texts(said) ?? (name || 'ended with an error')}${status === null ? '' : ` (status ${status})`}`;
  if (status === 429) return { kind: 'wait', until: null, message };
  const hopeless =
    /ProviderAuth|ContextOverflow|ModelNotFound|ConfigInvalid/.test(name) || /model not found/i.test(message);
  return hopeless || status === 401 || status === 403 || status === 402
    ? { kind: 'stop', message }
    : { kind: 'retry', message };
}

/** Whether it is a limit or an outage is told by words only; a wait as long as this is a limit's. */
function waitedFor({ message: said, next, timestamp }: Json): AgentError {
  const message = texts(said) ?? 'the model does not answer';
  const [until, now] = [numbers(next), numbers(timestamp)];
  const long = until !== null && now !== null && until - now >= waitMsMax;
  if (long) return { kind: 'wait', until: new Date(until).toISOString(), message };
  const limited = /rate.?limit|too many requests|quota|usage limit|overloaded|at capacity|exhausted|\b429\b/i.test(
    message,
  );
  return limited ? { kind: 'wait', until: null, message } : { kind: 'retry', message };
}
