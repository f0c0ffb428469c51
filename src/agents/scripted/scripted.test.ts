import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startToolServer } from '../../mcp/tool-server.ts';
import type { ToolServer } from '../../runtime/host.ts';
import { AgentUnavailable, type Agent, type AgentEvent, type DispatchRequest } from '../agent.ts';
import { scriptedAgent } from './scripted.ts';

let build: string;
let executable: string;
let folder: string;
let workspace: string;
let log: string;
let server: ToolServer;
let filed: unknown[];

beforeAll(async () => {
  build = mkdtempSync(join(tmpdir(), 'pawl-scripted-build-'));
  executable = join(build, 'scripted-agent.mjs');
  const bundle = await rolldown({ input: new URL('scripted-agent.ts', import.meta.url).pathname, platform: 'node' });
  await bundle.write({ file: executable, format: 'esm' });
  await bundle.close();
});

afterAll(() => {
  rmSync(build, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-scripted-'));
  workspace = join(folder, 'workspace');
  log = join(folder, 'played.log');
  mkdirSync(workspace);
  process.env['PAWL_SCRIPT_LOG'] = log;
  filed = [];
  server = await startToolServer();
});

afterEach(async () => {
  delete process.env['PAWL_SCRIPT_LOG'];
  await server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface Played {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdinError: string | undefined;
  readonly events: readonly (AgentEvent | null)[];
}

function agentFor(script: string): Agent {
  return scriptedAgent({ script, file: 'script.yaml', executable });
}

function requestOf(overrides: Partial<DispatchRequest> = {}): DispatchRequest {
  return {
    id: 'd1',
    role: 'worker',
    step: 'work',
    prompt: 'the prompt',
    workspace,
    folder: join(folder, 'dispatch'),
    tools: { url: server.url, token: 'none' },
    access: 'write',
    resume: null,
    model: null,
    earlier: [],
    ...overrides,
  };
}

function openTools(): DispatchRequest['tools'] {
  const schema = { type: 'object' } as const;
  const { token } = server.open({
    tools: [
      { name: 'report', description: 'files a report', schema },
      { name: 'refuse', description: 'refuses', schema },
    ],
    call(tool, args) {
      filed.push({ tool, args });
      return Promise.resolve({
        text: tool === 'refuse' ? 'status must be one of a, b' : 'filed',
        isError: tool === 'refuse',
      });
    },
  });
  return { url: server.url, token };
}

async function play(script: string, overrides: Partial<DispatchRequest> = {}, killAfterText?: string): Promise<Played> {
  const agent = agentFor(script);
  const launch = agent.launch(requestOf({ tools: openTools(), ...overrides }));
  const child = spawn(launch.command, launch.args, {
    cwd: workspace,
    env: { PATH: process.env['PATH'], ...launch.env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
    if (killAfterText !== undefined && output.stdout.includes(killAfterText)) child.kill('SIGTERM');
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  let stdinError: string | undefined;
  child.stdin.on('error', (error: NodeJS.ErrnoException) => (stdinError = error.code));
  child.stdin.end(launch.stdin);
  const [code, signal] = await once(child, 'close');
  return {
    code,
    signal,
    stdinError,
    ...output,
    events: linesOf(output.stdout).map((line) => launch.output.line(line)[0] ?? null),
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

function logLines(): string[] {
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
}

const finished = { type: 'finished', error: null };

describe('launch', () => {
  test('hands secrets over in variables, the turn in a file, the prompt on standard input', () => {
    const launch = agentFor('- role: worker\n  say: hello').launch(
      requestOf({ tools: { url: server.url, token: 'secret' } }),
    );
    const turn = join(folder, 'dispatch', 'handover.json');
    expect(launch).toEqual({
      command: process.execPath,
      args: [executable, turn],
      env: { PAWL_MCP_URL: server.url, PAWL_MCP_TOKEN: 'secret', PAWL_SCRIPT_LOG: log },
      stdin: 'the prompt',
      output: expect.anything(),
      needs: { read: [dirname(executable)], write: [log] },
    });
    expect(JSON.parse(readFileSync(turn, 'utf8'))).toEqual({
      dispatch: 'd1',
      role: 'worker',
      step: 'work',
      script: 'script.yaml',
      played: 0,
      next: { index: 0, turn: { role: 'worker', say: 'hello' } },
    });
  });

  test('a broken script is refused before anything is launched', () => {
    expect(() => agentFor('- role: worker\n  sya: hello')).toThrow('script.yaml:2: unknown key "sya"; expected "say"');
  });

  test('a missing executable is an unusable agent', () => {
    const agent = scriptedAgent({ script: '[]', file: 's.yaml', executable: join(folder, 'nowhere.js') });
    expect(() => agent.launch(requestOf())).toThrow(AgentUnavailable);
  });
});

describe('parse', () => {
  test.each<[string, AgentEvent | null]>([
    ['{"type":"text","text":"hi"}', { type: 'text', text: 'hi' }],
    ['{"type":"tool","name":"report"}', { type: 'tool', name: 'report' }],
    [
      '{"type":"usage","inputTokens":3,"outputTokens":null}',
      { type: 'usage', inputTokens: 3, outputTokens: null, costUsd: null },
    ],
    ['{"type":"finished","error":null}', { type: 'finished', error: null }],
    [
      '{"type":"finished","error":{"kind":"stop","message":"no"}}',
      { type: 'finished', error: { kind: 'stop', message: 'no' } },
    ],
    ['{"type":"finished","error":"no"}', null],
    ['{"type":"text"}', null],
    ['{"type":"other"}', null],
    ['{"type":"finish', null],
    ['[1]', null],
    ['plain words', null],
    ['', null],
  ])('%s', (line, event) => {
    expect(agentFor('[]').launch(requestOf()).output.line(line)).toEqual(event === null ? [] : [event]);
  });
});

describe('a turn', () => {
  test('writes, deletes, runs, calls, says, tells its usage and finishes, in this order', async () => {
    writeFileSync(join(workspace, 'old.txt'), 'old');
    const script = `
- role: worker
  sleep_ms: 1
  write: {"src/new.txt": "new\\n", "old.txt": null, "gone.txt": null}
  run: ["node -e 'console.log(process.argv.slice(1))' a \\"b c\\""]
  call: [{tool: report, args: {status: done, nested: {list: [1, null]}}}]
  say: "two\\nlines"
  usage: {input_tokens: 12, cost_usd: 0.5}
`;
    const { code, stderr, events } = await play(script);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(readFileSync(join(workspace, 'src/new.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(join(workspace, 'old.txt'))).toBe(false);
    expect(filed).toEqual([{ tool: 'report', args: { status: 'done', nested: { list: [1, null] } } }]);
    expect(events).toEqual([
      { type: 'text', text: `$ node -e 'console.log(process.argv.slice(1))' a "b c"\n[ 'a', 'b c' ]\n` },
      { type: 'tool', name: 'report' },
      { type: 'text', text: 'report answered: filed' },
      { type: 'text', text: 'two\nlines' },
      { type: 'usage', inputTokens: 12, outputTokens: null, costUsd: 0.5 },
      finished,
    ]);
    expect(logLines()).toEqual(['start d1 worker work 0', 'end d1 worker work 0']);
  });

  test('a refused call, a tool that does not exist and a failing command are told, and the turn goes on', async () => {
    const script = `
- role: worker
  run: ["node -e process.exit(3)", "no-such-program-here --x"]
  call: [{tool: refuse}, {tool: nonsense}, {tool: report}]
`;
    const { code, events } = await play(script);
    expect(code).toBe(0);
    expect(events.filter((event) => event?.type === 'text').map(({ text }) => text)).toEqual([
      '$ node -e process.exit(3)\n',
      'node -e process.exit(3): ended with exit code 3',
      '$ no-such-program-here --x\n',
      'no-such-program-here --x: spawnSync no-such-program-here ENOENT',
      'refuse failed: status must be one of a, b',
      'nonsense failed: There is no tool "nonsense" here. Available: report, refuse.',
      'report answered: filed',
    ]);
    expect(events.at(-1)).toEqual(finished);
  });

  test('a dead token and a server that is gone are told, and the turn goes on', async () => {
    const script = '- {role: worker, call: [{tool: report}], say: still here}';
    const refused = await play(script, { tools: { url: server.url, token: 'dead' } });
    expect(refused.stdout).toContain('the tools cannot be reached: HTTP 401');
    const gone = await play(script, { tools: { url: 'http://127.0.0.1:1/mcp', token: 'dead' } });
    expect(gone.stdout).toContain('the tools cannot be reached: connect ECONNREFUSED');
    expect(gone.events.slice(-2)).toEqual([{ type: 'text', text: 'still here' }, finished]);
  });

  test.each(['../outside.txt', '/tmp/pawl-outside.txt', 'link/outside.txt', '.'])(
    'refuses to write %s',
    async (path) => {
      symlinkSync(folder, join(workspace, 'link'));
      const { code, stderr, events } = await play(`- {role: worker, write: {"${path}": "x"}, call: [{tool: report}]}`);
      const message = `refused to write "${path}": it is not inside the workspace`;
      expect(stderr).toBe(`${message}\n`);
      expect(events).toEqual([{ type: 'finished', error: { kind: 'stop', message } }]);
      expect(code).toBe(1);
      expect(existsSync(join(folder, 'outside.txt'))).toBe(false);
      expect(filed).toEqual([]);
    },
  );

  test('reads a prompt of many pages to its end and fails loudly when it lacks what is expected', async () => {
    const prompt = `${'long prompt\n'.repeat(100_000)}the end`;
    const right = await play('- {role: worker, expect_prompt: [long, "the end"]}', { prompt });
    expect(right.events).toEqual([finished]);
    const wrong = await play('- {role: worker, expect_prompt: [long, "another end"], write: {a: b}}', { prompt });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toBe('turn 1 of script.yaml expects a prompt that contains "another end"\n');
    expect(existsSync(join(workspace, 'a'))).toBe(false);
  });

  test('follows the turns of its role and says when there is none left', async () => {
    const script = '- {role: other}\n- {role: worker, say: first}\n- {role: worker, say: second}';
    const earlier = [{ role: 'worker', step: 'work' }];
    const second = await play(script, { id: 'd2', earlier });
    expect(second.events[0]).toEqual({ type: 'text', text: 'second' });
    const none = await play(script, { id: 'd3', earlier: [...earlier, ...earlier] });
    const message = 'no turn left in script.yaml for role worker (step work), 2 were played';
    expect(none.code).toBe(1);
    expect(none.stderr).toBe(`${message}\n`);
    expect(none.events).toEqual([{ type: 'finished', error: { kind: 'stop', message } }]);
    expect(logLines()).toEqual(['start d2 worker work 2', 'end d2 worker work 2']);
  });
});

describe('faults', () => {
  const turnWith = (fault: string) =>
    `- {role: worker, write: {a: b}, call: [{tool: report}], say: words, fault: "${fault}"}`;
  const wrote = () => existsSync(join(workspace, 'a'));

  test('hang: does its work, then waits to be killed', async () => {
    const { signal, events } = await play(turnWith('hang'), {}, 'words');
    expect(signal).toBe('SIGTERM');
    expect(events.at(-1)).toEqual({ type: 'text', text: 'words' });
    expect(filed).toHaveLength(1);
    expect(logLines()).toEqual(['start d1 worker work 0']);
  });

  test('crash: dies by a signal after writing and before reporting', async () => {
    const { signal, events } = await play(turnWith('crash'));
    expect(signal).toBe('SIGSEGV');
    expect(wrote()).toBe(true);
    expect(filed).toEqual([]);
    expect(events).toEqual([]);
    expect(logLines()).toEqual(['start d1 worker work 0']);
  });

  test('epipe: closes its standard input unread', async () => {
    const { code, stderr, stdinError, events } = await play(turnWith('epipe'), { prompt: 'x'.repeat(10_000_000) });
    expect(['EPIPE', 'ECONNRESET']).toContain(stdinError);
    expect(code).toBe(1);
    expect(stderr).toBe('closed standard input without reading it\n');
    expect(events).toEqual([]);
    expect(wrote()).toBe(false);
  });

  test('garbage: no event that can be read, half a line, exit 0', async () => {
    const { code, stdout, events } = await play(turnWith('garbage'));
    expect(code).toBe(0);
    expect(stdout).toContain('\ufffd');
    expect(stdout.endsWith('{"type":"finish')).toBe(true);
    expect(events.filter((event) => event?.type === 'finished')).toEqual([]);
  });

  test('no_report: everything but the calls', async () => {
    const { code, events } = await play(turnWith('no_report'));
    expect(code).toBe(0);
    expect(wrote()).toBe(true);
    expect(filed).toEqual([]);
    expect(events).toEqual([{ type: 'text', text: 'words' }, finished]);
  });

  test('exit: the work, the code, and no terminal event', async () => {
    const { code, events } = await play(turnWith('exit:137'));
    expect(code).toBe(137);
    expect(filed).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'text', text: 'words' });
  });
});

test('the executable stays lean: no YAML, no schema library, no SDK', () => {
  const bundle = readFileSync(executable, 'utf8');
  const imports = [...bundle.matchAll(/(?:from|import\() ?"([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(imports)).toEqual(new Set(['node:fs', 'node:path', 'node:child_process']));
  expect(bundle.length).toBeLessThan(40_000);
});
