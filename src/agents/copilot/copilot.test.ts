import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type AgentError, type AgentEvent } from '../agent.ts';
import { machineWith } from '../launched.fixture.ts';
import { eventsOfRecorded } from '../recorded.fixture.ts';
import { createAgent } from './copilot.ts';

const machine = (version = 'GitHub Copilot CLI 1.0.102') =>
  machineWith(version, {
    '.copilot/mcp-config.json': JSON.stringify({ mcpServers: { tickets: {}, browser: {} } }),
  });

describe('launch', () => {
  test('keeps the contract of the port', async () => {
    const { options, request } = machine();
    for (const contract of agentContract(await createAgent(options()), request())) await contract.check();
  });

  test('a role that only reads may write nothing, and has no shell (attack 2.22)', async () => {
    const { options, request } = machine();
    const { args, stdin } = (await createAgent(options())).launch(request({ model: 'gpt-5.4' }));
    expect(stdin).toBe('Plan the greeting of people.');
    expect(args).toEqual(
      expect.arrayContaining([
        '--output-format=json',
        '--no-ask-user',
        '--disable-builtin-mcps',
        '--allow-tool=pawl',
        '--deny-tool=write',
        '--deny-tool=shell',
        '--model=gpt-5.4',
      ]),
    );
    expect(args.filter((each) => each.startsWith('--allow-tool='))).toEqual(['--allow-tool=pawl']);
    expect(args).not.toContain('--trust-folder');
  });

  test('a role that writes may edit and use its shell', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options())).launch(request({ access: 'write' }));
    expect(args.filter((each) => /-tool=/.test(each))).toEqual([
      '--allow-tool=pawl',
      '--allow-tool=write',
      '--allow-tool=shell',
    ]);
  });

  test('a role whose commands are limited runs only those [issue/roles/commands]', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options())).launch(request({ access: 'write', commands: ['cargo test'] }));
    expect(args.filter((each) => each.includes('shell'))).toEqual(['--allow-tool=shell(cargo test:*)']);
  });

  test('our server is added, servers of the user are off unless they are allowed by name', async () => {
    const { options, request } = machine();
    const { args } = (await createAgent(options({ mcp: ['tickets'] }))).launch(request());
    expect(args).toEqual(expect.arrayContaining(['--disable-mcp-server=browser', '--allow-tool=tickets']));
    expect(args).not.toContain('--disable-mcp-server=tickets');
    const file = join(request().folder, 'mcp.json');
    expect(args).toContain(`--additional-mcp-config=@${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      mcpServers: {
        pawl: {
          type: 'http',
          url: 'http://127.0.0.1:4021/mcp',
          headers: { Authorization: 'Bearer token-nobody-may-see' },
          tools: ['*'],
        },
      },
    });
  });

  test('gets its own variables and no others; its login is hidden from the shell, and nothing trusts the folder', async () => {
    const { options, request } = machine();
    const environment = { GH_TOKEN: 'login', COPILOT_ALLOW_ALL: 'true', NPM_TOKEN: 'secret' };
    const { env, args } = (await createAgent(options({ environment }))).launch(request());
    expect(env).toEqual({ GH_TOKEN: 'login', COPILOT_AUTO_UPDATE: 'false' });
    expect(args).toContain('--secret-env-vars=COPILOT_GITHUB_TOKEN,GH_TOKEN,GITHUB_TOKEN');
  });

  test('a conversation has an id of its own, or goes on by an exact one', async () => {
    const { options, request } = machine();
    const agent = await createAgent(options());
    const ids = (args: readonly string[]) => args.filter((each) => /^--(?:session-id|resume)=/.test(each));
    expect(ids(agent.launch(request()).args)).toEqual([expect.stringMatching(/^--session-id=[0-9a-f-]{36}$/)]);
    expect(ids(agent.launch(request({ resume: 'some-id' })).args)).toEqual(['--resume=some-id']);
  });

  test('too old: unusable, with the command that helps', async () => {
    const failure: unknown = await createAgent(machine('0.0.300').options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toContain('run npm install -g @github/copilot');
  });
});

describe('the loader that npm installs', () => {
  /** As npm lays it out: a link to the loader, and the agent in a package for the platform. */
  function installed(platform: string): { PATH: string; agent: string; loader: string } {
    const { home, options } = machine();
    const packages = join(home, 'node_modules', '@github');
    const [bin, loader] = [join(home, 'bin'), join(packages, 'copilot', 'npm-loader.js')];
    const native = join(packages, `copilot-${platform}-${process.arch}`);
    for (const folder of [bin, native, join(packages, 'copilot')]) mkdirSync(folder, { recursive: true });
    const [program = ''] = options().command ?? [];
    for (const path of [loader, join(native, 'copilot')]) {
      copyFileSync(program, path);
      chmodSync(path, 0o755);
    }
    writeFileSync(join(native, 'package.json'), JSON.stringify({ exports: { '.': './copilot' } }));
    symlinkSync(loader, join(bin, 'copilot'));
    return { PATH: `/nowhere:${bin}`, agent: join(native, 'copilot'), loader: join(bin, 'copilot') };
  }

  test('is left out: the agent of the platform is started itself', async () => {
    const { PATH, agent } = installed(process.platform);
    const { options, request } = machine();
    const { command } = (await createAgent(options({ command: null, environment: { PATH } }))).launch(request());
    expect(command).toBe(agent);
  });

  test('is started where nothing else is found', async () => {
    const { PATH, loader } = installed('amiga');
    const { options, request } = machine();
    const { command } = (await createAgent(options({ command: [loader], environment: { PATH } }))).launch(request());
    expect(command).toBe(loader);
  });
});

describe('recorded output', () => {
  async function events(name: string): Promise<AgentEvent[]> {
    const { options, request } = machine();
    const usage = new URL('../../../test/fixtures/agents/copilot/usage.json', import.meta.url);
    const agent = await createAgent(options());
    const { args, output } = agent.launch(request());
    const [, usageFile = ''] = /--usage-output-file=(\S+)/.exec(args.join(' ')) ?? [];
    if (name === 'success') copyFileSync(usage, usageFile);
    return eventsOfRecorded({ ...agent, launch: (asked) => ({ ...agent.launch(asked), output }) }, request(), { name });
  }

  test('a whole dispatch: session, files, tools, text, a clean end, usage from its file', async () => {
    expect(await events('success')).toEqual([
      { type: 'conversation', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'claude-sonnet-4.6' },
      { type: 'tool', name: 'create' },
      { type: 'file', path: '/repo/src/1.1.mjs' },
      { type: 'tool', name: 'create' },
      { type: 'file', path: '/repo/src/1.2.mjs' },
      { type: 'tool', name: 'pawl-update_task' },
      { type: 'tool', name: 'pawl-update_task' },
      { type: 'text', text: 'Done.' },
      { type: 'finished', error: null },
      { type: 'usage', inputTokens: 5_000, outputTokens: 450, costUsd: null },
    ]);
  });

  test('a tool that was denied is no error of its own: the report decides', async () => {
    expect((await events('denied-tool')).at(-1)).toEqual({ type: 'finished', error: null });
  });

  test.each<[name: string, error: AgentError]>([
    [
      'rate-limit',
      {
        kind: 'wait',
        until: expect.stringMatching(/^2026-11-15T14:2\d:/) as string,
        message: '429 Quota exceeded. Please retry in 3600s.',
      },
    ],
    ['wrong-key', { kind: 'stop', message: expect.stringContaining('Authentication failed') as string }],
    ['server-error', { kind: 'retry', message: expect.stringContaining('Last error: 500 boom') as string }],
    ['cut-stream', { kind: 'retry', message: expect.stringContaining('unexpected EOF') as string }],
  ])('%s', async (name, error) => {
    expect((await events(name)).filter(({ type }) => type === 'finished')).toEqual([{ type: 'finished', error }]);
  });
});

test('a conversation that goes on counts on: only what was added is this dispatch’s', async () => {
  const { options, request } = machine();
  const agent = await createAgent(options());
  const counts = (input: number, output: number): string =>
    JSON.stringify({ modelMetrics: { a: { usage: { inputTokens: input, outputTokens: output } }, b: {} } });
  const launch = (resume: string | null, number: number) =>
    agent.launch(request({ resume, folder: join(request().folder, '..', String(number)) }));
  const file = ({ args }: { args: readonly string[] }): string =>
    args.find((each) => each.startsWith('--usage-output-file='))?.split('=')[1] ?? '';
  const end = { exitCode: 0, signal: null, stderr: '' };
  const first = launch(null, 1);
  writeFileSync(file(first), counts(1_000, 50));
  expect(first.output.end?.(end)).toEqual([{ type: 'usage', inputTokens: 1_000, outputTokens: 50, costUsd: null }]);
  const [, session = ''] = /--session-id=(\S+)/.exec(first.args.join(' ')) ?? [];
  const second = launch(session, 2);
  expect(file(second)).toBe(file(first));
  expect(second.output.end?.(end), 'ended before it wrote').toEqual([]);
  writeFileSync(file(second), counts(1_010, 55));
  expect(second.output.end?.(end)).toEqual([{ type: 'usage', inputTokens: 10, outputTokens: 5, costUsd: null }]);
});

describe('other ends', () => {
  async function read(lines: readonly object[], stderr = ''): Promise<AgentEvent | undefined> {
    const { options, request } = machine();
    const { output } = (await createAgent(options())).launch(request());
    const told = lines.flatMap((line) => output.line(JSON.stringify(line)));
    return [...told, ...(output.end?.({ exitCode: 1, signal: null, stderr }) ?? [])].at(-1);
  }
  const at = '2026-11-15T12:00:00.000Z';
  const failed = (data: object) => [
    { type: 'session.error', timestamp: at, data },
    { type: 'result', exitCode: 1 },
  ];

  test.each<[data: object, error: object]>([
    [
      { errorType: 'rate_limit', message: 'You have hit a limit. Please try again in 2 hours.' },
      { kind: 'wait', until: '2026-11-15T14:00:00.000Z' },
    ],
    [
      { errorType: 'rate_limit', message: 'try again in 5 minutes' },
      { kind: 'wait', until: '2026-11-15T12:05:00.000Z' },
    ],
    [
      { errorType: 'quota', message: 'You have no premium requests left.' },
      { kind: 'wait', until: null },
    ],
    [{ errorType: 'authorization', message: 'No access to Copilot.' }, { kind: 'stop' }],
    [{ errorType: 'query', message: 'prompt is too long: 9 > 8' }, { kind: 'stop' }],
    [{ errorType: 'query', message: 'Model "x" is not available.' }, { kind: 'stop' }],
    [{}, { kind: 'retry', message: 'ended with an error' }],
  ])('%j', async (data, error) => {
    expect(await read(failed(data))).toMatchObject({ type: 'finished', error });
  });

  test('an error it got over does not count', async () => {
    const [error] = failed({ errorType: 'query', message: 'm' });
    expect(await read([error ?? {}, { type: 'result', exitCode: 0 }])).toEqual({ type: 'finished', error: null });
  });

  test.each<[stderr: string, event: object | undefined]>([
    [
      'Error: No authentication information found.',
      { error: { kind: 'stop', message: 'is not logged in: run copilot login, or set COPILOT_GITHUB_TOKEN' } },
    ],
    ['error: unknown option --no-remote', { error: { kind: 'stop', message: 'error: unknown option --no-remote' } }],
    ['Error: No session or task matched', { error: { kind: 'retry' } }],
  ])('nothing on stdout, and on stderr: %s', async (stderr, event) => {
    expect(await read([], stderr)).toMatchObject({ type: 'finished', ...event });
  });

  test('nothing at all is no end', async () => {
    expect(await read([])).toBeUndefined();
  });
});
