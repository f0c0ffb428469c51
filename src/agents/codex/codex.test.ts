import { realpathSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type AgentError } from '../agent.ts';
import { machineWith, type Machine } from '../launched.fixture.ts';
import { eventsOfRecorded } from '../recorded.fixture.ts';
import { createAgent, readOutput } from './codex.ts';

const config = `model = "gpt-5.5"
model_provider = "gateway"

[model_providers.gateway]
base_url = "http://127.0.0.1:4020/v1"
env_key = "GATEWAY_KEY"
stream_max_retries = 7

[mcp_servers.tickets]
url = "http://127.0.0.1:4022"
bearer_token_env_var = "TICKETS_TOKEN"

[mcp_servers.browser]
command = "browser"
`;
const machine = (version = 'codex-cli 0.166.0'): Machine => machineWith(version, { '.codex/config.toml': config });

/** The settings given by `-c`. */
function settingsOf(args: readonly string[]): string[] {
  return args.filter((_, index) => args[index - 1] === '-c');
}

describe('launch', () => {
  test('keeps the contract of the port', async () => {
    const { options, request } = machine();
    for (const contract of agentContract(await createAgent(options()), request())) await contract.check();
  });

  test('a role that only reads: read-only sandbox, nobody asked, the repository not trusted', async () => {
    const { options, request, workspace } = machine();
    const { args, stdin } = (await createAgent(options())).launch(request({ model: 'gpt-5.5-mini' }));
    expect(args.slice(0, 3)).toEqual(['exec', '--json', '--skip-git-repo-check']);
    expect(args.slice(-3)).toEqual(['-m', 'gpt-5.5-mini', '-']);
    expect(stdin).toBe('Plan the greeting of people.');
    expect(settingsOf(args)).toEqual(
      expect.arrayContaining([
        'sandbox_mode="read-only"',
        'approval_policy="never"',
        'features.plugins=false',
        'features.apps=false',
        'features.unbounded_connection_retries=false',
        'shell_environment_policy.inherit="core"',
        `projects={"${workspace}"={"trust_level"="untrusted"}}`,
      ]),
    );
    expect(realpathSync(workspace)).toBe(workspace);
  });

  test('a role that writes: the workspace and a temp folder of its own, not /tmp', async () => {
    const { options, request } = machine();
    const writing = request({ access: 'write' });
    const { args, env } = (await createAgent(options())).launch(writing);
    expect(settingsOf(args)).toEqual(
      expect.arrayContaining(['sandbox_mode="workspace-write"', 'sandbox_workspace_write.exclude_slash_tmp=true']),
    );
    expect(env['TMPDIR']).toBe(`${writing.folder}/tmp`);
  });

  test('our server has its token from a variable; of the user’s servers only the allowed are on', async () => {
    const { options, request } = machine();
    const { args, env } = (await createAgent(options({ mcp: ['tickets'] }))).launch(request());
    const settings = settingsOf(args);
    expect(settings.filter((setting) => setting.startsWith('mcp_servers'))).toEqual([
      'mcp_servers.tickets.default_tools_approval_mode="approve"',
      'mcp_servers.browser.enabled=false',
      'mcp_servers.pawl={"url"="http://127.0.0.1:4021/mcp","bearer_token_env_var"="PAWL_TOOL_TOKEN","default_tools_approval_mode"="approve","enabled"=true,"required"=true}',
    ]);
    expect(env['PAWL_TOOL_TOKEN']).toBe('token-nobody-may-see');
  });

  test('gets the variables its own configuration names, and no others', async () => {
    const { options, request } = machine();
    const environment = {
      OPENAI_API_KEY: 'key',
      GATEWAY_KEY: 'gateway',
      TICKETS_TOKEN: 'tickets',
      AWS_SECRET_ACCESS_KEY: 'secret',
      GITHUB_TOKEN: 'secret',
    };
    const without = (await createAgent(options({ environment }))).launch(request()).env;
    expect(Object.keys(without).toSorted()).toEqual([
      'GATEWAY_KEY',
      'OPENAI_API_KEY',
      'PAWL_TOOL_TOKEN',
      'RUST_LOG',
      'TMPDIR',
    ]);
    const allowed = (await createAgent(options({ environment, mcp: ['tickets'] }))).launch(request()).env;
    expect(allowed['TICKETS_TOKEN']).toBe('tickets');
  });

  test('bounds the retries of a provider of the user’s own, where the user did not', async () => {
    const { options, request, home } = machine();
    const retries = async (): Promise<string[]> =>
      settingsOf((await createAgent(options())).launch(request()).args).filter((each) => each.includes('retries='));
    expect(await retries()).toEqual([
      'features.unbounded_connection_retries=false',
      'model_providers.gateway.request_max_retries=2',
    ]);
    // Providers that are built in refuse to be set.
    rmSync(`${home}/.codex`, { recursive: true });
    expect(await retries()).toEqual(['features.unbounded_connection_retries=false']);
  });

  test('goes on with a conversation by its exact id', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options())).launch(request({ resume: '01a1df4d-a3ec-72b0-8b7c-f09934845c8e' }));
    expect(args.slice(0, 3)).toEqual(['exec', 'resume', '--json']);
    expect(args.slice(-2)).toEqual(['01a1df4d-a3ec-72b0-8b7c-f09934845c8e', '-']);
  });

  test('a configuration that cannot be read is left to Codex to complain about', async () => {
    const { options, request } = machineWith('codex-cli 0.166.0', { '.codex/config.toml': 'model = [' });
    expect((await createAgent(options())).launch(request()).args).toContain('exec');
  });

  test.each([
    ['codex-cli 0.42.0', 'codex 0.42.0 is too old'],
    ['who knows', 'prints no version'],
  ])('%s cannot be used, with the command that helps', async (version, message) => {
    const { options } = machine(version);
    const failure: unknown = await createAgent(options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toContain(message);
    expect(String(failure)).toContain('npm install -g @openai/codex');
  });

  test('is missing: unusable, with the command that helps', async () => {
    const { options } = machine();
    await expect(createAgent(options({ command: ['/nowhere/codex'] }))).rejects.toThrow(
      'codex: /nowhere/codex is not installed; run npm install -g @openai/codex',
    );
  });
});

describe('recorded output', () => {
  test('a whole dispatch: session, files, tools, text, usage, a clean end', async () => {
    const { options, request } = machine();
    expect(eventsOfRecorded(await createAgent(options()), request(), { name: 'success' })).toEqual([
      { type: 'conversation', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'gpt-5.5' },
      { type: 'tool', name: 'apply_patch' },
      { type: 'file', path: '/scratch/repo/src/1.1.mjs' },
      { type: 'tool', name: 'apply_patch' },
      { type: 'file', path: '/scratch/repo/src/1.2.mjs' },
      { type: 'tool', name: 'update_task' },
      { type: 'tool', name: 'update_task' },
      { type: 'text', text: 'Done.' },
      { type: 'usage', inputTokens: 6000, outputTokens: 550, costUsd: null },
      { type: 'finished', error: null },
    ]);
  });

  test('a shell, and what is refused to a role that only reads: a clean end, the report decides', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const shell = eventsOfRecorded(agent, request(), { name: 'shell' });
    expect(shell.filter((event) => event.type === 'tool').map(({ name }) => name)).toEqual([
      'shell',
      'shell',
      'update_task',
      'update_task',
    ]);
    const denied = eventsOfRecorded(agent, request(), { name: 'read-only-denied' });
    expect(denied.filter(({ type }) => type === 'file')).toEqual([]);
    expect(denied.at(-1)).toEqual({ type: 'finished', error: null });
  });

  test.each<[name: string, kind: AgentError['kind'], message: string]>([
    ['usage-limit', 'wait', 'hit your usage limit'],
    ['429', 'wait', 'last status: 429'],
    ['401', 'stop', 'codex login'],
    ['missing-key', 'stop', 'Missing environment variable: `SCRIPTED_KEY`'],
    ['quota', 'stop', 'Quota exceeded'],
    ['context', 'stop', 'exceeds the context window of its model: Your input exceeds'],
    ['404', 'stop', 'cannot use this model'],
    ['400', 'retry', 'messages.0: bad'],
    ['500', 'retry', 'high demand'],
    ['cut', 'retry', 'stream disconnected before completion'],
    ['unreachable', 'retry', 'Connection failed'],
  ])('%s: %s', async (name, kind, message) => {
    const { options, request } = machine();
    const events = eventsOfRecorded(await createAgent(options()), request(), { name });
    expect(events.filter(({ type }) => type === 'finished')).toEqual([
      { type: 'finished', error: expect.objectContaining({ kind, message: expect.stringContaining(message) }) },
    ]);
  });
});

describe('the end of a limit', () => {
  const noon = new Date(2026, 10, 15, 12, 0, 30).getTime();
  const local = (...at: [number, number, number, number, number]): string => new Date(...at).toISOString();

  // Codex leaves the seconds out: the next minute is safe.
  test.each<[said: string, until: string | null]>([
    ['You’ve hit your usage limit. Try again at 2:05 PM.', local(2026, 10, 15, 14, 6)],
    ['You’ve hit your usage limit. Upgrade, or try again at 9:00 AM.', local(2026, 10, 16, 9, 1)],
    ['You’ve hit your usage limit. Try again at 12:00 PM.', local(2026, 10, 15, 12, 1)],
    ['You’ve hit your usage limit. Try again at Nov 21st, 2026 9:30 AM.', local(2026, 10, 21, 9, 31)],
    ['You’ve hit your usage limit. Try again later.', null],
    ['exceeded retry limit, last status: 429 Too Many Requests, request id: 7', null],
  ])('%s', (message, until) => {
    const line = JSON.stringify({ type: 'turn.failed', error: { message } });
    const [finished] = readOutput(null, { now: () => noon }).line(line);
    expect(finished).toEqual({ type: 'finished', error: { kind: 'wait', until, message } });
  });
});

test('a conversation that goes on has used what it has used more than before', async () => {
  const { options, request } = machine();
  const agent = await createAgent(options());
  const used = (resume: string | null, input: number, output: number): unknown => {
    const { line } = agent.launch(request({ resume })).output;
    line('{"type":"thread.started","thread_id":"one"}');
    const usage = { input_tokens: input, output_tokens: output };
    return line(JSON.stringify({ type: 'turn.completed', usage }))[0];
  };
  const tokens = (inputTokens: number, outputTokens: number) => ({
    type: 'usage',
    inputTokens,
    outputTokens,
    costUsd: null,
  });
  expect(used(null, 1_000, 50)).toEqual(tokens(1_000, 50));
  expect(used('one', 3_000, 90)).toEqual(tokens(2_000, 40));
  expect(used('one', 3_500, 100)).toEqual(tokens(500, 10));
  expect(used('two', 3_500, 100)).toEqual(tokens(3_500, 100));
});

describe('a wait that is told on standard error only', () => {
  const now = Date.parse('2026-11-15T12:00:00.200Z');
  const waiting = (time: string): string =>
    `2026-11-15T12:00:00.200000Z  WARN session_loop{thread_id=1}:turn{model=gpt-5.5}: codex_core::responses_retry: stream disconnected - retrying sampling request (1/2 in ${time})... turn_id=2 retries=1 max_retries=2 sampling_error=exceeded retry limit, last status: 429 Too Many Requests`;

  test.each<[time: string, until: string | null]>([
    ['3599.998931801s', '2026-11-15T13:00:01.000Z'],
    ['60s', '2026-11-15T12:01:01.000Z'],
    ['99999999s', null],
  ])('%s is a limit, and the turn is over', (time, until) => {
    const output = readOutput(null, { now: () => now });
    const message = 'exceeded retry limit, last status: 429 Too Many Requests';
    const limited = [{ type: 'finished', error: { kind: 'wait', until, message } }];
    expect(output.errorLine?.(waiting(time))).toEqual(limited);
    expect(output.errorLine?.(waiting(time))).toEqual([]);
  });

  test.each(['59.9s', '359.998931ms', '12µs'])('%s is its own business', (time) => {
    expect(readOutput(null, { now: () => now }).errorLine?.(waiting(time))).toEqual([]);
  });

  test('nothing else on standard error is an event', () => {
    const others = [
      '',
      'Error: late',
      'ERROR codex_core::util: retrying sampling request (1/2 in 3600s)',
      '{"type":"x"}',
    ];
    for (const line of others) expect(readOutput(null).errorLine?.(line)).toEqual([]);
  });
});

describe('what keeps it from starting', () => {
  test.each<[stderr: string, kind: AgentError['kind'] | null]>([
    ['Error loading config.toml: invalid type: integer `7`, expected a string\nin `model`', 'stop'],
    ['Error loading config.toml:\n/home/me/.codex/config.toml:1:10: unclosed array, expected `]`\n  |', 'stop'],
    ['error: unexpected argument "--json" found', 'stop'],
    [
      'Error: turn/start failed: Input exceeds the maximum length (code -32602), data: {"input_error_code":"input_too_large"}',
      'stop',
    ],
    ['Error: thread/start failed: required MCP servers failed to initialize: pawl: handshaking failed', 'retry'],
    ['2026-11-15T13:11:01Z ERROR codex_core::util: OutputTextDelta without active item', null],
    ['', null],
  ])('%s', (stderr, kind) => {
    const events = readOutput(null).end?.({ exitCode: 1, signal: null, stderr }) ?? [];
    expect(events.map((event) => event.type === 'finished' && event.error?.kind)).toEqual(kind === null ? [] : [kind]);
  });

  test('is asked for only when the turn did not end', () => {
    const output = readOutput(null);
    output.line('{"type":"turn.completed","usage":{}}');
    expect(output.end?.({ exitCode: 1, signal: null, stderr: 'Error: late' })).toEqual([]);
  });
});
