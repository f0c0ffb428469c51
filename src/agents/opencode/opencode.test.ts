import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type AgentError, type AgentEvent, type Launch } from '../agent.ts';
import { machineWith } from '../launched.fixture.ts';
import { eventsOfRecorded } from '../recorded.fixture.ts';
import { createAgent } from './opencode.ts';

const machine = (version = '1.18.33') =>
  machineWith(version, {
    '.config/opencode/opencode.jsonc': '{ "mcp": { "tickets": {}, "browser": {} }, /* mine */ }',
    '.opencode/opencode.json': '{ "mcp": { "mail": {} } }',
    'mine.json': '{ "theme": "dark", "plugin": ["some-plugin"], "mcp": { "notes": { "enabled": true } } }',
  });

function config({ env }: Launch): Record<string, any> {
  return JSON.parse(readFileSync(env['OPENCODE_CONFIG'] ?? '', 'utf8')) as Record<string, any>;
}

describe('launch', () => {
  test('keeps the contract of the port', async () => {
    const { options, request } = machine();
    for (const contract of agentContract(await createAgent(options()), request())) await contract.check();
  });

  test('the prompt comes by stdin; a conversation goes on by its exact id', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const { args, stdin } = agent.launch(request({ model: 'anthropic/opus' }));
    expect(stdin).toBe('Plan the greeting of people.');
    expect(args).toEqual(['run', '--format=json', '--agent=build', '--title=pawl', '--model=anthropic/opus']);
    expect(agent.launch(request({ resume: 'ses_1' })).args).toContain('--session=ses_1');
  });

  test('our server is added, servers of the user are off unless they are allowed by name', async () => {
    const { options, request } = machine();
    const launch = (await createAgent(options({ mcp: ['tickets'] }))).launch(request());
    expect(statSync(launch.env['OPENCODE_CONFIG'] ?? '').mode & 0o777).toBe(0o600);
    expect(config(launch)).toEqual({
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      experimental: { continue_loop_on_deny: true },
      plugin: [expect.stringMatching(/^file:\/\/.*opencode-plugin\.js$/)],
      mcp: {
        browser: { enabled: false },
        mail: { enabled: false },
        pawl: {
          type: 'remote',
          url: 'http://127.0.0.1:4021/mcp',
          headers: { Authorization: 'Bearer token-nobody-may-see' },
          oauth: false,
          enabled: true,
          timeout: 120_000,
        },
      },
    });
  });

  test('a configuration the user named is kept', async () => {
    const { options, request, home } = machine();
    const environment = { OPENCODE_CONFIG: join(home, 'mine.json') };
    const { theme, plugin, mcp } = config((await createAgent(options({ environment }))).launch(request()));
    expect([theme, plugin.length, plugin[0]]).toEqual(['dark', 2, 'some-plugin']);
    expect(Object.keys(mcp)).toEqual(['notes', 'tickets', 'browser', 'mail', 'pawl']);
    expect(mcp['notes']).toEqual({ enabled: false });
  });

  test('a role that only reads has no shell; one that writes may edit and run everything (attack 2.22)', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const permissions = (launch: Launch): unknown => JSON.parse(launch.env['OPENCODE_PERMISSION'] ?? '');
    expect(permissions(agent.launch(request()))).toEqual({
      edit: 'deny',
      bash: 'deny',
      external_directory: 'deny',
    });
    expect(permissions(agent.launch(request({ access: 'write' })))).toEqual({
      edit: 'allow',
      bash: 'allow',
      external_directory: 'deny',
    });
  });

  test('a role whose commands are limited runs only those [issue/roles/commands]', async () => {
    const { options, request } = machine();
    const launch = (await createAgent(options())).launch(request({ access: 'write', commands: ['cargo test'] }));
    const { bash } = JSON.parse(launch.env['OPENCODE_PERMISSION'] ?? '') as Record<string, unknown>;
    expect(bash).toEqual({ '*': 'deny', 'cargo test': 'allow', 'cargo test *': 'allow' });
  });

  test('gets its own variables and no others; the repository’s configuration is off', async () => {
    const { options, request } = machine();
    const environment = { ANTHROPIC_API_KEY: 'key', GITHUB_TOKEN: 'secret' };
    const { env } = (await createAgent(options({ environment }))).launch(request());
    expect(env).toEqual({
      ANTHROPIC_API_KEY: 'key',
      OPENCODE_CONFIG: expect.any(String),
      OPENCODE_PERMISSION: expect.any(String),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_SHARE: '1',
    });
  });

  test('too old: unusable, with the command that helps', async () => {
    const failure: unknown = await createAgent(machine('1.2.0').options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toContain('run npm install -g opencode-ai');
  });
});

describe('the plugin that runs inside OpenCode', () => {
  /** What it prints and how it ends when OpenCode tells it of a wait. */
  async function told(status: object): Promise<string> {
    const { options, request, workspace } = machine();
    const [plugin] = config((await createAgent(options())).launch(request()))['plugin'] as string[];
    const host = join(workspace, 'host.mjs');
    const event = { type: 'session.status', properties: { sessionID: 's', status } };
    writeFileSync(
      host,
      `const { Pawl } = await import(${JSON.stringify(plugin)});
       const { event } = await Pawl();
       await event({ event: { type: 'file.edited', properties: {} } });
       await event({ event: ${JSON.stringify(event)} });
       console.log('works on');`,
    );
    try {
      return execFileSync(process.execPath, [host], { encoding: 'utf8' });
    } catch (error) {
      const { stdout, status: code } = error as { stdout: string; status: number };
      return `${code} ${stdout}`;
    }
  }

  test('a short wait, or work, is left alone', async () => {
    expect(await told({ type: 'busy' })).toBe('works on\n');
    expect(await told({ type: 'retry', attempt: 2, message: 'm', next: Date.now() + 4_000 })).toBe('works on\n');
  });

  test.each([
    ['a long wait', { attempt: 1, next: Date.now() + 3_600_000 }],
    ['the third failure', { attempt: 3, next: Date.now() }],
  ])('%s is told, and the end', async (_, status) => {
    const said = await told({ type: 'retry', message: 'no', ...status });
    expect(said.slice(0, 2)).toBe('1 ');
    expect(JSON.parse(said.slice(2))).toMatchObject({ type: 'pawl_gave_up', message: 'no', next: status.next });
  });
});

test('keys are kept from the shell, also by the plugin', async () => {
  const { options, request, workspace } = machine();
  const [plugin] = config((await createAgent(options())).launch(request()))['plugin'] as string[];
  const host = join(workspace, 'host.mjs');
  writeFileSync(
    host,
    `const hooks = await (await import(${JSON.stringify(plugin)})).Pawl();
     const env = { OTHER: 'kept' };
     await hooks['shell.env']({ cwd: '/' }, { env });
     console.log(JSON.stringify(env));`,
  );
  const env = { OPENAI_API_KEY: 'key', AWS_SECRET_ACCESS: 's', HOME: '/home' };
  expect(JSON.parse(execFileSync(process.execPath, [host], { encoding: 'utf8', env }))).toEqual({
    OTHER: 'kept',
    OPENAI_API_KEY: '',
    AWS_SECRET_ACCESS: '',
  });
});

describe('recorded output', () => {
  async function events(name: string): Promise<AgentEvent[]> {
    const { options, request } = machine();
    return eventsOfRecorded(await createAgent(options()), request({ model: 'fake/m1' }), { name });
  }

  test('a whole dispatch: session, files, tools, usage of every step, text, a clean end', async () => {
    const all = await events('success');
    expect(all.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'conversation', id: expect.stringMatching(/^ses_/), model: 'fake/m1' },
      { type: 'tool', name: 'write' },
      { type: 'file', path: '/repo/src/1.1.mjs' },
      { type: 'tool', name: 'write' },
      { type: 'file', path: '/repo/src/1.2.mjs' },
      { type: 'tool', name: 'pawl_update_task' },
      { type: 'tool', name: 'pawl_update_task' },
      { type: 'text', text: 'Done.' },
      { type: 'finished', error: null },
    ]);
    const usages = all.filter((event) => event.type === 'usage');
    expect(usages.length).toBe(5);
    expect(usages.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0)).toBe(5_000);
    expect(usages.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)).toBeCloseTo(0.02175);
  });

  test('a tool that was denied is no error of its own: the report decides', async () => {
    expect((await events('denied-tool')).at(-1)).toEqual({ type: 'finished', error: null });
  });

  test.each<[name: string, error: AgentError]>([
    [
      'rate-limit',
      {
        kind: 'wait',
        until: expect.stringMatching(/^2026-11-15T14:1\d:\d\d\.000Z$/) as string,
        message: 'Quota exceeded. Please retry in 3600s.',
      },
    ],
    ['wrong-key', { kind: 'stop', message: 'API key not valid (status 401)' }],
    ['server-error', { kind: 'retry', message: 'boom' }],
    ['cut-stream', { kind: 'retry', message: 'Connection reset by server' }],
  ])('%s', async (name, error) => {
    expect((await events(name)).filter(({ type }) => type === 'finished')).toEqual([{ type: 'finished', error }]);
  });
});

describe('other ends', () => {
  async function read(...lines: readonly object[]): Promise<AgentEvent | undefined> {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    const events = lines.flatMap((line) => output.line(JSON.stringify(line)));
    return [...events, ...(output.end?.({ exitCode: 0, signal: null, stderr: '' }) ?? [])].at(-1);
  }
  const step = (reason: string) => ({ type: 'step_finish', part: { reason } });
  const error = (name: string, data: object) => ({ type: 'error', error: { name, data } });

  test.each<[line: object, error: object]>([
    [step('length'), { kind: 'retry', message: 'the turn ended in the middle: the last step ended with "length"' }],
    [step('tool-calls'), { kind: 'retry' }],
    [error('ProviderAuthError', { message: 'no key' }), { kind: 'stop', message: 'no key' }],
    [error('ContextOverflowError', { message: 'too long' }), { kind: 'stop', message: 'too long' }],
    [error('APIError', { message: 'slow down', statusCode: 429 }), { kind: 'wait', until: null }],
    [error('APIError', { message: 'pay first', statusCode: 402 }), { kind: 'stop' }],
    [error('UnknownError', {}), { kind: 'retry', message: 'UnknownError' }],
    [
      { type: 'pawl_gave_up', timestamp: 1, next: 2, message: 'Too Many Requests' },
      { kind: 'wait', until: null },
    ],
    [{ type: 'pawl_gave_up' }, { kind: 'retry', message: 'the model does not answer' }],
  ])('%j', async (line, told) => {
    expect(await read(step('tool-calls'), line)).toMatchObject({ type: 'finished', error: told });
  });

  test('without a step that finished there is no end', async () => {
    expect(await read({ type: 'step_start', part: {} })).toBeUndefined();
  });

  test('a model without a price has an unknown cost', async () => {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    const part = {
      reason: 'stop',
      cost: 0,
      tokens: { input: 5, output: 3, reasoning: 2, cache: { read: 7, write: 1 } },
    };
    expect(output.line(JSON.stringify({ type: 'step_finish', part }))).toEqual([
      { type: 'usage', inputTokens: 13, outputTokens: 5, costUsd: null },
    ]);
  });
});
