import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolAccess, ToolCallHandler, ToolServer } from '../runtime/host.ts';
import { startToolServer } from './tool-server.ts';

let server: ToolServer;

beforeEach(async () => {
  server = await startToolServer();
});

afterEach(async () => {
  await server.close();
});

const schema = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['approved', 'rejected'] } },
  required: ['status'],
} as const;

function handlerOf(names: readonly string[], call?: ToolCallHandler['call']): ToolCallHandler {
  return {
    tools: names.map((name) => ({ name, description: `files ${name}`, schema })),
    call: call ?? ((tool, args) => Promise.resolve({ text: `${tool} ${JSON.stringify(args)}`, isError: false })),
  };
}

/** A 2025-11-25 client by hand: no SDK on this side. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly message: { result?: Record<string, unknown>; error?: { code: number; message: string } };
}

async function post(token: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const json = type.startsWith('text/event-stream') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}') : text || '{}';
  return { status: response.status, type, message: JSON.parse(json) };
}

function rpc(method: string, params: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

function call(name: string, args: Record<string, unknown> = {}) {
  return rpc('tools/call', { name, arguments: args });
}

describe('revision 2025-11-25', () => {
  test('initialize, initialized, list, call', async () => {
    const { token } = server.open(handlerOf(['append_review']));
    const clientInfo = { name: 'by-hand', version: '1' };
    const initialized = await post(
      token,
      rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
    );
    expect(initialized.message.result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'pawl' },
      capabilities: { tools: {} },
    });
    const notified = await post(token, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(notified.status).toBe(202);
    const listed = await post(token, rpc('tools/list'));
    expect(listed.message.result?.['tools']).toEqual([
      { name: 'append_review', description: 'files append_review', inputSchema: schema },
    ]);
    const called = await post(token, call('append_review', { status: 'approved' }));
    expect(called.message.result).toMatchObject({
      content: [{ type: 'text', text: 'append_review {"status":"approved"}' }],
      isError: false,
    });
  });

  test('a GET for a server-sent stream is refused: nothing is pushed (attack 3.3)', async () => {
    const { token } = server.open(handlerOf([]));
    const response = await fetch(server.url, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(405);
  });
});

/** `auto` probes for the modern revision first; an entry without it is the plain handshake. */
describe.each([
  { revision: '2026-07-28', versionNegotiation: { mode: 'auto' as const } },
  { revision: '2025-11-25', versionNegotiation: { mode: 'legacy' as const } },
])('the official client on revision $revision', ({ revision, versionNegotiation }) => {
  async function connectClient(token: string): Promise<Client> {
    const client = new Client({ name: 'official', version: '1' }, { versionNegotiation });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
    return client;
  }

  test('lists, calls, and hears of mistakes as results', async () => {
    const { token } = server.open(handlerOf(['create_review']));
    const client = await connectClient(token);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['create_review']);
    const called = await client.callTool({ name: 'create_review', arguments: { status: 'approved' } });
    expect(called).toMatchObject({
      content: [{ type: 'text', text: 'create_review {"status":"approved"}' }],
      isError: false,
    });
    const unknown = await client.callTool({ name: 'append_review', arguments: {} });
    expect(unknown).toMatchObject({
      content: [{ text: 'There is no tool "append_review" here. Available: create_review.' }],
      isError: true,
    });
    await client.close();
  });

  test('a call in flight when the dispatch is closed is answered (M2)', async () => {
    const gate = gateOf();
    const { token, close } = server.open(handlerOf(['report'], gate.call));
    const client = await connectClient(token);
    const answer = client.callTool({ name: 'report', arguments: {} });
    await gate.entered;
    const closed = close();
    gate.pass();
    await closed;
    expect(await answer).toMatchObject({ content: [{ text: 'passed' }] });
    await client.close();
  });
});

function gateOf() {
  let pass = () => {};
  let enter = () => {};
  const passed = new Promise<void>((resolve) => (pass = resolve));
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const gate = { ended: 0, entered, pass: () => pass(), call: pending };
  async function pending() {
    enter();
    await passed;
    gate.ended++;
    return { text: 'passed', isError: false };
  }
  return gate;
}

describe('tokens', () => {
  test('each names its own dispatch (M1, attack 3.6)', async () => {
    const planner = server.open(handlerOf(['create_proposal']));
    const reviewer = server.open(handlerOf(['create_review']));
    expect(planner.token).not.toBe(reviewer.token);
    expect(Buffer.from(planner.token, 'base64url')).toHaveLength(32);
    const listed = await post(reviewer.token, rpc('tools/list'));
    expect(listed.message.result?.['tools']).toMatchObject([{ name: 'create_review' }]);
    const foreign = await post(reviewer.token, call('create_proposal'));
    expect(foreign.message.result).toMatchObject({ isError: true });
  });

  test('unknown, missing and malformed ones are refused (attack 3.1)', async () => {
    const { token } = server.open(handlerOf(['report']));
    for (const wrong of ['', 'x', `${token}x`, token.slice(1), token.toUpperCase()]) {
      expect((await post(wrong, call('report'))).status).toBe(401);
    }
    for (const authorization of [token, `Basic ${token}`, 'Bearer', `Bearer ${token} ${token}`]) {
      expect((await post('', call('report'), { authorization })).status).toBe(401);
    }
    expect((await post('', call('report'), { authorization: `bearer ${token}` })).status).toBe(200);
  });

  test('a closed dispatch is dead, the others are not (M2, attack 3.14)', async () => {
    const first = server.open(handlerOf(['report']));
    const second = server.open(handlerOf(['report']));
    await first.close();
    expect((await post(first.token, call('report'))).status).toBe(401);
    expect((await post(second.token, call('report'))).status).toBe(200);
    await first.close();
  });

  test('closing waits for the call in flight and refuses those behind it (M2)', async () => {
    const gate = gateOf();
    const access: ToolAccess = server.open(handlerOf(['report'], gate.call));
    const answer = post(access.token, call('report'));
    await gate.entered;
    const closed = access.close().then(() => gate.ended);
    expect((await post(access.token, call('report'))).status).toBe(401);
    expect(gate.ended).toBe(0);
    gate.pass();
    expect(await closed).toBe(1);
    expect((await answer).message.result).toMatchObject({ content: [{ text: 'passed' }] });
  });

  test('a request whose body is still coming when the dispatch is closed reaches no handler (M2)', async () => {
    let calls = 0;
    const access = server.open(handlerOf(['report'], () => Promise.resolve({ text: String(++calls), isError: false })));
    const body = JSON.stringify(call('report'));
    const headers = {
      authorization: `Bearer ${access.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const slow = httpRequest(server.url, { method: 'POST', headers });
    slow.write(body.slice(0, 10));
    await post(access.token, rpc('tools/list'));
    await access.close();
    slow.end(body.slice(10));
    const [response] = await once(slow, 'response');
    expect(response.statusCode).toBe(401);
    response.resume();
    expect(calls).toBe(0);
  });
});

describe('who is heard (M4)', () => {
  /** `fetch` does not let Host be set. */
  async function statusOf(headers: Record<string, string>, target = '/mcp'): Promise<number> {
    const { port } = new URL(server.url);
    const sent = httpRequest({
      host: '127.0.0.1',
      port,
      path: target,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.end('{}');
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  }

  test('Host and Origin must be this server, by either of its names (attack 3.2)', async () => {
    const { port } = new URL(server.url);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await statusOf({ host: `localhost:${port}` })).toBe(401);
    expect(await statusOf({ host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` })).toBe(401);
    expect(await statusOf({ host: 'evil.example' })).toBe(403);
    expect(await statusOf({ host: `evil.example:${port}` })).toBe(403);
    expect(await statusOf({ host: `127.0.0.1:${Number(port) + 1}` })).toBe(403);
    expect(await statusOf({ host: '127.0.0.1' })).toBe(403);
    for (const origin of [
      'http://evil.example',
      'null',
      `https://localhost:${port}`,
      `http://localhost:${port}.evil.example`,
    ]) {
      expect(await statusOf({ origin })).toBe(403);
    }
  });

  test('another path does not exist (attack 3.3)', async () => {
    expect(await statusOf({}, '/')).toBe(404);
    expect(await statusOf({}, '/.well-known/oauth-protected-resource')).toBe(404);
    expect(await statusOf({}, '/mcp?x=1')).toBe(401);
  });
});

describe('nothing ends the server (M3)', () => {
  let access: ToolAccess;

  beforeEach(() => {
    access = server.open(
      handlerOf(['report', 'throw', 'reject'], (tool) => {
        if (tool === 'throw') throw new Error('the disk is full');
        if (tool === 'reject') return Promise.reject(new TypeError('no such thing'));
        return Promise.resolve({ text: 'filed', isError: false });
      }),
    );
  });

  afterEach(async () => {
    expect((await post(access.token, call('report'))).message.result).toMatchObject({ content: [{ text: 'filed' }] });
  });

  test('a handler that throws is answered with an error result', async () => {
    const thrown = await post(access.token, call('throw'));
    expect(thrown.message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the disk is full') }],
    });
    const rejected = await post(access.token, call('reject'));
    expect(rejected.message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no such thing') }],
    });
  });

  test('broken JSON, wrong media types and arguments that are no map are refused (attack 3.4)', async () => {
    expect((await post(access.token, '{"jsonrpc":')).status).toBe(400);
    expect((await post(access.token, call('report'), { 'content-type': 'text/plain' })).status).toBe(415);
    const answer = await post(access.token, rpc('tools/call', { name: 'report', arguments: ['x'] }));
    expect(answer.message.error).toMatchObject({ code: -32602 });
  });

  test('a body over the limit is refused, announced or not (attack 3.9)', async () => {
    const filler = 'x'.repeat(4 * 1024 * 1024);
    const announced = await post(access.token, call('report', { filler })).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    // The client may still be sending when it is refused.
    expect([413, 'fetch failed']).toContain(announced);
    const sent = httpRequest(server.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => {});
    sent.write(filler);
    sent.write(filler);
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(413);
    sent.destroy();
  });

  test('a large report within the limit arrives whole', async () => {
    let length = 0;
    const { token } = server.open(
      handlerOf(['report'], (_tool, args) => {
        length = String(args['content']).length;
        return Promise.resolve({ text: 'ok', isError: false });
      }),
    );
    await post(token, call('report', { content: 'ä'.repeat(1_000_000) }));
    expect(length).toBe(1_000_000);
  });

  test('clients that talk nonsense or go away in the middle', async () => {
    const { port } = new URL(server.url);
    const nonsense = connect(Number(port), '127.0.0.1');
    nonsense.on('error', () => {});
    nonsense.end('\x00\x01 nonsense\r\n\r\n');
    await once(nonsense.resume(), 'close');
    const gone = httpRequest(server.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json', 'content-length': 1000 },
    });
    gone.on('error', () => {});
    await new Promise<void>((resolve) => gone.write('{', () => resolve()));
    gone.destroy();
  });
});

test('closing the server frees its port and ends idle connections', async () => {
  const other = await startToolServer();
  const { port } = new URL(other.url);
  const idle = connect(Number(port), '127.0.0.1');
  await once(idle, 'connect');
  await other.close();
  await once(idle.resume(), 'close');
  await expect(fetch(other.url)).rejects.toThrow('fetch failed');
});

test('M5: who only connects does not keep an agent out, and does not pile up (attack 3.10)', async () => {
  const { token } = server.open(handlerOf(['report']));
  const { port } = new URL(server.url);
  const idle = Array.from({ length: 400 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const answered = await post(token, call('report', { status: 'approved' }));
  expect(answered.status).toBe(200);
  const closed = () => idle.filter((socket) => socket.closed || socket.readableEnded || socket.destroyed).length;
  for (const socket of idle) socket.resume();
  while (closed() < 400 - 128) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const socket of idle) socket.destroy();
  expect((await post(token, call('report', { status: 'approved' }))).status).toBe(200);
});
