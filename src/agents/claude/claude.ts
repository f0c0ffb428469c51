/**
 * Claude Code, driven by its own command line.
 *
 * Its traps, all handled here: repository settings, hooks and `.mcp.json` run code (off: only the user's own settings
 * are read); MCP tools hide behind a search (off); retries without an end (bounded); API keys in the model's shell
 * (dropped by a program in front of it); `result` says "success" on API errors (`is_error` counts); the end of a limit
 * is told by an event before it; the cost is that of the whole conversation, earlier dispatches included (taken off); a
 * session id that was ever used is refused; arguments that swallow the prompt (stdin).
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { inner, items, jsonLine, numbers, texts } from '../json-line.ts';
import { lookingCommands } from '../looking.ts';
import { nativeAgent } from '../native-agent.ts';
import { sessionIdOf } from '../session-id.ts';
import { keepUsed, since, usedBefore } from '../usage-ledger.ts';
import { claudeServers } from '../users-configuration.ts';

const passedOn = [
  'ANTHROPIC_*',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_USE_*',
  'AWS_*',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'CLOUD_ML_REGION',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'IS_SANDBOX',
];

const fixed: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
  ENABLE_TOOL_SEARCH: 'false',
  // Its own way to hide keys denies all edits and leaves files in the workspace.
  CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: '0',
};

export function createAgent(options: AgentOptions): Promise<Agent> {
  const env = { ...chosenEnv(options.environment, passedOn), ...fixed };
  return nativeAgent({
    agent: 'claude',
    command: options.command ?? ['claude'],
    atLeast: '2.1.197',
    install: 'npm install -g @anthropic-ai/claude-code',
    env,
    start: (request) => ({
      args: argumentsOf(request, options),
      env: withoutKeys(Object.keys(env), request),
      output: readOutput(request),
    }),
  });
}

/** Keeps keys out of the shell of the model: each of its commands is handed to a program that drops them. */
function withoutKeys(names: readonly string[], { folder }: DispatchRequest): Record<string, string> {
  const keys = names.filter((name) => /KEY|TOKEN|SECRET|CREDENTIALS|HEADERS/.test(name));
  const program = join(folder, 'shell');
  // A dash after a space would be taken for the beginning of its arguments.
  if (keys.length === 0 || program.includes(' -')) return {};
  mkdirSync(folder, { recursive: true });
  writeFileSync(program, `#!/bin/sh\nunset ${keys.join(' ')}\nexec bash -c "$1"\n`, { mode: 0o700 });
  return { CLAUDE_CODE_SHELL_PREFIX: program };
}

function argumentsOf(request: DispatchRequest, { mcp, environment }: AgentOptions): string[] {
  const { folder, model, access } = request;
  const config = join(folder, 'mcp.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: serversOf(request, mcp, environment) }), { mode: 0o600 });
  const servers = ['pawl', ...mcp].map((name) => `mcp__${name}`);
  const mode =
    access === 'write'
      ? ['--permission-mode', 'acceptEdits', '--allowedTools', [...servers, 'Bash'].join(',')]
      : [
          '--permission-mode',
          'dontAsk',
          '--tools',
          'Read,Grep,Glob,Bash',
          '--allowedTools',
          [...servers, ...looking].join(','),
        ];
  return [
    '-p',
    '--output-format=stream-json',
    '--verbose',
    ...(request.resume === null ? [`--session-id=${sessionIdOf(request)}`] : [`--resume=${request.resume}`]),
    '--setting-sources=user',
    '--strict-mcp-config',
    `--mcp-config=${config}`,
    ...(model === null ? [] : [`--model=${model}`]),
    ...mode,
  ];
}

/** Commands a role that only reads may run. */
const looking = ['Read', 'Grep', 'Glob', ...lookingCommands.map((command) => `Bash(${command}:*)`)];

function serversOf(
  { tools }: DispatchRequest,
  names: readonly string[],
  environment: AgentOptions['environment'],
): Record<string, unknown> {
  const ours = { type: 'http', url: tools.url, headers: { Authorization: `Bearer ${tools.token}` }, alwaysLoad: true };
  return { ...claudeServers(environment, names), pawl: ours };
}

type Line = Readonly<Record<string, unknown>>;

function readOutput({ resume, folder }: DispatchRequest): OutputReader {
  const ledger = dirname(folder);
  const paidUsd = resume === null ? 0 : usedBefore(resume, ledger).costUsd;
  let limitEnds: string | null = null;
  const costOf = (result: Line): number | null => {
    const [session, total] = [texts(result['session_id']), numbers(result['total_cost_usd'])];
    if (session !== null) keepUsed(session, { costUsd: total }, ledger);
    return since(paidUsd, total);
  };
  return {
    line: (text) => {
      const line = jsonLine(text);
      if (line?.['type'] === 'rate_limit_event') limitEnds = endOfLimit(inner(line, 'rate_limit_info'));
      return line ? eventsOf(line, limitEnds, costOf) : [];
    },
  };
}

/** A limit that was not reached has an end too. */
function endOfLimit({ status, resetsAt }: Line): string | null {
  const seconds = status === 'rejected' ? numbers(resetsAt) : null;
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

function eventsOf(
  line: Line,
  limitEnds: string | null,
  costOf: (result: Line) => number | null,
): readonly AgentEvent[] {
  switch (line['type']) {
    case 'system':
      return line['subtype'] === 'init' && typeof line['session_id'] === 'string'
        ? [{ type: 'session', id: line['session_id'], model: texts(line['model']) }]
        : [];
    case 'assistant':
      return items(inner(line, 'message')['content']).flatMap(contentEvents);
    case 'result': {
      const isClean = line['is_error'] !== true && line['subtype'] === 'success';
      return [usageOf(line, costOf(line)), { type: 'finished', error: isClean ? null : errorOf(line, limitEnds) }];
    }
    default:
      return [];
  }
}

function contentEvents(part: Line): AgentEvent[] {
  const { type, text, name, input } = part;
  if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }];
  if (type !== 'tool_use' || typeof name !== 'string') return [];
  const path = inner(input)['file_path'];
  const writes = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'].includes(name);
  return [{ type: 'tool', name }, ...(writes && typeof path === 'string' ? [{ type: 'file', path } as const] : [])];
}

function usageOf(line: Line, costUsd: number | null): AgentEvent {
  const usage = inner(line, 'usage');
  const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) =>
    numbers(usage[key]),
  );
  return {
    type: 'usage',
    inputTokens: input.every((each) => each === null)
      ? null
      : input.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    outputTokens: numbers(usage['output_tokens']),
    costUsd,
  };
}

function errorOf(line: Line, limitEnds: string | null): AgentError {
  const message = texts(line['result']) ?? told(line['errors']) ?? texts(line['subtype']) ?? 'ended with an error';
  const { terminal_reason: reason, subtype } = line;
  const status = numbers(line['api_error_status']) ?? Number(/API Error: (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (status === 429 || /usage limit|hit your .*limit|rate.?limit/i.test(message))
    return { kind: 'wait', until: limitEnds ?? olderEnd(message), message };
  if (status === 529 || /overloaded/i.test(message)) return { kind: 'wait', until: null, message };
  if (status === 401 || status === 403 || /\/login|invalid api key|authenticat|credit balance/i.test(message))
    return { kind: 'stop', message: message.replace('Please run /login', 'run claude and log in with /login') };
  // The model does not exist, the prompt does not fit, a limit of the user's own: the next attempt would end the same.
  if (status === 404 || reason === 'prompt_too_long' || /prompt is too long|context (?:window|length)/i.test(message))
    return { kind: 'stop', message };
  if (subtype === 'error_max_budget_usd') return { kind: 'stop', message };
  return { kind: 'retry', message };
}

function told(errors: unknown): string | null {
  const lines = Array.isArray(errors) ? errors.filter((each) => typeof each === 'string') : [];
  return lines.length === 0 ? null : lines.join('; ');
}

/** Versions before the event said it in the message. */
function olderEnd(message: string): string | null {
  const seconds = /limit reached\|(\d{10})/.exec(message)?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000).toISOString();
}
