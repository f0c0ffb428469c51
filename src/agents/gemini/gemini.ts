/**
 * Gemini CLI, driven by its own command line.
 *
 * Its traps, all handled here: MCP servers come from settings files only, and a system one counts only when root owns
 * it (so it gets a home of its own: links to everything in the user's `~/.gemini`, and settings that are the user's
 * plus ours); repository settings run code in trusted folders (it is told of no trusted folder, and `--skip-trust`
 * comes after settings are read); it relaunches itself as a process that outlives signals (off); API keys in the
 * model's shell (redacted); shell commands outlive it (the runtime ends them); its exit code is a status modulo 256
 * (not looked at); nothing on stdout says what an early failure was (stderr does).
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { allowedEnv } from '../../workspace/launcher.ts';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { inner, jsonLine, numbers, texts } from '../json-line.ts';
import { findProgram, type Program } from '../program.ts';

type Json = Readonly<Record<string, unknown>>;

const passedOn = [
  'GEMINI_API_KEY',
  'GEMINI_MODEL',
  'GOOGLE_*',
  'CODE_ASSIST_ENDPOINT',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_EXTRA_CA_CERTS',
];

const fixed: Readonly<Record<string, string>> = { GEMINI_CLI_NO_RELAUNCH: 'true' };

/** Of one request to the model; Pawl itself tries a failed dispatch again. */
const attemptsMax = 2;
const toolCallMsMax = 120_000;

export async function createAgent(options: AgentOptions): Promise<Agent> {
  const env = { ...chosenEnv(options.environment, passedOn), ...fixed };
  const program = await findProgram({
    agent: 'gemini',
    command: options.command ?? ['gemini'],
    atLeast: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    env: allowedEnv(env),
  });
  return {
    name: 'gemini',
    launch: (request) => ({
      command: program.command,
      args: argumentsOf(program, request, options),
      env: { ...env, ...homeOf(request, options) },
      stdin: request.prompt,
      output: readOutput(),
    }),
  };
}

function argumentsOf(program: Program, request: DispatchRequest, { mcp }: AgentOptions): string[] {
  return [
    ...program.args,
    '--output-format=stream-json',
    '--skip-trust',
    `--approval-mode=${request.access === 'write' ? 'auto_edit' : 'default'}`,
    `--session-id=${sessionOf(request)}`,
    `--allowed-mcp-server-names=${['pawl', ...mcp].join(',')}`,
    ...(request.model === null ? [] : [`--model=${request.model}`]),
  ];
}

/** The conversation has an id of its own from the start, so that it can be told from all others. */
function sessionOf({ id, folder }: DispatchRequest): string {
  const hex = createHash('sha256').update(`${folder}\n${id}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What a dispatch has of its own: settings, policies, and the state of its conversation. */
const notLinked = /^(?:settings\.json|policies|tmp|history|projects\.json)$|\.tmp$/;

/** Login and everything else stay the user's: a link is written through when a token is renewed. */
function homeOf(request: DispatchRequest, options: AgentOptions): Record<string, string> {
  const { environment } = options;
  const home = join(request.folder, 'gemini-home');
  const folder = join(home, '.gemini');
  const user = environment['GEMINI_CLI_HOME'] ?? environment['HOME'] ?? homedir();
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(folder, 'policies'), { recursive: true });
  for (const name of entries(join(user, '.gemini')).filter((each) => !notLinked.test(each)))
    symlinkSync(join(user, '.gemini', name), join(folder, name));
  for (const name of entries(join(user, '.gemini', 'policies')))
    symlinkSync(join(user, '.gemini', 'policies', name), join(folder, 'policies', name));
  writeFileSync(join(folder, 'policies', 'pawl.toml'), policyOf(request));
  for (const name of entries(user).filter((each) => each === '.env' || each === '.agents'))
    symlinkSync(join(user, name), join(home, name));
  const settings = settingsOf(request, options, readSettings(join(user, '.gemini', 'settings.json')));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const trusted = join(home, 'trusted-folders.json');
  writeFileSync(trusted, '{}');
  return { GEMINI_CLI_HOME: home, GEMINI_CLI_TRUSTED_FOLDERS_PATH: trusted };
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function readSettings(file: string): Json {
  try {
    const text = readFileSync(file, 'utf8');
    // Comments are allowed in there.
    const plain = text.replace(
      /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_all, quoted?: string) => quoted ?? '',
    );
    return inner(JSON.parse(plain));
  } catch {
    return {};
  }
}

function settingsOf({ tools }: DispatchRequest, { mcp, environment }: AgentOptions, user: Json): Json {
  const known = inner(user, 'mcpServers');
  const pawl = {
    httpUrl: tools.url,
    headers: { Authorization: `Bearer ${tools.token}` },
    trust: true,
    timeout: toolCallMsMax,
  };
  return {
    ...user,
    general: {
      ...inner(user, 'general'),
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      plan: { enabled: false },
      maxAttempts: attemptsMax,
    },
    privacy: { ...inner(user, 'privacy'), usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { ...inner(user, 'ui'), showCompatibilityWarnings: false },
    advanced: { ...inner(user, 'advanced'), ignoreLocalEnv: true },
    security: {
      ...inner(user, 'security'),
      auth: { ...loginBy(environment), ...inner(user, 'security', 'auth') },
      environmentVariableRedaction: { ...inner(user, 'security', 'environmentVariableRedaction'), enabled: true },
    },
    mcp: { ...inner(user, 'mcp'), serverCommand: '' },
    mcpServers: { ...Object.fromEntries(mcp.flatMap((name) => (name in known ? [[name, known[name]]] : []))), pawl },
  };
}

/** Without a terminal nobody can be asked how to log in. */
function loginBy(environment: AgentOptions['environment']): Json {
  if (environment['GOOGLE_GENAI_USE_VERTEXAI'] === 'true') return { selectedType: 'vertex-ai' };
  return environment['GEMINI_API_KEY'] ? { selectedType: 'gemini-api-key' } : {};
}

/** Which shell commands need no leave, since nobody is there to give it. */
function policyOf({ access }: DispatchRequest): string {
  const commands =
    access === 'write'
      ? ['allowRedirection = true']
      : [`commandPrefix = ${JSON.stringify(looking)}`, 'allowRedirection = false'];
  return ['[[rule]]', 'toolName = "run_shell_command"', ...commands, 'decision = "allow"', 'priority = 100', ''].join(
    '\n',
  );
}

/** Commands a role that only reads may run; its tools for reading need no leave. */
const looking = ['diff', 'log', 'show', 'status', 'blame', 'ls-files'].map((verb) => `git ${verb}`);

function readOutput(): OutputReader {
  const seen: { finished: boolean; error: string | null } = { finished: false, error: null };
  return {
    line: (text) => {
      const line = jsonLine(text);
      if (line?.['type'] === 'error') seen.error = texts(line['message']) ?? seen.error;
      const events = eventsOf(line, seen.error);
      seen.finished ||= events.some(({ type }) => type === 'finished');
      return events;
    },
    end: ({ stderr }) => {
      const error = seen.finished ? null : earlyError(stderr);
      return error === null ? [] : [{ type: 'finished', error }];
    },
  };
}

function eventsOf(line: Json | undefined, earlier: string | null): readonly AgentEvent[] {
  switch (line?.['type']) {
    case 'init':
      return typeof line['session_id'] === 'string'
        ? [{ type: 'session', id: line['session_id'], model: texts(line['model']) }]
        : [];
    case 'message':
      return line['role'] === 'assistant' && typeof line['content'] === 'string'
        ? [{ type: 'text', text: line['content'] }]
        : [];
    case 'tool_use':
      return toolEvents(line);
    case 'result':
      return [
        {
          type: 'usage',
          inputTokens: numbers(inner(line, 'stats')['input_tokens']),
          outputTokens: numbers(inner(line, 'stats')['output_tokens']),
          costUsd: null,
        },
        { type: 'finished', error: line['status'] === 'success' ? null : errorOf(line, earlier) },
      ];
    default:
      return [];
  }
}

function toolEvents({ tool_name: name, parameters }: Json): AgentEvent[] {
  if (typeof name !== 'string') return [];
  const path = inner(parameters)['file_path'];
  const writes = name === 'write_file' || name === 'replace';
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

function errorOf(line: Json, earlier: string | null): AgentError {
  const { message, type } = inner(line, 'error');
  const told = plain(texts(message) ?? earlier ?? 'the turn ended with an error');
  const at = Date.parse(texts(line['timestamp']) ?? '');
  return decide(told, { type: texts(type) ?? '', at });
}

/** What it says on stderr when it ends before its turn began, without a line on stdout. */
function earlyError(stderr: string): AgentError | null {
  const told = plain(stderr.split('\n').findLast((line) => /error|auth|login|GEMINI_API_KEY/i.test(line)) ?? '');
  const refused =
    /set an auth method|GEMINI_API_KEY|sign in|log ?in|authenticat|not running in a trusted|unknown argument/i;
  return refused.test(stderr) ? { kind: 'stop', message: told } : null;
}

/** The API's own words, without what is wrapped around them. */
function plain(message: string): string {
  const told = /^\[API Error: ([\s\S]*?)\](?:\n|$)/.exec(message)?.[1] ?? message;
  const { message: inside, code } = inner(jsonLine(told), 'error');
  const words =
    texts(inside) === null ? told : `${texts(inside)}${numbers(code) === null ? '' : ` (status ${numbers(code)})`}`;
  return words.replace(/\s+/g, ' ').trim();
}

function decide(message: string, { type, at }: { type: string; at: number }): AgentError {
  const limited =
    /QuotaError/.test(type) || /quota|rate.?limit|RESOURCE_EXHAUSTED|\b429\b|capacity|overloaded/i.test(message);
  if (limited) return { kind: 'wait', until: untilOf(message, at), message };
  const hopeless =
    /API key|UNAUTHENTICATED|PERMISSION_DENIED|authenticat|\b40[13]\b|credits|VALIDATION_REQUIRED|model not found|NOT_FOUND|max session turns|token count exceeds|context (?:window|length)/i;
  if (hopeless.test(message) || /Authentication|TurnLimited|ValidationRequired|ModelNotFound/.test(type))
    return { kind: 'stop', message };
  return { kind: 'retry', message };
}

/** The API says how long, the line says since when. */
function untilOf(message: string, at: number): string | null {
  const [, amount, unit] = /retry (?:in|after) ([\d.]+)(ms|s)/i.exec(message) ?? [];
  if (amount === undefined || Number.isNaN(at)) return null;
  return new Date(at + Number(amount) * (unit === 'ms' ? 1 : 1_000)).toISOString();
}
