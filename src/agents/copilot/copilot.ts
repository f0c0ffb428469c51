/**
 * GitHub Copilot CLI, driven by its own command line.
 *
 * Its traps, all handled here: the program npm installs is a loader that dies of a signal while the agent it started
 * runs on (that agent is started itself); a trusted folder's configuration runs code (`--trust-folder` and
 * COPILOT_ALLOW_ALL are never given); tokens are told in a file only; arguments that swallow what follows (each is one
 * word); login tokens in the model's shell (hidden); it unpacks 240 MB into a home that has none of it (the user's own is used).
 */

import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { orElse } from '../../workspace/files.ts';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { bearer, dispatchFile, type AgentOptions } from '../agent-options.ts';
import { inner, numbers, readSettingsFile, texts, type Json } from '../json-line.ts';
import { conversationArgument, conversationIdOf, modelArgument, nativeAgent } from '../native-agent.ts';
import { conversationEvents, finished, jsonOutput, limitEnd, textEvents, toolEvents } from '../native-output.ts';
import { programPath } from '../program.ts';
import { copilotServersOff } from '../vendors.ts';

const logins = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];
const home = ['COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_OFFLINE', 'COPILOT_PROVIDER_*', 'COPILOT_GH_HOST', 'GH_HOST'];

export function createAgent(options: AgentOptions): Promise<Agent> {
  const command = withoutLoader(options.command ?? ['copilot'], options.environment);
  return nativeAgent(
    { ...options, command },
    {
      agent: 'copilot',
      atLeast: '1.0.100',
      install: 'npm install -g @github/copilot',
      passedOn: [...logins, ...home],
      fixed: { COPILOT_AUTO_UPDATE: 'false' },
      start: (request) => {
        const conversation = request.resume ?? conversationIdOf(request);
        // Beside the dispatch's own folder, because a later one that goes on with the conversation counts on from it.
        const ledger = join(dirname(request.folder), 'conversations');
        mkdirSync(ledger, { recursive: true });
        const usageFile = join(ledger, `copilot-${conversation}.json`);
        const args = argumentsOf(request, options, usageFile);
        return { args, output: readOutput(conversation, usageFile), writes: [ledger] };
      },
    },
  );
}

/** The agent itself, where the program is npm's loader: the loader does not pass signals on. */
function withoutLoader(command: readonly string[], { PATH = '' }: AgentOptions['environment']): readonly string[] {
  const [program = '', ...args] = command;
  const loader = programPath(program, PATH);
  if (!loader?.endsWith('npm-loader.js')) return command;
  const platforms = process.platform === 'linux' ? ['linuxmusl', 'linux'] : [process.platform];
  const agents = platforms.map((platform) => `@github/copilot-${platform}-${process.arch}`);
  const found = agents.map((each) => orElse(null, () => createRequire(loader).resolve(each)));
  const agent = found.find((each) => each !== null);
  return agent === undefined ? command : [agent, ...args];
}

function argumentsOf(request: DispatchRequest, options: AgentOptions, usageFile: string): string[] {
  const { tools, access } = request;
  const pawl = { type: 'http', url: tools.url, headers: bearer(request), tools: ['*'] };
  const config = dispatchFile(request, 'mcp.json', { mcpServers: { pawl } });
  return [
    '--output-format=json',
    '--no-color',
    '--no-auto-update',
    '--no-ask-user',
    '--no-remote',
    '--disable-client-telemetry',
    conversationArgument(request),
    `--usage-output-file=${usageFile}`,
    `--additional-mcp-config=@${config}`,
    `--secret-env-vars=${logins.join(',')}`,
    ...copilotServersOff(options),
    ...['pawl', ...options.mcp].map((tool) => `--allow-tool=${tool}`),
    ...(access === 'write' ? ['write', ...shellRules(request)].map((tool) => `--allow-tool=${tool}`) : []),
    ...(access === 'write' ? [] : ['write', 'shell'].map((tool) => `--deny-tool=${tool}`)),
    ...modelArgument(request),
  ];
}

function shellRules({ commands }: DispatchRequest): readonly string[] {
  return commands?.map((command) => `shell(${command}:*)`) ?? ['shell'];
}

/** Its token counts are in a file only. */
function readOutput(conversation: string, usageFile: string): OutputReader {
  const before = totalsIn(usageFile);
  let problem: AgentError = { kind: 'retry', message: 'ended with an unspecified error' };
  const { line, end } = jsonOutput(
    {
      'session.tools_updated': ({ data }) => conversationEvents(conversation, inner(data)['model']),
      'assistant.message': ({ data }) => textEvents(inner(data)['content']),
      'tool.execution_start': ({ data }) =>
        toolEvents(inner(data)['toolName'], inner(data, 'arguments')['path'], ['create', 'edit']),
      'session.error': (error) => {
        problem = errorOf(error);
        return [];
      },
      result: ({ exitCode }) => [finished(exitCode === 0 ? null : problem)],
    },
    { whole: earlyError },
  );
  return { line, end: (exit) => [...usageSince(before, usageFile), ...end(exit)] };
}

function errorOf(line: Json): AgentError {
  const { errorType, message: said, statusCode } = inner(line, 'data');
  const [type, status] = [texts(errorType) ?? '', numbers(statusCode)];
  const message = (texts(said) ?? (type || 'ended with an error')).replace(/\s+/g, ' ').trim();
  if (type === 'rate_limit' || type === 'quota' || status === 429)
    return { kind: 'wait', until: limitEnd(message, line), message };
  const isFinal = /^auth|context|subscription/.test(type) || status === 401 || status === 402 || status === 403;
  const isHopeless = /context window|prompt is too long|model .* not (?:available|supported|found)/i.test(message);
  return { kind: isFinal || isHopeless ? 'stop' : 'retry', message };
}

/** What it says on stderr when it ends before its turn began. */
function earlyError(stderr: string): AgentError | null {
  if (/No authentication information/i.test(stderr))
    return { kind: 'stop', message: 'is not logged in: run copilot login, or set COPILOT_GITHUB_TOKEN' };
  const told = stderr.split('\n').find((line) => /^error/i.test(line));
  if (told === undefined) return null;
  return { kind: /option|argument|model/i.test(told) ? 'stop' : 'retry', message: told.trim() };
}

/** Over all models of the conversation. */
function totalsIn(file: string): { readonly input: number; readonly output: number } {
  const models = Object.values(inner(readSettingsFile(file), 'modelMetrics')).map((metrics) => inner(metrics, 'usage'));
  const total = (key: string): number => models.reduce((sum, usage) => sum + (numbers(usage[key]) ?? 0), 0);
  return { input: total('inputTokens'), output: total('outputTokens') };
}

/** What was added to the file: a conversation that goes on counts on. Nothing where it was ended before it could write. */
function usageSince(before: ReturnType<typeof totalsIn>, file: string): AgentEvent[] {
  const { input, output } = totalsIn(file);
  if (input === before.input && output === before.output) return [];
  return [{ type: 'usage', inputTokens: input - before.input, outputTokens: output - before.output, costUsd: null }];
}
