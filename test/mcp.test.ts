/** `pawl mcp` with the real client of the SDK in both revisions, and with raw lines. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { dispatchMarker } from '../src/runtime/dispatch-marker.ts';
import { program } from './change/scripts.ts';
import { WarmRepository } from './warm-repository.ts';

const roles = ['planner', 'challenger', 'implementer', 'author', 'reviewer', 'archivist'];

class ClientRepository extends WarmRepository {
  /** Of a process that is started by hand. */
  get ownEnv(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.env({})).map(([name, value]) => [name, value ?? '']));
  }
}

let repository: ClientRepository;
beforeEach(() => {
  const config = ['[roles]', ...roles.map((role) => `${role} = "scripted"`), ''].join('\n');
  repository = new ClientRepository(program, WarmRepository.create(program, { 'pawl.toml': config }).folder);
});
afterEach(() => repository.remove());

type Mode = 'auto' | 'legacy';

async function connect(mode: Mode = 'auto') {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
  const env = repository.ownEnv;
  const server = { command: process.execPath, args: [program, 'mcp'], cwd: repository.root, env };
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  const told: string[] = [];
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const onprogress = ({ message = '' }): void => void told.push(message);
    const { content, isError } = await client.callTool({ name, arguments: args }, { onprogress });
    const text = JSON.stringify(content);
    const [first] = content;
    return { isError, text: first?.type === 'text' ? first.text : text };
  };
  /** Of a call that is expected to succeed. */
  const document = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, any>> => {
    const { text, isError } = await call(name, args);
    expect(isError, text).toBe(false);
    return JSON.parse(text) as Record<string, any>;
  };
  return { client, call, document, told };
}

const plan = { workflow: 'change', verb: 'plan', words: ['limit-slugs', 'Slugs get a maximum length'] };
const run = 'limit-slugs';

test.each([
  { revision: '2026-07-28', mode: 'auto' },
  { revision: '2025-11-25', mode: 'legacy' },
] as const)(
  'a client of revision $revision starts a run, follows it, and reads what it made',
  async ({ revision, mode }) => {
    await repository.pawl(['trust', '--yes']);
    const first = await connect(mode);
    expect(first.client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(await first.document('list_runs')).toEqual({ runs: [] });
    expect(await first.document('start_run', plan)).toMatchObject({ working: true, run: 'change/limit-slugs' });
    expect(first.told).toEqual([expect.stringMatching(/^started: pawl change plan /)]);
    // The work goes on without the client that started it.
    await first.client.close();
    const { document, call, told } = await connect(mode);
    let status: Record<string, any>;
    do status = await document('run_status', { run, wait_seconds: 50 });
    while (status['working']);
    expect(status).toMatchObject({ phase: 'challenged', outcome: 'done', next: 'pawl change impl limit-slugs' });
    expect(told.some((message) => message.startsWith('planner (scripted) works on '))).toBe(true);
    const step = { tool: 'start_run', arguments: { workflow: 'change', verb: 'impl', words: [run] } };
    expect(await document('next_step', { run })).toMatchObject({ by: 'you', call: step });
    const { documents } = await document('run_documents', { run });
    const proposal = 'agentd/changes/limit-slugs/proposal.md';
    expect(documents).toEqual(expect.arrayContaining([proposal, 'agentd/changes/limit-slugs/STATE.yaml']));
    expect((await call('run_documents', { run, path: proposal })).text).toBe(repository.read(proposal));
    expect((await document('list_runs'))['runs']).toMatchObject([{ run, working: false, phase: 'challenged' }]);
  },
);

test('an open decision is shown with the command of a person; no tool answers or vouches', async () => {
  await repository.pawl(['new', 'workflow', 'release-notes']);
  const script = ['--agent', 'scripted', '--script', 'workflows/release-notes.rehearsal.yaml', '--no-input', '--trust'];
  const ran = await repository.pawl(['release-notes', 'start', 'first', 'What is new', ...script]);
  expect(ran.code, ran.stderr).toBe(3);
  await repository.pawl(['trust', '--yes']);
  const { client, call, document } = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'list_runs',
    'run_status',
    'next_step',
    'run_documents',
    'start_run',
    'resume_run',
  ]);
  // Every session of the client loads them: about four characters are a token.
  expect(JSON.stringify(tools).length / 4).toBeLessThan(600);
  const decision = { id: 'decide', answerWith: 'pawl answer first decide <answer>' };
  expect(await document('run_status', { run: 'first' })).toMatchObject({ decisions: [decision] });
  expect(await document('next_step', { run: 'first' })).toMatchObject({
    by: 'person',
    decisions: [decision],
    call: null,
  });
  expect((await document('run_documents', { run: 'first' }))['documents']).toContain('docs/first.md');
  for (const [flag, value] of [
    ['edits', 'keep'],
    ['trust', true],
    ['answers', 'a.yaml'],
    ['unproven', true],
  ] as const) {
    const { text, isError } = await call('start_run', {
      workflow: 'release-notes',
      verb: 'start',
      words: ['second', 'x'],
      flags: { [flag]: value },
    });
    expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringContaining('AgentNotAllowed') });
  }
  const scripted = { workflow: 'release-notes', verb: 'start', words: ['second', 'x'], flags: { agent: 'scripted' } };
  expect((await call('start_run', scripted)).text).toContain('an agent may not use --agent scripted');
  expect((await document('list_runs'))['runs']).toMatchObject([{ run: 'first' }]);
});

test('what nobody has trusted is not run, and what a person must do is told', async () => {
  const { call, document } = await connect();
  const { text, isError } = await call('start_run', plan);
  expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringContaining('fix: pawl trust') });
  expect((await call('resume_run', { run })).text).toContain('there is no run "limit-slugs"');
  expect(await document('list_runs', { all: true })).toEqual({ runs: [] });
});

test('an agent that Pawl started is refused', async () => {
  const ran = await repository.pawl(['mcp', '--json'], { env: { [dispatchMarker]: 'x' } });
  expect(ran).toMatchObject({ code: 4, stdout: expect.stringContaining('AgentNotAllowed') });
});

describe('hostile lines', () => {
  function raw() {
    const child = spawn(process.execPath, [program, 'mcp'], { cwd: repository.root, env: repository.ownEnv });
    onTestFinished(() => void child.kill());
    const said = { stderr: '' };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const send = (line: string): void => void child.stdin.write(`${line}\n`);
    const ask = async (id: number, method: string, params: object): Promise<Record<string, any>> => {
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const { value } = await lines.next();
      return JSON.parse(String(value)) as Record<string, any>;
    };
    return { child, said, send, ask };
  }

  const clientInfo = { name: 'by-hand', version: '1' };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };

  test('malformed ones, unknown tools, wrong arguments and paths that lead out are refused, and it serves on', async () => {
    repository.write('agentd/changes/own/proposal.md', 'x\n');
    repository.write('agentd/changes/own/STATE.yaml', 'change_id: own\nphase: proposed\niteration: 1\n');
    symlinkSync('/etc/passwd', join(repository.root, 'agentd/changes/own/link.md'));
    const { child, ask, send } = raw();
    for (const line of ['{', '[]', 'null', '"x"', '\u0000\u0001', '{"jsonrpc":"1.0"}', '']) send(line);
    expect(await ask(1, 'initialize', hello)).toMatchObject({ id: 1, result: { serverInfo: { name: 'pawl' } } });
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const refused = async (id: number, name: unknown, args: unknown) => {
      const { result, error } = await ask(id, 'tools/call', { name, arguments: args });
      expect(error ?? result.isError).toBeTruthy();
      return String(error?.message ?? result.content[0].text);
    };
    expect(await refused(2, 'answer', {})).toContain('There is no tool "answer" here');
    expect(await refused(3, 'run_status', { run: 7 })).toContain('run is 7; expected a text');
    expect(await refused(4, 'run_status', { runn: 'x' })).toContain('runn is not known; expected "run"');
    expect(await refused(5, 'run_status', { run: 'x', wait_seconds: 1e9 })).toContain('wait_seconds');
    expect(await refused(6, 'run_status', [])).not.toBe('');
    expect(await refused(7, 'start_run', { workflow: 'abandon', verb: 'own' })).toContain('no workflow "abandon"');
    expect(await refused(8, 'start_run', { workflow: '../x.ts', verb: 'start' })).toContain('WorkflowNotFound');
    expect(await refused(9, 'start_run', { workflow: 'change', verb: 'status' })).toContain('has no verb "status"');
    expect(await refused(10, 'start_run', { ...plan, words: ['a\0b'] })).toContain('NUL');
    for (const [at, path] of ['../../../../etc/passwd', '/etc/passwd', 'link.md', '.git/config', ''].entries())
      expect(await refused(20 + at, 'run_documents', { run: 'own', path })).not.toContain('root:');
    const linked = await refused(30, 'run_documents', { run: 'own', path: 'agentd/changes/own/link.md' });
    expect(linked).not.toContain('root:');
    for (const [at, word] of ['../own', '/', 'change/../x', '-x', 'a'.repeat(10_000)].entries())
      await refused(40 + at, 'run_status', { run: word });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a message without an end is not collected: the connection ends', async () => {
    const { child, said } = raw();
    const ended = once(child, 'exit');
    child.stdin.on('error', () => {});
    child.stdin.write('x'.repeat(2 * 1024 * 1024));
    expect(await ended).toEqual([2, null]);
    expect(said.stderr).toContain('exceeded maximum size');
  });
});
