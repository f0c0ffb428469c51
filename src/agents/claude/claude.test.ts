import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type AgentError, type AgentEvent } from '../agent.ts';
import { machineWith } from '../launched.fixture.ts';
import { eventsOfRecorded } from '../recorded.fixture.ts';
import { createAgent } from './claude.ts';

const machine = (version = '2.1.325 (Claude Code)') =>
  machineWith(version, {
    '.claude.json': JSON.stringify({
      mcpServers: { tickets: { type: 'http', url: 'http://127.0.0.1:4022' }, browser: {} },
    }),
  });

/** The value of an option, written `--name=value` or as two arguments. */
function option(args: readonly string[], name: string): string | undefined {
  const joined = args.find((each) => each.startsWith(`${name}=`));
  return joined === undefined ? args[args.indexOf(name) + 1] : joined.slice(name.length + 1);
}

test('a conversation that goes on costs what it costs more than before', async () => {
  const { options, request } = machine();
  const agent = await createAgent(options());
  const cost = (resume: string | null, total: number): unknown => {
    const line = { type: 'result', subtype: 'success', session_id: 'one', total_cost_usd: total };
    const [usage] = agent.launch(request({ resume })).output.line(JSON.stringify(line));
    return usage?.type === 'usage' && usage.costUsd;
  };
  expect([cost(null, 0.25), cost('one', 0.75), cost('one', 1), cost('two', 1), cost('one', 0.5)]).toEqual([
    0.25, 0.5, 0.25, 1,
    // Less than before: it counts this time only.
    0.5,
  ]);
});

describe('launch', () => {
  test('keeps the contract of the port', async () => {
    const { options, request } = machine();
    for (const contract of agentContract(await createAgent(options()), request())) await contract.check();
  });

  test('a role that only reads has no tool to write with, and no shell (attack 2.22)', async () => {
    const { options, request } = machine();
    const { args, stdin } = (await createAgent(options())).launch(request({ model: 'opus' }));
    expect(stdin).toBe('Plan the greeting of people.');
    expect(option(args, '--permission-mode')).toBe('dontAsk');
    expect(option(args, '--tools')).toBe('Read,Grep,Glob');
    expect(option(args, '--allowedTools')).toBe('mcp__pawl,Read,Grep,Glob');
    expect(option(args, '--model')).toBe('opus');
  });

  test('a role that writes may edit and use its shell', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options())).launch(request({ access: 'write' }));
    expect(option(args, '--permission-mode')).toBe('acceptEdits');
    expect(option(args, '--allowedTools')).toBe('mcp__pawl,Bash');
  });

  test('a role whose commands are limited runs only those [issue/roles/commands]', async () => {
    const { options, request } = machine();
    const commands = ['cargo test', 'ls'];
    const { args } = (await createAgent(options())).launch(request({ access: 'write', commands }));
    expect(option(args, '--allowedTools')).toBe('mcp__pawl,Bash(cargo test:*),Bash(ls:*)');
  });

  test('only the user’s own settings are read, only our server and allowed ones of the user are there', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options({ mcp: ['tickets'] }))).launch(request());
    expect(option(args, '--setting-sources')).toBe('user');
    expect(args).toContain('--strict-mcp-config');
    const file = option(args, '--mcp-config') ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      mcpServers: {
        tickets: { type: 'http', url: 'http://127.0.0.1:4022' },
        pawl: {
          type: 'http',
          url: 'http://127.0.0.1:4021/mcp',
          headers: { Authorization: 'Bearer token-nobody-may-see' },
          alwaysLoad: true,
        },
      },
    });
  });

  test('gets its own variables and no others; retries have an end, tools are not hidden, nothing is reported home', async () => {
    const { options, request } = machine();
    const environment = { ANTHROPIC_BASE_URL: 'http://x', CLAUDE_CODE_MAX_RETRIES: '99', GITHUB_TOKEN: 'secret' };
    const { env } = (await createAgent(options({ environment }))).launch(request());
    expect(env).toEqual({
      ANTHROPIC_BASE_URL: 'http://x',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: '0',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
      ENABLE_TOOL_SEARCH: 'false',
    });
  });

  test('its shell runs commands as they are, without the keys', async () => {
    const { options, request } = machine();
    const environment = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_MODEL: 'opus' };
    const cloud = { AWS_SECRET_ACCESS_KEY: 'secret', CLAUDE_CODE_USE_BEDROCK: '1' };
    const { env } = (await createAgent(options({ environment: { ...environment, ...cloud } }))).launch(request());
    const shell = env['CLAUDE_CODE_SHELL_PREFIX'] ?? '';
    const command = `printf '%s|' "a  b" "$ANTHROPIC_API_KEY" "$AWS_SECRET_ACCESS_KEY" "$ANTHROPIC_MODEL"; exit 3`;
    const { status, stdout } = spawnSync(shell, [command], { env: { ...process.env, ...env }, encoding: 'utf8' });
    expect([status, stdout]).toEqual([3, 'a  b|||opus|']);
    const odd = await createAgent(options({ environment }));
    expect(odd.launch(request({ folder: join(request().folder, 'a -b') })).env).not.toHaveProperty(
      'CLAUDE_CODE_SHELL_PREFIX',
    );
  });

  test('a conversation has an id of its own, also when a run of the same name is begun anew; or goes on by an exact one', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const id = (token: string): string | undefined =>
      option(agent.launch(request({ tools: { url: 'http://127.0.0.1:4021/mcp', token } })).args, '--session-id');
    expect(id('one')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(id('one')).toBe(id('one'));
    expect(id('one')).not.toBe(id('two'));
    const { args } = agent.launch(request({ resume: 'ac7bf8b9-3d70-47f2-8157-a4480a13c735' }));
    expect(option(args, '--resume')).toBe('ac7bf8b9-3d70-47f2-8157-a4480a13c735');
    expect(args.some((each) => each.startsWith('--session-id'))).toBe(false);
  });

  test('too old: unusable, with the command that helps', async () => {
    const { options } = machine('1.0.3 (Claude Code)');
    const failure: unknown = await createAgent(options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toContain('run npm install -g @anthropic-ai/claude-code');
  });
});

describe('recorded output', () => {
  async function events(name: string): Promise<AgentEvent[]> {
    const { options, request } = machine();
    return eventsOfRecorded(await createAgent(options()), request(), { name });
  }

  test('a whole dispatch: session, files, tools, text, usage with cost, a clean end', async () => {
    expect(await events('success')).toEqual([
      { type: 'conversation', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'claude-opus-5-5' },
      { type: 'tool', name: 'Write' },
      { type: 'file', path: '/scratch/repo/src/1.1.mjs' },
      { type: 'tool', name: 'Write' },
      { type: 'file', path: '/scratch/repo/src/1.2.mjs' },
      { type: 'tool', name: 'mcp__pawl__update_task' },
      { type: 'tool', name: 'mcp__pawl__update_task' },
      { type: 'text', text: 'Done.' },
      { type: 'usage', inputTokens: 5000, outputTokens: 450, costUsd: expect.closeTo(0.029, 2) },
      { type: 'finished', error: null },
    ]);
  });

  test('a tool that was denied is no error of its own: the report decides', async () => {
    expect((await events('denied')).at(-1)).toEqual({ type: 'finished', error: null });
  });

  test.each<[name: string, kind: AgentError['kind'], message: string]>([
    ['429', 'wait', 'exceeded your per-minute rate limit'],
    ['529', 'wait', 'Overloaded'],
    ['subscription-limit', 'wait', "You've hit your 5-hour limit"],
    ['401', 'stop', 'Invalid API key'],
    ['403', 'stop', 'Failed to authenticate'],
    ['not-logged-in', 'stop', 'run claude and log in with /login'],
    ['credit', 'stop', 'Credit balance is too low'],
    ['context', 'stop', 'Prompt is too long'],
    ['404', 'stop', 'issue with the selected model'],
    ['400', 'retry', 'messages.0: bad'],
    ['500', 'retry', '500 Internal server error'],
    ['cut', 'retry', 'Connection to the API was lost'],
    ['unreachable', 'retry', 'Connection refused'],
  ])('%s: %s', async (name, kind, message) => {
    expect((await events(name)).filter(({ type }) => type === 'finished')).toEqual([
      { type: 'finished', error: expect.objectContaining({ kind, message: expect.stringContaining(message) }) },
    ]);
  });
});

describe('the end of a limit', () => {
  const limited = { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'limited' };
  const event = (status: string) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: 1_794_752_038 },
  });

  test.each<[what: string, lines: readonly object[], until: string | null]>([
    ['is told by an event before it', [event('rejected'), limited], '2026-11-15T14:13:58.000Z'],
    ['of which only the last counts', [event('rejected'), event('allowed'), limited], null],
    ['is nobody’s guess without it', [limited], null],
    [
      'was in the message once',
      [{ ...limited, result: 'Claude AI usage limit reached|1794752038' }],
      '2026-11-15T14:13:58.000Z',
    ],
  ])('%s', async (_, lines, until) => {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    const events = lines.flatMap((line) => output.line(JSON.stringify(line)));
    expect(events.at(-1)).toMatchObject({ type: 'finished', error: { kind: 'wait', until } });
  });

  test.each<[line: object, error: object]>([
    [
      { subtype: 'error_max_turns', is_error: true },
      { kind: 'retry', message: 'error_max_turns' },
    ],
    [
      { subtype: 'error_max_budget_usd', is_error: true, errors: ['Over $5'] },
      { kind: 'stop', message: 'Over $5' },
    ],
    [
      { subtype: 'error_during_execution', errors: ['a', 7, 'b'] },
      { kind: 'retry', message: 'a; b' },
    ],
    [
      { subtype: 'success', is_error: true },
      { kind: 'retry', message: 'success' },
    ],
  ])('%j', async (line, error) => {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    expect(output.line(JSON.stringify({ type: 'result', ...line })).at(-1)).toEqual({ type: 'finished', error });
  });
});
