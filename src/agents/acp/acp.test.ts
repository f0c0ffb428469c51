import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startToolServer } from '../../mcp/tool-server.ts';
import type { ToolServer } from '../../runtime/host.ts';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type Agent, type AgentEvent, type DispatchRequest } from '../agent.ts';
import { createAgent, type AcpAgentOptions } from './acp.ts';

const fake = new URL('../../../test/fixtures/acp-agent.mjs', import.meta.url).pathname;

let build: string;
let bridge: string;
let folder: string;
let workspace: string;
let log: string;
let server: ToolServer;
let filed: unknown[];

beforeAll(async () => {
  build = mkdtempSync(join(tmpdir(), 'pawl-acp-build-'));
  bridge = join(build, 'acp-bridge.mjs');
  const bundle = await rolldown({ input: new URL('acp-bridge.ts', import.meta.url).pathname, platform: 'node' });
  await bundle.write({ file: bridge, format: 'esm' });
  await bundle.close();
});

afterAll(() => rmSync(build, { recursive: true, force: true, maxRetries: 5 }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-acp-'));
  workspace = join(folder, 'workspace');
  log = join(folder, 'heard.log');
  mkdirSync(workspace);
  filed = [];
  server = await startToolServer();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function fakeAgent(
  behaviour: string,
  { name = 'acp', ...more }: Partial<AcpAgentOptions> & { name?: string } = {},
): Promise<Agent> {
  const usual: AcpAgentOptions = {
    command: [process.execPath, fake, behaviour, log],
    driver: 'acp',
    mcp: [],
    environment: { PATH: process.env['PATH'] },
    bridge,
    handshakeMsMax: 10_000,
  };
  return createAgent({ ...usual, ...more }, name);
}

function requestOf(overrides: Partial<DispatchRequest> = {}): DispatchRequest {
  const { token } = server.open({
    tools: [{ name: 'report', description: 'files a report', schema: { type: 'object' } }],
    call(tool, args) {
      filed.push({ tool, args });
      return Promise.resolve({ text: 'filed', isError: false });
    },
  });
  return {
    id: 'd1',
    role: 'worker',
    step: 'work',
    prompt: 'the prompt',
    workspace,
    folder: join(folder, 'dispatch'),
    tools: { url: server.url, token },
    access: 'write',
    model: null,
    earlier: [],
    resume: null,
    ...overrides,
  };
}

interface Played {
  readonly code: number | null;
  readonly stderr: string;
  readonly events: readonly AgentEvent[];
  readonly ms: number;
}

interface Watching {
  readonly onText?: (child: ChildProcess, text: string) => void;
  /** Its output may be held open by others. */
  readonly onEnd?: (child: ChildProcess) => void;
}

async function play(
  behaviour: string,
  request: Partial<DispatchRequest> = {},
  options: Partial<AcpAgentOptions> & Watching = {},
): Promise<Played> {
  const agent = await fakeAgent(behaviour, options);
  const launch = agent.launch(requestOf(request));
  const begun = performance.now();
  const child = spawn(launch.command, launch.args, {
    cwd: workspace,
    env: { PATH: process.env['PATH'], ...launch.env },
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
    options.onText?.(child, output.stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  child.stdin.end(launch.stdin);
  child.once('exit', () => options.onEnd?.(child));
  const [code] = await once(child, 'close');
  const events = output.stdout.split('\n').flatMap((line) => launch.output.line(line));
  return { code, stderr: output.stderr, events, ms: performance.now() - begun };
}

function heard(): Record<string, any>[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

function finished({ events }: Played): unknown {
  const last = events.filter(({ type }) => type === 'finished');
  expect(last).toHaveLength(1);
  return last[0]?.type === 'finished' ? last[0].error : undefined;
}

function spoken({ events }: Played): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('\n');
}

describe('a turn', () => {
  test('from the handshake to the report', async () => {
    const played = await play('well');
    expect(played.events).toEqual([
      { type: 'conversation', id: 'session-1', model: 'small' },
      { type: 'text', text: 'I was asked: the prompt' },
      { type: 'text', text: 'I begin.' },
      { type: 'tool', name: 'Write a.txt' },
      { type: 'file', path: '/w/a.txt' },
      { type: 'tool', name: 'mcp__pawl__report' },
      { type: 'text', text: 'reported: 200' },
      { type: 'usage', inputTokens: 9, outputTokens: 3, costUsd: 0.5 },
      { type: 'finished', error: null },
    ]);
    expect(filed).toEqual([{ tool: 'report', args: { verdict: 'good' } }]);
    expect(played.code).toBe(0);
    expect(heard().map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/set_mode',
      'session/prompt',
    ]);
    const [hello, session, mode] = heard().map(({ params }) => params);
    expect(hello?.['clientCapabilities']).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
    expect(session).toMatchObject({ cwd: workspace, mcpServers: [{ type: 'http', name: 'pawl', url: server.url }] });
    expect(mode).toEqual({ sessionId: 'session-1', modeId: 'default' });
  });

  test('noise on its output does no harm', async () => {
    expect(finished(await play('garbage'))).toBeNull();
    expect(filed).toHaveLength(1);
  });

  test('with the model that is asked for', async () => {
    const played = await play('well', { model: 'large' });
    expect(played.events[0]).toEqual({ type: 'conversation', id: 'session-1', model: 'large' });
    expect(heard().find(({ method }) => method === 'session/set_config_option')?.['params']).toMatchObject({
      configId: 'model',
      value: 'large',
    });
  });

  test('not at all with a model it does not have', async () => {
    const played = await play('well', { model: 'huge' });
    expect(finished(played)).toEqual({
      kind: 'stop',
      message: 'does not offer the model huge; it offers small, large',
    });
    expect(heard().map(({ method }) => method)).not.toContain('session/prompt');
  });
});

describe('an old conversation', () => {
  const methods = () => heard().map(({ method }) => method);
  const old = { resume: 'session-0' };

  test.each([
    ['resumes', 'session/resume', 0.5],
    ['loads', 'session/load', 0.3],
  ])('%s: gone on with by its exact id; what is told of it again is not news', async (behaviour, method, costUsd) => {
    const played = await play(behaviour, old);
    expect(methods()).toEqual(['initialize', method, 'session/set_mode', 'session/prompt']);
    const [, session, mode, prompt] = heard().map(({ params }) => params);
    expect(session).toMatchObject({ sessionId: 'session-0', cwd: workspace, mcpServers: [{ name: 'pawl' }] });
    expect([mode?.['sessionId'], prompt?.['sessionId']]).toEqual(['session-0', 'session-0']);
    expect(played.events).toEqual([
      { type: 'conversation', id: 'session-0', model: 'small' },
      { type: 'text', text: 'I was asked: the prompt' },
      { type: 'text', text: 'I begin.' },
      { type: 'tool', name: 'Write a.txt' },
      { type: 'file', path: '/w/a.txt' },
      { type: 'tool', name: 'mcp__pawl__report' },
      { type: 'text', text: 'reported: 200' },
      { type: 'usage', inputTokens: 9, outputTokens: 3, costUsd },
      { type: 'finished', error: null },
    ]);
  });

  test('costs what it costs more than before', async () => {
    const paid = async (): Promise<unknown> => (await play('resumes', old)).events.find(({ type }) => type === 'usage');
    expect(await paid()).toMatchObject({ costUsd: 0.5 });
    // The same total again: this turn was free.
    expect(await paid()).toMatchObject({ costUsd: 0 });
  });

  test.each([
    ['well', ['initialize', 'session/new'], 'it cannot resume conversations'],
    ['cannot load', ['initialize', 'session/load', 'session/new'], 'Internal error: no such session$'],
  ])('%s: a new one is begun, and it is said why', async (behaviour, begun, why) => {
    const played = await play(behaviour, old);
    expect(methods()).toEqual([...begun, 'session/set_mode', 'session/prompt']);
    const text = expect.stringMatching(`^begins a new conversation instead of going on with session-0: ${why}`);
    expect(played.events.slice(0, 2)).toEqual([
      { type: 'text', text },
      { type: 'conversation', id: 'session-1', model: 'small' },
    ]);
    expect(finished(played)).toBeNull();
  });
});

describe('an agent that fails', () => {
  test.each([
    ['exits at once', { kind: 'stop', message: expect.stringContaining('exited with status 3 before it answered') }],
    ['other version', { kind: 'stop', message: expect.stringContaining('speaks version 2') }],
    ['no http', { kind: 'stop', message: expect.stringContaining('over HTTP') }],
    ['needs login', { kind: 'stop', message: 'needs a login: Authentication required' }],
    ['dies', { kind: 'retry', message: 'exited with status 9 before it finished its turn' }],
    ['closes its output', { kind: 'retry', message: expect.stringMatching(/before it finished its turn$/) }],
    ['error: it broke', { kind: 'retry', message: 'Internal error: it broke' }],
    [
      'error: 429 Too Many Requests, retry after 60 s',
      { kind: 'wait', message: expect.any(String), until: expect.any(String) },
    ],
    ['error: status 401: wrong key', { kind: 'stop', message: expect.stringContaining('wrong key') }],
    ['says: Error: 500 Internal server error', { kind: 'retry', message: expect.stringContaining('500') }],
    ['stops: max_tokens', { kind: 'retry', message: expect.any(String) }],
    ['stops: refusal', { kind: 'stop', message: 'refused to continue' }],
    ['stops: cancelled', { kind: 'retry', message: expect.any(String) }],
    ['stops: because', { kind: 'retry', message: expect.stringContaining('because') }],
  ])('%s', async (behaviour, error) => {
    const played = await play(behaviour);
    expect(finished(played)).toEqual(error);
    expect(played.code).toBe(1);
  });

  test.each(['never answers initialize', 'never begins a session'])('%s: it is not waited for', async (behaviour) => {
    const played = await play(behaviour, {}, { handshakeMsMax: 700 });
    expect(finished(played)).toEqual({
      kind: 'retry',
      message: expect.stringMatching(/^did not answer \S+ in 0.7 s$/),
    });
  });

  test('a program that is not one', async () => {
    const program = join(folder, 'no-program');
    writeFileSync(program, 'not a program');
    chmodSync(program, 0o644);
    const played = await play('well', {}, { command: [program] });
    expect(finished(played)).toEqual({ kind: 'stop', message: expect.stringContaining('cannot be started') });
  });

  test('what it says before it dies is told', async () => {
    expect(spoken(await play('dies'))).toContain('half a sent');
  });
});

describe('what agents tell beside the protocol', () => {
  const codex = (told: unknown) => ({
    method: 'session/update',
    params: { sessionId: 'session-1', update: { sessionUpdate: 'session_info_update', _meta: { codex: told } } },
  });
  const limit = {
    error: {
      message: 'Reconnecting... 1/1',
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 429 } },
      additionalDetails: 'exceeded retry limit, last status: 429 Too Many Requests',
      willRetry: true,
    },
  };

  test('Codex waits for the end of a limit: its turn is cancelled', async () => {
    const played = await play(`tells and waits: ${JSON.stringify(codex(limit))}`);
    expect(finished(played)).toEqual({ kind: 'wait', until: null, message: limit.error.additionalDetails });
    expect(heard().at(-1)?.['method']).toBe('session/cancel');
  });

  test('Codex has given up, and ends its turn as if it had not', async () => {
    const played = await play(`tells and ends: ${JSON.stringify(codex({ threadStatus: { type: 'systemError' } }))}`);
    expect(finished(played)).toEqual({ kind: 'retry', message: 'gave its turn up' });
  });

  test('OpenCode waits: its plugin says for what, and until when', async () => {
    const told = (message: string, next: number) =>
      `tells and waits: ${JSON.stringify({ method: '_pawl/waiting', params: { message, next } })}`;
    const until = '2099-01-01T00:00:00.000Z';
    const limited = await play(told('Slow down', Date.parse(until)));
    expect(finished(limited)).toEqual({ kind: 'wait', until, message: 'Slow down' });
    expect(finished(await play(told('Bad gateway', Date.now())))).toEqual({ kind: 'retry', message: 'Bad gateway' });
  });
});

describe('permission', () => {
  const ask = (call: unknown): string => `asks: ${JSON.stringify(call)}`;
  const edit = () => ({ kind: 'edit', title: 'Write a', locations: [{ path: join(workspace, 'a') }] });

  test('an edit: for who writes, not for who reads', async () => {
    expect(spoken(await play(ask(edit())))).toBe('\noutcome id-allow_once\n');
    const reading = spoken(await play(ask(edit()), { access: 'read' }));
    expect(reading).toContain('not permitted: Write a (this role only reads)');
    expect(reading).toContain('outcome id-reject_once');
  });

  test('an agent whose turn ends with a refused permission is told to go on, a few times (Copilot)', async () => {
    const again = await play(`ends when refused: ${JSON.stringify(edit())}`, { access: 'read' });
    expect(filed).toHaveLength(1);
    expect(again.events.at(-1)).toEqual({ type: 'finished', error: null });
    expect(again.events.filter(({ type }) => type === 'usage')).toHaveLength(1);
    const prompts = (): string[] =>
      heard().flatMap(({ method, params }) => (method === 'session/prompt' ? [params.prompt[0].text] : []));
    expect(prompts()).toEqual([
      'the prompt',
      'Not permitted:\n- Write a (this role only reads)\nContinue your task without that. If you have filed your report, say so and stop.',
    ]);
    await play(`is refused for ever: ${JSON.stringify(edit())}`, { access: 'read' });
    expect(prompts()).toHaveLength(2 + 6);
  });

  test('what was told about a call before counts', async () => {
    const told = { title: 'pawl-report', kind: 'edit', status: 'pending' };
    const played = await play(ask({ told, title: 'report', kind: 'other' }), { access: 'read' });
    expect(spoken(played)).toContain('outcome id-allow_once');
  });

  test('a server the user named', async () => {
    const call = { title: 'mcp__docs__search', kind: 'other' };
    expect(spoken(await play(ask(call)))).toContain('id-reject_once');
    expect(spoken(await play(ask(call), {}, { mcp: ['docs'] }))).toContain('id-allow_once');
  });

  test('our files are not the agent’s to ask for', async () => {
    expect(spoken(await play('asks for files'))).toMatch(/method not found/i);
  });
});

describe('ending it', () => {
  test('the turn is cancelled first, and the agent ends', async () => {
    const { code, events, ms } = await play('hangs', {}, { onText: terminateOnceAtWork() });
    expect(heard().at(-1)?.['method']).toBe('session/cancel');
    expect(code).toBe(143);
    expect(events.some(({ type }) => type === 'finished')).toBe(false);
    expect(ms).toBeLessThan(10_000);
    expect(running()).toBe(false);
  });

  test('an agent that does not want to is killed', async () => {
    const { code } = await play('ignores SIGTERM', {}, { onText: terminateOnceAtWork() });
    expect(readFileSync(log, 'utf8')).toContain('SIGTERM');
    expect(code).toBe(143);
    expect(running()).toBe(false);
  });

  test('what the agent leaves behind is not waited for', async () => {
    const played = await play('leaves a child', {}, { onEnd: (child) => process.kill(-(child.pid ?? 0), 'SIGKILL') });
    expect(finished(played)).toBeNull();
    expect(played.ms).toBeLessThan(15_000);
  });

  /** The words of the agent are complete only at their end, so that its session is what tells that it works. */
  function terminateOnceAtWork(): (child: ChildProcess, text: string) => void {
    let sent = false;
    return (child, text) => {
      if (sent || !text.includes('session-1')) return;
      sent = true;
      const poll = setInterval(() => {
        if (!heard().some(({ method }) => method === 'session/prompt')) return;
        clearInterval(poll);
        child.kill('SIGTERM');
      }, 20);
    };
  }

  /** Its log is in its arguments. */
  function running(): boolean {
    return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(log));
  }
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('how it is started', () => {
  test('attack 4.4: the token is in a file that only its owner can read, not in arguments or variables', async () => {
    const request = requestOf();
    const launch = (await fakeAgent('well')).launch(request);
    const file = join(request.folder, 'handover.json');
    expect(launch.args).toEqual([bridge, file]);
    expect(JSON.stringify(launch)).not.toContain(request.tools.token);
    expect(readFileSync(file, 'utf8')).toContain(request.tools.token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a known agent gets its variables and no others, and is told what it needs to know', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude-agent-acp'), '#!/bin/sh\necho 0.99.0\n', { mode: 0o755 });
    const PATH = `${bin}:${process.env['PATH']}`;
    const before = process.env['PATH'];
    process.env['PATH'] = PATH;
    try {
      const environment = { PATH, ANTHROPIC_API_KEY: 'k', SECRET: 's' };
      const agent = await fakeAgent('', { name: 'claude', command: null, environment });
      const launch = agent.launch(requestOf());
      const config = join(folder, 'dispatch', 'mcp.json');
      expect(statSync(config).mode & 0o777).toBe(0o600);
      expect(Object.keys(JSON.parse(readFileSync(config, 'utf8')).mcpServers)).toEqual(['pawl']);
      expect(launch.env).toMatchObject({ ANTHROPIC_API_KEY: 'k', ENABLE_TOOL_SEARCH: 'false' });
      expect(launch.env).not.toHaveProperty('SECRET');
      expect(JSON.parse(readFileSync(launch.args[1] ?? '', 'utf8'))).toMatchObject({
        command: ['claude-agent-acp'],
        mcp: null,
        meta: {
          claudeCode: {
            options: { settingSources: ['user'], strictMcpConfig: true, extraArgs: { 'mcp-config': config } },
          },
        },
      });
    } finally {
      process.env['PATH'] = before;
    }
  });

  test.each([
    ['no command', { command: null, name: 'mine' }, /\[mine\] command = /],
    ['a program that is not there', { command: ['no-such-agent'] }, /no-such-agent is not installed/],
    ['a known one that is not there', { command: ['/nowhere/opencode', 'acp'] }, /npm install -g opencode-ai/],
    ['no bridge', { bridge: '/nowhere/bridge.js' }, /install Pawl again/],
  ])('%s is said', async (_what, options, message) => {
    const failure = await fakeAgent('well', options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentUnavailable);
    expect(String(failure)).toMatch(message);
  });

  test('an agent that would run code of the repository is not started in it', async () => {
    const codex = join(folder, 'codex-acp');
    writeFileSync(codex, '#!/bin/sh\necho 2.6.0\n', { mode: 0o755 });
    const agent = await fakeAgent('', { name: 'codex', command: [codex] });
    expect(agent.launch(requestOf()).command).toBe(process.execPath);
    mkdirSync(join(workspace, '.codex'));
    expect(agent.launch(requestOf()).command).toBe(process.execPath);
    writeFileSync(join(workspace, '.codex', 'config.toml'), '');
    expect(() => agent.launch(requestOf())).toThrow(AgentUnavailable);
    expect(() => agent.launch(requestOf())).toThrow(/\(\.codex\).*driver = "native"/);
  });

  test('the bridge is looked for beside the program', async () => {
    const options = { command: [process.execPath], driver: null, mcp: [], environment: {} };
    await expect(createAgent(options, 'acp')).rejects.toThrow('acp-bridge.js');
  });

  test('the contract of every agent', async () => {
    for (const { name, check } of agentContract(await fakeAgent('well'), requestOf()))
      await expect(Promise.resolve().then(check), name).resolves.toBeUndefined();
  });
});
