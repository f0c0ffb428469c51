/**
 * Claude Code, driven by its own command line.
 *
 * Its traps, all handled here: repository settings, hooks and `.mcp.json` run code (off: only the user's own settings
 * are read); MCP tools hide behind a search (off); retries without an end (bounded); API keys in the model's shell
 * (dropped by a program in front of it); `result` says "success" on API errors (`is_error` counts); the end of a limit
 * is told by an event before it; the cost is that of the whole conversation, earlier dispatches included (taken off); a
 * session id that was ever used is refused; arguments that swallow the prompt (stdin).
 */

import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { chosenEnv, dispatchFile, type AgentOptions } from '../agent-options.ts';
import { claudeVariables } from '../credentials.ts';
import { inner, isoTime, items, numbers, sum, texts, type Json } from '../json-line.ts';
import { conversationArgument, modelArgument, nativeAgent } from '../native-agent.ts';
import { conversationEvents, finished, jsonOutput, textEvents, toolEvents } from '../native-output.ts';
import { keepUsed, since, usedBefore } from '../usage-ledger.ts';
import { claudeServers, claudeEnv } from '../vendors.ts';

export function createAgent(options: AgentOptions): Promise<Agent> {
  const passedOn = claudeVariables(options.environment);
  const names = Object.keys(chosenEnv(options.environment, passedOn));
  return nativeAgent(options, {
    agent: 'claude',
    atLeast: '2.1.197',
    install: 'npm install -g @anthropic-ai/claude-code',
    passedOn,
    // Its own way to hide keys denies all edits and leaves files in the workspace.
    fixed: { ...claudeEnv, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: '0' },
    start: (request) => ({
      args: argumentsOf(request, options),
      env: withoutKeys(names, request),
      output: readOutput(request),
    }),
  });
}

/** Keeps keys out of the shell of the model: each of its commands is handed to a program that drops them. */
function withoutKeys(names: readonly string[], request: DispatchRequest): Record<string, string> {
  const keys = names.filter((name) => /KEY|TOKEN|SECRET|CREDENTIALS|HEADERS/.test(name));
  // A dash after a space would be taken for the beginning of its arguments.
  if (keys.length === 0 || join(request.folder, 'shell').includes(' -')) return {};
  const program = dispatchFile(request, 'shell', `#!/bin/sh\nunset ${keys.join(' ')}\nexec bash -c "$1"\n`);
  chmodSync(program, 0o700);
  return { CLAUDE_CODE_SHELL_PREFIX: program };
}

function argumentsOf(request: DispatchRequest, options: AgentOptions): string[] {
  const servers = ['pawl', ...options.mcp].map((name) => `mcp__${name}`);
  const mode =
    request.access === 'write'
      ? ['acceptEdits', '--allowedTools', [...servers, ...shellRules(request)].join(',')]
      : ['dontAsk', '--tools', reading.join(','), '--allowedTools', [...servers, ...reading].join(',')];
  return [
    '-p',
    '--output-format=stream-json',
    '--verbose',
    '--setting-sources=user',
    '--strict-mcp-config',
    `--mcp-config=${claudeServers(request, options)}`,
    conversationArgument(request),
    ...modelArgument(request),
    '--permission-mode',
    ...mode,
  ];
}

function shellRules({ commands }: DispatchRequest): readonly string[] {
  return commands?.map((command) => `Bash(${command}:*)`) ?? ['Bash'];
}

/** Tools a role that only reads may use. */
const reading = ['Read', 'Grep', 'Glob'];

function readOutput({ resume, folder }: DispatchRequest): OutputReader {
  const ledger = dirname(folder);
  const paidUsd = resume === null ? 0 : usedBefore(resume, ledger).costUsd;
  let limitSeconds: number | null = null;
  return jsonOutput({
    system: (line) => (line['subtype'] === 'init' ? conversationEvents(line['session_id'], line['model']) : []),
    rate_limit_event: (line) => {
      const { status, resetsAt } = inner(line, 'rate_limit_info');
      // A limit that was not reached has an end too.
      limitSeconds = status === 'rejected' ? numbers(resetsAt) : null;
      return [];
    },
    assistant: (line) => items(inner(line, 'message')['content']).flatMap(contentEvents),
    result: (line) => {
      const [conversation, total] = [texts(line['session_id']), numbers(line['total_cost_usd'])];
      if (conversation !== null) keepUsed(conversation, { costUsd: total }, ledger);
      const isClean = line['is_error'] !== true && line['subtype'] === 'success';
      return [usageOf(line, since(paidUsd, total)), finished(isClean ? null : errorOf(line, limitSeconds))];
    },
  });
}

const writing = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

function contentEvents({ type, text, name, input }: Json): AgentEvent[] {
  if (type === 'text') return textEvents(text);
  return type === 'tool_use' ? toolEvents(name, inner(input)['file_path'], writing) : [];
}

function usageOf(line: Json, costUsd: number | null): AgentEvent {
  const usage = inner(line, 'usage');
  const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) => usage[key]);
  return { type: 'usage', inputTokens: sum(...input), outputTokens: numbers(usage['output_tokens']), costUsd };
}

function errorOf(line: Json, limitSeconds: number | null): AgentError {
  const message = texts(line['result']) ?? told(line['errors']) ?? texts(line['subtype']) ?? 'ended with an error';
  const { terminal_reason: reason, subtype } = line;
  const status = numbers(line['api_error_status']) ?? Number(/API Error: (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (status === 429 || /usage limit|hit your .*limit|rate.?limit/i.test(message)) {
    // Versions before the event said it in the message.
    const seconds = limitSeconds ?? numbers(Number(/limit reached\|(\d{10})/.exec(message)?.[1]));
    return { kind: 'wait', until: seconds === null ? null : isoTime(seconds * 1000), message };
  }
  if (status === 529 || /overloaded/i.test(message)) return { kind: 'wait', until: null, message };
  if (status === 401 || status === 403 || /\/login|invalid api key|authenticat|credit balance/i.test(message))
    return { kind: 'stop', message: message.replace('Please run /login', 'run claude and log in with /login') };
  // The model does not exist, the prompt does not fit, a limit of the user's own: the next attempt would end the same.
  const isFinal = status === 404 || reason === 'prompt_too_long' || subtype === 'error_max_budget_usd';
  const isTooLong = /prompt is too long|context (?:window|length)/i.test(message);
  return { kind: isFinal || isTooLong ? 'stop' : 'retry', message };
}

function told(errors: unknown): string | null {
  const lines = Array.isArray(errors) ? errors.filter((each) => typeof each === 'string') : [];
  return lines.length === 0 ? null : lines.join('; ');
}
