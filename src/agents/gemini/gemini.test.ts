import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type AgentError, type AgentEvent, type Launch } from '../agent.ts';
import { machineWith } from '../launched.fixture.ts';
import { eventsOfRecorded } from '../recorded.fixture.ts';
import { createAgent } from './gemini.ts';

const settings = `{
  // The user's own.
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "general": { "vimMode": true, "enableAutoUpdate": true },
  "tools": { "core": ["read_file"], "allowed": ["run_shell_command"] },
  "mcpServers": { "tickets": { "httpUrl": "http://127.0.0.1:4022" }, "browser": { "command": "browse" } },
}`;

const machine = (files: Readonly<Record<string, string>> = {}, version = '0.61.0') =>
  machineWith(version, {
    '.gemini/settings.json': settings,
    '.gemini/oauth_creds.json': '{"a":1}',
    '.gemini/policies/mine.toml': '',
    '.gemini/policies/pawl.toml': 'mine too',
    ...files,
  });

function written({ env }: Launch, ...path: readonly string[]): string {
  return readFileSync(join(env['GEMINI_CLI_HOME'] ?? '', '.gemini', ...path), 'utf8');
}

describe('launch', () => {
  test('keeps the contract of the port', async () => {
    const { options, request } = machine();
    for (const contract of agentContract(await createAgent(options()), request())) await contract.check();
  });

  test('the prompt comes by stdin, the repository is not trusted before settings are read', async () => {
    const { options, request } = machine();
    const { args, stdin, env } = (await createAgent(options())).launch(request({ model: 'gemini-2.5-pro' }));
    expect(stdin).toBe('Plan the greeting of people.');
    expect(args).toEqual([
      '--output-format=stream-json',
      '--skip-trust',
      '--approval-mode=default',
      expect.stringMatching(/^--session-id=[0-9a-f-]{36}$/),
      '--allowed-mcp-server-names=pawl',
      '--model=gemini-2.5-pro',
    ]);
    expect(readFileSync(env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] ?? '', 'utf8')).toBe('{}');
    expect(env['GEMINI_CLI_NO_RELAUNCH']).toBe('true');
  });

  test('settings are the user’s, with our server and without those nobody allowed', async () => {
    const { options, request, home } = machine();
    const launch = (await createAgent(options({ mcp: ['tickets', 'unknown'] }))).launch(request());
    expect(JSON.parse(written(launch, 'settings.json'))).toEqual({
      security: { auth: { selectedType: 'oauth-personal' }, environmentVariableRedaction: { enabled: true } },
      general: {
        vimMode: true,
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        plan: { enabled: false },
        maxAttempts: 2,
      },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { showCompatibilityWarnings: false },
      advanced: { ignoreLocalEnv: true },
      tools: { core: ['read_file'], allowed: [] },
      mcp: { serverCommand: '' },
      mcpServers: {
        tickets: { httpUrl: 'http://127.0.0.1:4022' },
        pawl: {
          httpUrl: 'http://127.0.0.1:4021/mcp',
          headers: { Authorization: 'Bearer token-nobody-may-see' },
          trust: true,
          timeout: 120_000,
        },
      },
    });
    expect(statSync(join(launch.env['GEMINI_CLI_HOME'] ?? '', '.gemini/settings.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toBe(settings);
  });

  test('the login is the user’s: what is renewed is written through', async () => {
    const { options, request, home } = machine({ '.gemini/projects.json.1.tmp': '', '.env': 'A=1' });
    const { env } = (await createAgent(options())).launch(request());
    const own = join(env['GEMINI_CLI_HOME'] ?? '', '.gemini');
    writeFileSync(join(own, 'oauth_creds.json'), '{"a":2}');
    expect(readFileSync(join(home, '.gemini/oauth_creds.json'), 'utf8')).toBe('{"a":2}');
    expect(readdirSync(own).toSorted()).toEqual(['history', 'oauth_creds.json', 'policies', 'settings.json', 'tmp']);
    expect(lstatSync(join(own, 'tmp')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(own, '..', '.env'))).toBe(true);
  });

  test('without settings, a key decides how it logs in', async () => {
    const { options, request } = machineWith('0.61.0');
    const login = async (environment: Record<string, string>): Promise<unknown> => {
      const launch = (await createAgent(options({ environment }))).launch(request());
      return (JSON.parse(written(launch, 'settings.json')) as { security: { auth: unknown } }).security.auth;
    };
    expect(await login({ GEMINI_API_KEY: 'key' })).toEqual({ selectedType: 'gemini-api-key' });
    expect(await login({ GOOGLE_GENAI_USE_VERTEXAI: 'true' })).toEqual({ selectedType: 'vertex-ai' });
    expect(await login({})).toEqual({});
  });

  test('a role that only reads has no shell; one that writes may edit and run everything (attack 2.22)', async () => {
    const { options, request, home } = machine();
    const agent = await createAgent(options());
    const reads = written(agent.launch(request()), 'policies', 'pawl.toml');
    expect(reads).toBe('[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 999\n');
    const writes = agent.launch(request({ access: 'write' }));
    expect(writes.args).toContain('--approval-mode=auto_edit');
    expect(written(writes, 'policies', 'pawl.toml')).toContain('decision = "allow"');
    expect(written(writes, 'policies', 'mine.toml')).toBe('');
    expect(JSON.parse(written(writes, 'settings.json'))).toHaveProperty('tools.allowed', ['run_shell_command']);
    expect(readFileSync(join(home, '.gemini/policies/pawl.toml'), 'utf8')).toBe('mine too');
  });

  test('a role whose commands are limited runs only those [issue/roles/commands]', async () => {
    const { options, request } = machine();
    const launch = (await createAgent(options())).launch(request({ access: 'write', commands: ['cargo test', 'ls'] }));
    const policy = written(launch, 'policies', 'pawl.toml');
    expect(policy).toContain('decision = "deny"\npriority = 100');
    expect(policy).toContain('commandPrefix = ["cargo test", "ls"]\ndecision = "allow"\npriority = 200');
    expect(JSON.parse(written(launch, 'settings.json'))).toHaveProperty('tools.allowed', []);
  });

  test('gets its own variables and no others', async () => {
    const { options, request } = machine();
    const environment = { GEMINI_API_KEY: 'key', GOOGLE_CLOUD_PROJECT: 'p', GITHUB_TOKEN: 'secret' };
    const { env } = (await createAgent(options({ environment }))).launch(request());
    expect(Object.keys(env).toSorted()).toEqual([
      'GEMINI_API_KEY',
      'GEMINI_CLI_HOME',
      'GEMINI_CLI_NO_RELAUNCH',
      'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
      'GOOGLE_CLOUD_PROJECT',
    ]);
  });

  test('goes on with a conversation by its exact id', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options())).launch(request({ resume: 'some-id' }));
    expect(args).toContain('--resume=some-id');
    expect(args.some((each) => each.startsWith('--session-id'))).toBe(false);
  });

  test('too old: unusable, with the command that helps', async () => {
    const failure: unknown = await createAgent(machine({}, '0.20.0').options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toContain('run npm install -g @google/gemini-cli');
  });
});

describe('recorded output', () => {
  async function events(name: string): Promise<AgentEvent[]> {
    const { options, request } = machine();
    return eventsOfRecorded(await createAgent(options()), request(), { name });
  }

  test('a whole dispatch: session, files, tools, text, usage, a clean end', async () => {
    expect(await events('success')).toEqual([
      { type: 'conversation', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'gemini-2.5-pro' },
      { type: 'tool', name: 'write_file' },
      { type: 'file', path: 'src/1.1.mjs' },
      { type: 'tool', name: 'write_file' },
      { type: 'file', path: 'src/1.2.mjs' },
      { type: 'tool', name: 'mcp_pawl_update_task' },
      { type: 'tool', name: 'mcp_pawl_update_task' },
      { type: 'text', text: 'Done.' },
      { type: 'usage', inputTokens: 5000, outputTokens: 450, costUsd: null },
      { type: 'finished', error: null },
    ]);
  });

  test('a tool that was denied is no error of its own: the report decides', async () => {
    expect((await events('denied-tool')).at(-1)).toEqual({ type: 'finished', error: null });
  });

  test('a rate limit ends when its message says, counted from the time of its line', async () => {
    const [line] = await events('rate-limit').then((all) => all.filter(({ type }) => type === 'finished'));
    expect(line).toEqual({
      type: 'finished',
      error: {
        kind: 'wait',
        until: expect.stringMatching(/^2026-11-15T14:1\d:/),
        message: 'Quota exceeded. Please retry in 3600s.',
      },
    });
  });

  test.each<[name: string, error: AgentError]>([
    ['wrong-key', { kind: 'stop', message: 'API key not valid (status 401)' }],
    ['server-error', { kind: 'retry', message: 'boom (status 500)' }],
    ['cut-stream', { kind: 'retry', message: 'terminated' }],
  ])('%s', async (name, error) => {
    expect((await events(name)).filter(({ type }) => type === 'finished')).toEqual([{ type: 'finished', error }]);
  });
});

describe('other ends', () => {
  async function read(lines: readonly object[], stderr = ''): Promise<AgentEvent | undefined> {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    const told = lines.flatMap((line) => output.line(JSON.stringify(line)));
    return [...told, ...(output.end?.({ exitCode: 41, signal: null, stderr }) ?? [])].at(-1);
  }
  const failed = (message: string) => [{ type: 'result', status: 'error', error: { type: 'unknown', message } }];

  test.each<[message: string, kind: AgentError['kind']]>([
    ['[API Error: You have exhausted your daily quota on this model.]', 'wait'],
    ['[API Error: RESOURCE_EXHAUSTED]\nPlease wait', 'wait'],
    ['[API Error: The input token count exceeds the maximum number of tokens allowed (1048576).]', 'stop'],
    ['Reached max session turns for this session.', 'stop'],
    ['[API Error: models/none is not found (Status: NOT_FOUND)]', 'stop'],
    ['[API Error: fetch failed]', 'retry'],
    ['Operation cancelled.', 'retry'],
  ])('%s: %s', async (message, kind) => {
    expect(await read(failed(message))).toMatchObject({ type: 'finished', error: { kind } });
  });

  test('an error told before the result is its reason', async () => {
    const lines = [
      { type: 'error', severity: 'error', message: 'The answer was blocked.' },
      { type: 'result', status: 'error' },
    ];
    expect(await read(lines)).toMatchObject({ error: { kind: 'retry', message: 'The answer was blocked.' } });
  });

  test.each<[stderr: string, event: AgentEvent | undefined]>([
    [
      'Please set an Auth method in your /x/settings.json or specify GEMINI_API_KEY',
      {
        type: 'finished',
        error: { kind: 'stop', message: 'is not logged in: run gemini and log in, or set GEMINI_API_KEY' },
      },
    ],
    [
      'Error resuming session: No previous sessions found',
      { type: 'finished', error: { kind: 'retry', message: 'Error resuming session: No previous sessions found' } },
    ],
    [
      'Unknown arguments: skip-trust',
      { type: 'finished', error: { kind: 'stop', message: 'Unknown arguments: skip-trust' } },
    ],
    ['Segmentation fault', undefined],
  ])('nothing on stdout, and on stderr: %s', async (stderr, event) => {
    expect(await read([], stderr)).toEqual(event);
  });

  test('the home of an agent is made anew for each start', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const { env } = agent.launch(request());
    mkdirSync(join(env['GEMINI_CLI_HOME'] ?? '', 'left'));
    agent.launch(request());
    expect(existsSync(join(env['GEMINI_CLI_HOME'] ?? '', 'left'))).toBe(false);
  });
});
