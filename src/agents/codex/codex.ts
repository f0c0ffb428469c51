/**
 * Codex, driven by its own command line.
 *
 * Its traps, all handled here: a repository it trusts configures MCP servers and hooks that run code (never trusted);
 * retries without an end when nobody answers (off); plugins and apps that are fetched at the start (off); a token in
 * the model's shell (only the core of the environment is inherited); a temp folder above HOME stops its sandbox, and
 * /tmp is writable in it (a folder of the dispatch's own); MCP tools that need an approval nobody can give (given);
 * features it does not know end it (set as configuration, where they are ignored); a `Retry-After` of any length is
 * waited out, and told by nothing but one warning on standard error (asked for, and a long one ends the turn); tokens
 * are counted from the beginning of a conversation, earlier dispatches included (taken off).
 */

import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { variables, type AgentOptions } from '../agent-options.ts';
import { inner, isoTime, items, jsonLine, numbers, texts, type Json } from '../json-line.ts';
import { nativeAgent } from '../native-agent.ts';
import { conversationEvents, finished, jsonOutput, textEvents, toolEvents } from '../native-output.ts';
import { keepUsed, since, usedBefore } from '../usage-ledger.ts';
import { codexConfig, codexFeaturesOff, codexPawl, codexProvider, codexVariables, tokenVariable } from '../vendors.ts';

const passedOn = variables(
  'OPENAI_API_KEY OPENAI_BASE_URL OPENAI_ORGANIZATION OPENAI_PROJECT CODEX_API_KEY CODEX_ACCESS_TOKEN',
  'CODEX_HOME CODEX_CA_CERTIFICATE ALL_PROXY',
);

const fixed: Readonly<Record<string, TomlValue>> = {
  ...Object.fromEntries(codexFeaturesOff.map((name) => [`features.${name}`, false])),
  'analytics.enabled': false,
  'feedback.enabled': false,
  check_for_update_on_startup: false,
  // A person's desktop is not told about every step of a run.
  notify: [],
  approval_policy: 'never',
  'shell_environment_policy.inherit': 'core',
};

const retriesMax = { request_max_retries: 2, stream_max_retries: 2 };

export function createAgent(options: AgentOptions): Promise<Agent> {
  const user = codexConfig(options.environment);
  return nativeAgent(options, {
    agent: 'codex',
    atLeast: '0.150.0',
    install: 'npm install -g @openai/codex',
    passedOn: [...passedOn, ...codexVariables(user, options.mcp)],
    start: (request) => {
      const { tools, folder, model, resume } = request;
      const TMPDIR = join(folder, 'tmp');
      mkdirSync(TMPDIR, { recursive: true });
      return {
        args: argumentsOf(request, user, options.mcp),
        env: { [tokenVariable]: tools.token, TMPDIR, RUST_LOG: `error,${waitingLog}=warn` },
        output: readOutput(model ?? texts(user['model']), { resume, ledger: dirname(folder) }),
      };
    },
  });
}

function argumentsOf(request: DispatchRequest, user: Json, mcp: readonly string[]): string[] {
  const { access, boxed, model, resume, workspace } = request;
  const settings: Readonly<Record<string, TomlValue>> = {
    ...fixed,
    ...retries(user),
    ...serversOf(user, mcp),
    'mcp_servers.pawl': codexPawl(request),
    projects: Object.fromEntries(
      [workspace, realpathSync(workspace)].map((path) => [path, { trust_level: 'untrusted' }]),
    ),
    // Its own sandbox does not start inside of ours.
    sandbox_mode: boxed ? 'danger-full-access' : access === 'write' ? 'workspace-write' : 'read-only',
    ...(access === 'write' && {
      'sandbox_workspace_write.exclude_slash_tmp': true,
      'sandbox_workspace_write.exclude_tmpdir_env_var': false,
    }),
  };
  return [
    'exec',
    ...(resume === null ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
    ...(model === null ? [] : ['-m', model]),
    ...(resume === null ? [] : [resume]),
    '-',
  ];
}

/** Providers that are built in cannot be set, and have an end of their own; the user's may be without. */
function retries(user: Json): Record<string, TomlValue> {
  const name = codexProvider(user);
  const provider = inner(user, 'model_providers', name);
  if (Object.keys(provider).length === 0) return {};
  const unset = Object.entries(retriesMax).filter(([key]) => !(key in provider));
  return Object.fromEntries(unset.map(([key, value]) => [`model_providers.${name}.${key}`, value]));
}

/** The user's own: those that were allowed need no approval, the others are off. */
function serversOf(user: Json, mcp: readonly string[]): Record<string, TomlValue> {
  const settings = Object.keys(inner(user, 'mcp_servers')).map((name): [string, TomlValue] =>
    mcp.includes(name)
      ? [`mcp_servers.${name}.default_tools_approval_mode`, 'approve']
      : [`mcp_servers.${name}.enabled`, false],
  );
  return Object.fromEntries(settings);
}

type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** Texts are written as in JSON: TOML reads the same escapes. */
function toml(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}=${toml(each)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}

/**
 * What `codex exec --json` prints. Codex does not say which model it works with: it is the one that was asked for.
 * `ledger` is where it is kept what conversations have used.
 */
export function readOutput(
  model: string | null,
  { resume = null, ledger, now = Date.now }: { resume?: string | null; ledger?: string; now?: () => number } = {},
): OutputReader {
  const before = resume === null || ledger === undefined ? {} : usedBefore(resume, ledger);
  let conversation = resume;
  return jsonOutput(
    {
      'thread.started': ({ thread_id: id }) => {
        conversation = texts(id);
        return conversationEvents(id, model);
      },
      'item.completed': ({ item }) => itemEvents(inner(item)),
      'turn.completed': ({ usage }) => {
        // Of the whole conversation; cached tokens are among the input tokens already.
        const { input_tokens: input, output_tokens: output } = inner(usage);
        const totals = { inputTokens: numbers(input), outputTokens: numbers(output) };
        if (conversation !== null && ledger !== undefined) keepUsed(conversation, totals, ledger);
        const inputTokens = since(before.inputTokens, totals.inputTokens);
        const outputTokens = since(before.outputTokens, totals.outputTokens);
        return [{ type: 'usage', inputTokens, outputTokens, costUsd: null }, finished(null)];
      },
      'turn.failed': ({ error }) => [finished(errorOf(texts(inner(error)['message']) ?? 'its turn failed', now()))],
    },
    { whole: startError, line: (text) => longWait(text, now()) },
  );
}

function itemEvents({ type, text, message, tool, changes, status }: Json): AgentEvent[] {
  if (type === 'agent_message') return textEvents(text);
  if (type === 'error') return textEvents(message);
  if (type === 'command_execution') return toolEvents('shell');
  if (type === 'mcp_tool_call') return toolEvents(tool);
  if (type !== 'file_change') return [];
  const paths = status === 'completed' ? items(changes).map(({ path }) => texts(path)) : [];
  const files = paths.flatMap((path) => (path === null ? [] : [{ type: 'file', path } as const]));
  return [...toolEvents('apply_patch'), ...files];
}

function errorOf(said: string, now: number): AgentError {
  const message = readable(said);
  const status = Number(/status:? (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (/usage limit|rate limit|too many requests/i.test(message) || status === 429)
    return { kind: 'wait', until: untilOf(message, now), message };
  if (status === 401 || status === 403 || /not logged in|refresh token|sign in again|log in again/i.test(message))
    return { kind: 'stop', message: `is not logged in, or has no permission (run codex login): ${message}` };
  if (message.startsWith('Missing environment variable')) return { kind: 'stop', message };
  if (/quota exceeded|billing|credits/i.test(message)) return { kind: 'stop', message };
  if (/context window|context_length|input_too_large/i.test(message))
    return { kind: 'stop', message: `exceeds the context window of its model: ${message}` };
  if (status === 404 || /model\b.*\b(?:not supported|not exist|not found)|model_not_found/i.test(message))
    return { kind: 'stop', message: `cannot use this model: ${message}` };
  return { kind: 'retry', message };
}

/** A refused request is told as the body of the answer. */
function readable(message: string): string {
  const body = jsonLine(message);
  return texts(inner(body, 'error')['message']) ?? texts(body?.['detail']) ?? message;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** "try again at 2:05 PM", "… at Nov 16th, 2026 2:05 PM": in local time, to the minute before it. */
function untilOf(message: string, now: number): string | null {
  const [, date, time] =
    /[Tt]ry again at (?:([A-Z][a-z]{2} \d{1,2}(?:st|nd|rd|th)?, \d{4}),? )?(\d{1,2}:\d{2} [AP]M)/.exec(message) ?? [];
  if (time === undefined) return null;
  const day = date?.replace(/(\d)(?:st|nd|rd|th)/, '$1') ?? new Date(now).toDateString();
  const at = Date.parse(`${day} ${time.replaceAll('\u202F', ' ')}`);
  if (Number.isNaN(at)) return null;
  const isTomorrow = date === undefined && at < now - minuteMs;
  return isoTime(at + minuteMs + (isTomorrow ? dayMs : 0));
}

/** The part of Codex that says for how long it waits before it asks its model again. */
export const waitingLog = 'codex_core::responses_retry';

/** Shorter waits are its own business; longer ones than the second nobody means. */
const waitSecondsMax = 60;
const limitSecondsMax = 30 * 24 * 3_600;

/** `WARN …: codex_core::responses_retry: … retrying sampling request (1/2 in 3599.9s)... … sampling_error=…` */
function longWait(text: string, now: number): AgentError | null {
  const said = text.split(`${waitingLog}: `)[1] ?? '';
  const seconds = Number(/\(\d+\/\d+ in (\d+(?:\.\d+)?)s\)/.exec(said)?.[1] ?? 0);
  if (seconds < waitSecondsMax) return null;
  const message = /sampling_error=(.*)/.exec(said)?.[1]?.slice(0, messageCharsMax) ?? 'waits for its model';
  // What is left when Codex tells is a little less than it was told: up to the full second.
  const until = new Date(Math.ceil(now / 1_000 + Math.min(seconds, limitSecondsMax)) * 1_000).toISOString();
  return { kind: 'wait', until: seconds > limitSecondsMax ? null : until, message };
}

/** What keeps it from starting is said on standard error only. */
function startError(stderr: string): AgentError | null {
  const said =
    /^Error: (.*)|^(Error loading config\.toml:.*|.*config\.toml:\d+:\d+:.*|error: unexpected argument.*)/m.exec(
      stderr,
    );
  const message = (said?.[1] ?? said?.[2])?.slice(0, messageCharsMax);
  if (message === undefined) return null;
  if (/input_too_large/.test(message)) return { kind: 'stop', message };
  if (said?.[2] !== undefined) return { kind: 'stop', message: `rejects its configuration: ${message}` };
  return { kind: 'retry', message };
}

const messageCharsMax = 300;
