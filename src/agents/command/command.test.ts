import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startToolServer } from '../../mcp/tool-server.ts';
import type { ToolServer } from '../../runtime/host.ts';
import { agentContract } from '../../testing/agent-contract.ts';
import { AgentUnavailable, type Agent, type AgentEvent, type DispatchRequest } from '../agent.ts';
import { createAgent, type CommandAgentOptions } from './command.ts';

let build: string;
let runner: string;
let folder: string;
let workspace: string;
let server: ToolServer;
let filed: { tool: string; args: unknown }[];

beforeAll(async () => {
  build = mkdtempSync(join(tmpdir(), 'pawl-command-build-'));
  runner = join(build, 'command-runner.mjs');
  const bundle = await rolldown({ input: new URL('command-runner.ts', import.meta.url).pathname, platform: 'node' });
  await bundle.write({ file: runner, format: 'esm' });
  await bundle.close();
});

afterAll(() => rmSync(build, { recursive: true, force: true, maxRetries: 5 }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-command-'));
  workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  filed = [];
  server = await startToolServer();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function agentOf(command: readonly string[] | null, more: Partial<CommandAgentOptions> = {}): Agent {
  const usual: CommandAgentOptions = {
    command,
    driver: null,
    mcp: [],
    environment: { PATH: process.env['PATH'], SECRET: 's', MY_KEY: 'k' },
    env: ['MY_KEY'],
    runner,
  };
  return createAgent({ ...usual, ...more }, 'mine');
}

/** A tool that takes a verdict of yes or no. */
function requestOf(overrides: Partial<DispatchRequest> = {}): DispatchRequest {
  const { token } = server.open({
    tools: [{ name: 'report', description: 'Files the report.', schema: { type: 'object', required: ['verdict'] } }],
    call(tool, args) {
      filed.push({ tool, args });
      const right = ['yes', 'no'].includes(String(args['verdict']));
      return Promise.resolve({ text: right ? 'filed' : 'verdict must be yes or no', isError: !right });
    },
  });
  return {
    id: 'd1',
    role: 'worker',
    step: 'work',
    prompt: 'the prompt',
    resume: null,
    workspace,
    folder: join(folder, 'dispatch'),
    tools: { url: server.url, token },
    access: 'write',
    model: 'small',
    earlier: [],
    ...overrides,
  };
}

interface Played {
  readonly code: number | null;
  readonly events: readonly AgentEvent[];
  readonly error: unknown;
  readonly words: string;
}

/** A small program in the workspace's shell, started as the agent's command says. */
async function play(script: string, { args = [] as readonly string[], interpreter = '/bin/sh' } = {}): Promise<Played> {
  const program = join(folder, 'agent');
  writeFileSync(program, `#!${interpreter}\n${script}\n`, { mode: 0o755 });
  const launch = agentOf([program, ...args]).launch(requestOf());
  const child = spawn(launch.command, launch.args, {
    cwd: workspace,
    env: { PATH: process.env['PATH'], ...launch.env },
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.resume();
  child.stdin.end(launch.stdin);
  const [code] = await once(child, 'close');
  const events = stdout.split('\n').flatMap((line) => launch.output.line(line));
  const finished = events.filter((event) => event.type === 'finished');
  expect(finished).toHaveLength(1);
  const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('\n');
  return { code, events, error: finished[0]?.error, words };
}

const block = (report: unknown): string =>
  `\\\`\\\`\\\`json\n${JSON.stringify(report).replaceAll('"', '\\"')}\n\\\`\\\`\\\``;
const print = (report: unknown): string => `printf '%s\\n' "${block(report)}"`;
const good = { tool: 'report', args: { verdict: 'yes' } };

describe('the prompt', () => {
  test('comes on standard input, with how to report', async () => {
    const { words, error } = await play('cat');
    expect(words).toContain('the prompt');
    expect(words).toContain('### report');
    expect(words).toContain('"required":["verdict"]');
    expect(error).toBeNull();
    expect(words, 'the example is no report').not.toContain('refused');
  });

  test('or in a file that only its owner can read', async () => {
    const { words } = await play('cat "$2"; stat -c "mode %a" "$2"; cat', { args: ['--file', '{prompt_file}'] });
    expect(words).toContain('the prompt');
    expect(words).toContain('mode 600');
  });

  test('may be left unread', async () => {
    expect((await play(`exec 0<&-\n${print(good)}`)).error).toBeNull();
    expect(filed).toEqual([good]);
  });

  test('attack 4.1: model, role and tools are in variables, other secrets are not', async () => {
    const { words } = await play(
      'echo "$PAWL_MODEL $PAWL_ROLE ${PAWL_MCP_URL%%:*} ${PAWL_MCP_TOKEN:+token} $MY_KEY [$SECRET]"',
    );
    expect(words).toBe('small worker http token k []');
  });
});

describe('the report', () => {
  test('is the last block that names a tool', async () => {
    const other = { tool: 'report', args: { verdict: 'no' } };
    const { events, error, code } = await play(
      `echo working\n${print(other)}\n${print({ a: 1 })}\n${print(good)}\necho bye`,
    );
    expect(filed).toEqual([good]);
    expect([error, code]).toEqual([null, 0]);
    expect(events).toContainEqual({ type: 'text', text: 'working' });
    expect(events).toContainEqual({ type: 'tool', name: 'report' });
  });

  test('may be several calls', async () => {
    await play(print([good, { tool: 'report', args: { verdict: 'no' } }]));
    expect(filed.map(({ args }) => args)).toEqual([{ verdict: 'yes' }, { verdict: 'no' }]);
  });

  test('is asked for again with the reason when it is refused', async () => {
    const wrong = { tool: 'report', args: { verdict: 'maybe' } };
    const { error, words } = await play(
      `if grep -q 'verdict must be'; then\n${print(good)}\nelse\n${print(wrong)}\nfi`,
    );
    expect(filed).toEqual([wrong, good]);
    expect(error).toBeNull();
    expect(words).toContain('the report was refused: report: verdict must be yes or no');
  });

  test('is asked for again when it cannot be read, three times in all', async () => {
    const count = join('..', 'count');
    const { error } = await play(`echo x >> ${count}\nprintf '%s\\n' '\`\`\`json' '{"tool": "report", ' '\`\`\`'`);
    expect(readFileSync(join(workspace, count), 'utf8')).toBe('x\nx\nx\n');
    expect([error, filed]).toEqual([null, []]);
  });

  test('is not asked for again when there is none: it may have been filed over MCP', async () => {
    const count = join('..', 'count');
    expect((await play(`echo x >> ${count}; echo Done.`)).error).toBeNull();
    expect(readFileSync(join(workspace, count), 'utf8')).toBe('x\n');
  });

  test('a tool that does not exist is refused', async () => {
    const { words } = await play(print({ tool: 'destroy', args: {} }));
    expect(words).toContain('the report was refused: destroy:');
    expect(filed).toEqual([]);
  });

  test('output is whole although the program does not wait for it', async () => {
    const script = `process.stdout.write('x'.repeat(300_000) + '\\n\\n\`\`\`json\\n${JSON.stringify(good)}\\n\`\`\`\\n'); process.exit(0);`;
    await play(script, { interpreter: process.execPath });
    expect(filed).toEqual([good]);
  });
});

describe('its end', () => {
  test.each([
    ['exit 1', { kind: 'retry', message: 'exited with status 1' }],
    ['exit 69', { kind: 'stop', message: expect.stringContaining('69') }],
    ['exit 75', { kind: 'wait', until: null, message: expect.stringContaining('75') }],
    ['exit 77', { kind: 'stop', message: expect.stringContaining('login') }],
    ['exit 78', { kind: 'stop', message: expect.stringContaining('78') }],
    ['kill -9 $$', { kind: 'retry', message: 'was killed by SIGKILL' }],
  ])('%s', async (script, error) => {
    const played = await play(`${print(good)}\n${script}`);
    expect([played.error, played.code, filed]).toEqual([error, 1, []]);
  });

  test('a program that cannot be started', async () => {
    const played = await play('', { interpreter: '/nowhere/interpreter' });
    expect(played.error).toEqual({ kind: 'stop', message: expect.stringContaining('cannot be started') });
  });
});

describe('how it is started', () => {
  test('attack 4.4: the token is in no argument and in no file', () => {
    const request = requestOf();
    const launch = agentOf(['true']).launch(request);
    expect(launch.args).toEqual([runner, join(request.folder, 'handover.json')]);
    expect(statSync(join(request.folder, 'handover.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(request.folder, 'handover.json'), 'utf8')).not.toContain(request.tools.token);
  });

  test.each([
    ['no command', null, {}, /\[mine\] command = /],
    ['a program that is not there', ['no-such-agent'], {}, /no-such-agent is not installed/],
    ['no runner', ['true'], { runner: '/nowhere/runner.js' }, /install Pawl again/],
  ])('%s is said', (_what, command, options, message) => {
    expect(() => agentOf(command, options)).toThrow(AgentUnavailable);
    expect(() => agentOf(command, options)).toThrow(message);
  });

  test('the runner is looked for beside the program', () => {
    const options = { command: ['true'], driver: null, mcp: [], environment: {} };
    expect(() => createAgent(options, 'mine')).toThrow('command-runner.js');
  });

  test('the contract of every agent', async () => {
    for (const { name, check } of agentContract(agentOf(['true']), requestOf()))
      await expect(Promise.resolve().then(check), name).resolves.toBeUndefined();
  });
});
