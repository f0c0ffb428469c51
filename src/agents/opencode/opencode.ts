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

import type { Agent, AgentError, AgentEvent, DispatchRequest, OutputReader } from '../agent.ts';
import { bearer, chosenEnv, dispatchFile, type AgentOptions } from '../agent-options.ts';
import { opencodeVariables } from '../credentials.ts';
import { inner, isoTime, jsonLine, numbers, readSettingsFile, sum, texts, type Json } from '../json-line.ts';
import { modelArgument, nativeAgent } from '../native-agent.ts';
import { conversationEvents, finished, jsonOutput, textEvents, toolEvents } from '../native-output.ts';
import { opencodeEnv, opencodePlugin, opencodeServersOff, opencodeWaitMsMax } from '../vendors.ts';

export function createAgent(options: AgentOptions): Promise<Agent> {
  return nativeAgent(options, {
    agent: 'opencode',
    atLeast: '1.18.0',
    install: 'npm install -g opencode-ai',
    passedOn: ['OPENCODE_CONFIG_DIR', 'XDG_*'],
    fixed: opencodeEnv,
    start: (request) => ({
      args: [
        'run',
        '--format=json',
        '--agent=build',
        // Else a model is asked for one.
        '--title=pawl',
        ...(request.resume === null ? [] : [`--session=${request.resume}`]),
        ...modelArgument(request),
      ],
      env: {
        ...chosenEnv(options.environment, opencodeVariables(request.model, options.environment)),
        ...configOf(request, options),
      },
      output: readOutput(request.model),
    }),
  });
}

/** Merged over the user's own configuration; permissions have the last word from the environment. */
function configOf(request: DispatchRequest, options: AgentOptions): Record<string, string> {
  const user = readSettingsFile(options.environment['OPENCODE_CONFIG'] ?? '');
  const plugin = opencodePlugin(request, printAndExit, withoutKeys);
  const { url } = request.tools;
  const pawl = { type: 'remote', url, headers: bearer(request), oauth: false, enabled: true, timeout: toolMsMax };
  const config = {
    ...user,
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    experimental: { ...inner(user, 'experimental'), continue_loop_on_deny: true },
    plugin: [...[user['plugin'] ?? []].flat(), plugin],
    mcp: { ...inner(user, 'mcp'), ...opencodeServersOff(options), pawl },
  };
  return {
    OPENCODE_CONFIG: dispatchFile(request, 'opencode.json', config),
    OPENCODE_PERMISSION: JSON.stringify(permissionsOf(request)),
  };
}

const toolMsMax = 120_000;

const printAndExit = `writeSync(1, JSON.stringify({ type: 'pawl_gave_up', timestamp: Date.now(), message, next }) + '\\n');
    process.exit(1);`;

/** Its shell has all of its variables. */
const withoutKeys = `  'shell.env': async (_, { env }) => {
    for (const name of Object.keys(process.env)) if (/KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i.test(name)) env[name] = '';
  },
`;

function permissionsOf({ access, commands }: DispatchRequest): Json {
  const own = access === 'write' ? 'allow' : 'deny';
  const bash = access === 'write' && commands ? onlyThese(commands) : own;
  return { edit: own, bash, external_directory: 'deny' };
}

/** The last rule that fits counts. */
function onlyThese(commands: readonly string[]): Json {
  const rules = commands.flatMap((command) => [command, `${command} *`].map((rule) => [rule, 'allow'] as const));
  return { '*': 'deny', ...Object.fromEntries(rules) };
}

/** No event says that the turn is over: what the last line that tells would come to is told at the end. */
function readOutput(model: string | null): OutputReader {
  let isBegun = false;
  let outcome: AgentError | null | undefined;
  const failed = (error: AgentError): AgentEvent[] => {
    outcome = error;
    return [];
  };
  const { line } = jsonOutput({
    text: (event) => textEvents(inner(event, 'part')['text']),
    tool_use: (event) =>
      toolEvents(inner(event, 'part')['tool'], inner(event, 'part', 'state', 'input')['filePath'], ['write', 'edit']),
    step_finish: (event) => {
      const reason = texts(inner(event, 'part')['reason']) ?? 'nothing';
      const message = `the turn ended in the middle: the last step ended with "${reason}"`;
      outcome = reason === 'stop' ? null : { kind: 'retry', message };
      return [usageOf(inner(event, 'part'))];
    },
    error: (event) => failed(errorOf(inner(event, 'error'))),
    pawl_gave_up: (event) => failed(waitedFor(event)),
  });
  return {
    line: (text) => {
      const begun = isBegun ? [] : conversationEvents(jsonLine(text)?.['sessionID'], model);
      isBegun ||= begun.length > 0;
      return [...begun, ...line(text)];
    },
    end: () => (outcome === undefined ? [] : [finished(outcome)]),
  };
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

function errorOf(error: Json): AgentError {
  const name = texts(error['name']) ?? '';
  const { message: said, statusCode } = inner(error, 'data');
  const status = numbers(statusCode);
  const message = `${texts(said) ?? (name || 'ended with an error')}${status === null ? '' : ` (status ${status})`}`;
  if (status === 429) return { kind: 'wait', until: null, message };
  const isFinal =
    /ProviderAuth|ContextOverflow|ModelNotFound|ConfigInvalid/.test(name) || /model not found/i.test(message);
  return { kind: isFinal || [401, 402, 403].includes(status ?? 0) ? 'stop' : 'retry', message };
}

/** Whether it is a limit or an outage is told by words only; a wait as long as this is a limit's. */
function waitedFor({ message: said, next, timestamp }: Json): AgentError {
  const message = texts(said) ?? 'the model does not answer';
  const [until, now] = [numbers(next), numbers(timestamp)];
  const long = until !== null && now !== null && until - now >= opencodeWaitMsMax;
  if (long) return { kind: 'wait', until: isoTime(Math.round(until / 1_000) * 1_000), message };
  const limited = /rate.?limit|too many requests|quota|usage limit|overloaded|at capacity|exhausted|\b429\b/i.test(
    message,
  );
  return limited ? { kind: 'wait', until: null, message } : { kind: 'retry', message };
}
