import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { connectMcp } from './mcp-client.ts';

interface Heard {
  readonly headers: IncomingMessage['headers'];
  readonly message: { id?: number; method: string; params?: unknown };
}

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers every request as told. */
async function serverThat(
  answer: (heard: Heard, response: ServerResponse) => void,
): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const one = { headers: request.headers, message: JSON.parse(text) };
      heard.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/mcp`, heard };
}

function resultOf({ message }: Heard): string {
  const result =
    message.method === 'initialize' ? { protocolVersion: '2025-11-25' } : { content: [{ type: 'text', text: 'grün' }] };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
}

const answers = {
  json: (heard: Heard, response: ServerResponse) => {
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'mcp-session-id': 's-1' })
      .end(resultOf(heard));
  },
  stream: (heard: Heard, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 0\ndata: \n\n: keep-alive\n\n');
    response.write('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
    response.end(`event: message\r\ndata:${resultOf(heard).replace(',"result"', ',\r\ndata: "result"')}\r\n\r\n`);
  },
};

test.each(['json', 'stream'] as const)('understands an answer as %s', async (form) => {
  const { url, heard } = await serverThat((one, response) => {
    if (one.message.id === undefined) response.writeHead(202).end();
    else answers[form](one, response);
  });
  const client = await connectMcp(url, 'secret');
  expect(await client.call('report', { a: 1 })).toEqual({ text: 'grün', isError: false });
  client.close();
  expect(heard.map(({ message }) => message.method)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  expect(heard.every(({ headers }) => headers.authorization === 'Bearer secret')).toBe(true);
  expect(heard[2]?.message.params).toEqual({ name: 'report', arguments: { a: 1 } });
  expect(heard[2]?.headers['mcp-protocol-version']).toBe('2025-11-25');
  expect(heard[2]?.headers['mcp-session-id']).toBe(form === 'json' ? 's-1' : undefined);
});

test('a refusal, an RPC error and an answer to something else are exceptions', async () => {
  const refused = await serverThat((_heard, response) => response.writeHead(401).end('no'));
  await expect(connectMcp(refused.url, 'x')).rejects.toThrow('HTTP 401: no');
  const wrong = await serverThat(({ message }, response) => {
    const error = { code: -32602, message: 'bad params' };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
  });
  await expect(connectMcp(wrong.url, 'x')).rejects.toThrow('initialize: bad params');
  const deaf = await serverThat((_heard, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":99,"result":{}}');
  });
  await expect(connectMcp(deaf.url, 'x')).rejects.toThrow('did not answer request 1');
});

test('a server that is gone is an exception', async () => {
  await expect(connectMcp('http://127.0.0.1:1/mcp', 'x')).rejects.toThrow('ECONNREFUSED');
});
