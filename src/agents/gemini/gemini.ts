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

import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { orElse } from '../../workspace/files.ts';
import type { Agent, AgentError, DispatchRequest, OutputReader } from '../agent.ts';
import { bearer, type AgentOptions } from '../agent-options.ts';
import { geminiVariables } from '../credentials.ts';
import { inner, jsonLine, numbers, readSettingsFile, texts, type Json } from '../json-line.ts';
import { conversationArgument, modelArgument, nativeAgent } from '../native-agent.ts';
import { conversationEvents, finished, jsonOutput, limitEnd, textEvents, toolEvents } from '../native-output.ts';
import { picked } from '../vendors.ts';

/** Of one request to the model; Pawl itself tries a failed dispatch again. */
const attemptsMax = 2;
const toolCallMsMax = 120_000;
const noUpdates = { enableAutoUpdate: false, enableAutoUpdateNotification: false };

export function createAgent(options: AgentOptions): Promise<Agent> {
  return nativeAgent(options, {
    agent: 'gemini',
    atLeast: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    passedOn: geminiVariables(options.environment),
    fixed: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    start: (request) => ({ args: argumentsOf(request, options), env: homeOf(request, options), output: readOutput() }),
  });
}

function argumentsOf(request: DispatchRequest, { mcp }: AgentOptions): string[] {
  return [
    '--output-format=stream-json',
    '--skip-trust',
    `--approval-mode=${request.access === 'write' ? 'auto_edit' : 'default'}`,
    conversationArgument(request),
    `--allowed-mcp-server-names=${['pawl', ...mcp].join(',')}`,
    ...modelArgument(request),
  ];
}

/** What a dispatch has of its own; a list of projects is made anew from what is in `tmp`. */
const notLinked = /^(?:settings\.json|policies|projects\.json)$|\.tmp$/;
const policyFile = 'pawl.toml';
/** Where conversations are kept: a later dispatch may go on with one. */
const kept = ['tmp', 'history'];

/** Login and everything else stay the user's: a link is written through when a token is renewed. */
function homeOf(request: DispatchRequest, options: AgentOptions): Record<string, string> {
  const { environment } = options;
  const home = join(request.folder, 'gemini-home');
  const folder = join(home, '.gemini');
  const user = environment['GEMINI_CLI_HOME'] ?? environment['HOME'] ?? homedir();
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(folder, 'policies'), { recursive: true });
  for (const name of kept) mkdirSync(join(user, '.gemini', name), { recursive: true });
  linkEntries(join(user, '.gemini'), folder, (name) => !notLinked.test(name));
  linkEntries(join(user, '.gemini', 'policies'), join(folder, 'policies'), (name) => name !== policyFile);
  linkEntries(user, home, (name) => name === '.env' || name === '.agents');
  writeFileSync(join(folder, 'policies', policyFile), policyOf(request));
  const settings = settingsOf(request, options, readSettingsFile(join(user, '.gemini', 'settings.json')));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const trusted = join(home, 'trusted-folders.json');
  writeFileSync(trusted, '{}');
  return { GEMINI_CLI_HOME: home, GEMINI_CLI_TRUSTED_FOLDERS_PATH: trusted };
}

function linkEntries(from: string, to: string, isLinked: (name: string) => boolean): void {
  const names = orElse([], () => readdirSync(from)).filter(isLinked);
  for (const name of names) symlinkSync(join(from, name), join(to, name));
}

function settingsOf(request: DispatchRequest, { mcp, environment }: AgentOptions, user: Json): Json {
  const pawl = { httpUrl: request.tools.url, headers: bearer(request), trust: true, timeout: toolCallMsMax };
  return {
    ...user,
    general: { ...inner(user, 'general'), ...noUpdates, plan: { enabled: false }, maxAttempts: attemptsMax },
    privacy: { ...inner(user, 'privacy'), usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { ...inner(user, 'ui'), showCompatibilityWarnings: false },
    advanced: { ...inner(user, 'advanced'), ignoreLocalEnv: true },
    security: {
      ...inner(user, 'security'),
      auth: { ...loginBy(environment), ...inner(user, 'security', 'auth') },
      environmentVariableRedaction: { ...inner(user, 'security', 'environmentVariableRedaction'), enabled: true },
    },
    // What the user lets it run without asking is not for a role whose commands are limited.
    tools: { ...inner(user, 'tools'), ...((request.access === 'read' || request.commands) && { allowed: [] }) },
    mcp: { ...inner(user, 'mcp'), serverCommand: '' },
    mcpServers: { ...picked(inner(user, 'mcpServers'), mcp), pawl },
  };
}

/** Without a terminal nobody can be asked how to log in. */
function loginBy(environment: AgentOptions['environment']): Json {
  if (environment['GOOGLE_GENAI_USE_VERTEXAI'] === 'true') return { selectedType: 'vertex-ai' };
  return environment['GEMINI_API_KEY'] ? { selectedType: 'gemini-api-key' } : {};
}

/** Whether shell commands need leave, since nobody is there to give it; who only reads has none, whatever the user's own rules say. */
function policyOf({ access, commands }: DispatchRequest): string {
  const rule = (text: string): string => `[[rule]]\ntoolName = "run_shell_command"\n${text}\n`;
  if (access === 'read') return rule('decision = "deny"\npriority = 999');
  if (!commands) return rule('allowRedirection = true\ndecision = "allow"\npriority = 100');
  const prefixes = commands.map((command) => JSON.stringify(command)).join(', ');
  return (
    rule('decision = "deny"\npriority = 100') +
    rule(`commandPrefix = [${prefixes}]\ndecision = "allow"\npriority = 200`)
  );
}

function readOutput(): OutputReader {
  let problem: string | null = null;
  return jsonOutput(
    {
      init: (line) => conversationEvents(line['session_id'], line['model']),
      message: ({ role, content }) => (role === 'assistant' ? textEvents(content) : []),
      tool_use: ({ tool_name: name, parameters }) =>
        toolEvents(name, inner(parameters)['file_path'], ['write_file', 'replace']),
      error: ({ message }) => {
        problem = texts(message) ?? problem;
        return [];
      },
      result: (line) => {
        const { input_tokens: input, output_tokens: output } = inner(line, 'stats');
        return [
          { type: 'usage', inputTokens: numbers(input), outputTokens: numbers(output), costUsd: null },
          finished(line['status'] === 'success' ? null : errorOf(line, problem)),
        ];
      },
    },
    { whole: earlyError },
  );
}

function errorOf(line: Json, earlier: string | null): AgentError {
  const { message: words, type: name } = inner(line, 'error');
  const message = plain(texts(words) ?? earlier ?? 'the turn ended with an error');
  const type = texts(name) ?? '';
  const isLimit =
    /QuotaError/.test(type) || /quota|rate.?limit|RESOURCE_EXHAUSTED|\b429\b|capacity|overloaded/i.test(message);
  if (isLimit) return { kind: 'wait', until: limitEnd(message, line), message };
  const isFinal = /Authentication|TurnLimited|ValidationRequired|ModelNotFound/.test(type) || hopeless.test(message);
  return { kind: isFinal ? 'stop' : 'retry', message };
}

const hopeless =
  /API key|UNAUTHENTICATED|PERMISSION_DENIED|authenticat|\b40[13]\b|credits|VALIDATION_REQUIRED|model not found|NOT_FOUND|max session turns|token count exceeds|context (?:window|length)/i;

/** What it says on stderr when it ends before its turn began, without a line on stdout. */
function earlyError(stderr: string): AgentError | null {
  if (/set an Auth method|GEMINI_API_KEY|authenticat/i.test(stderr))
    return { kind: 'stop', message: 'is not logged in: run gemini and log in, or set GEMINI_API_KEY' };
  const told = stderr
    .split('\n')
    .findLast((line) => /^(?:Error|Unknown argument)|not running in a trusted/i.test(line));
  if (told === undefined) return null;
  return { kind: told.startsWith('Error') ? 'retry' : 'stop', message: plain(told) };
}

/** The API's own words, without what is wrapped around them. */
function plain(message: string): string {
  const told = /^\[API Error: ([\s\S]*?)\](?:\n|$)/.exec(message)?.[1] ?? message;
  const { message: inside, code } = inner(jsonLine(told), 'error');
  const words =
    texts(inside) === null ? told : `${texts(inside)}${numbers(code) === null ? '' : ` (status ${numbers(code)})`}`;
  return words.replace(/\s+/g, ' ').trim();
}
