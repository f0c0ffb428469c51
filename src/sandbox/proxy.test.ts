/** The proxy of boxes, without a box: real connections on this computer. */

import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type Server as NetServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createProxy, upstreamProxy } from './proxy.ts';

const servers: (Server | NetServer)[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listening(server: Server | NetServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** What a proxy answers to this text, until it says no more. */
function said(port: number, text: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    socket.on('close', () => done(answer)).on('error', () => {});
    socket.write(text);
  });
}

const proxyFor = (allow: readonly string[], upstream: string | null = null, denied: string[] = []): Promise<number> =>
  listening(createProxy(() => [{ allow, onDenied: (target) => denied.push(target) }], upstream));

test('plain HTTP is passed on to an allowed host, under that host and without the words for the proxy', async () => {
  const seen: unknown[] = [];
  const port = await listening(
    createHttpServer(({ url, headers }, response) => {
      seen.push(url, headers.host, headers['proxy-authorization']);
      response.end('answered');
    }),
  );
  const proxy = await proxyFor([`127.0.0.1:${port}`]);
  const request = `GET http://127.0.0.1:${port}/a?b HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: x\r\nConnection: close\r\n\r\n`;
  expect(await said(proxy, request)).toContain('answered');
  expect(seen).toEqual(['/a?b', `127.0.0.1:${port}`, undefined]);
});

test('plain HTTP to any other host, or to the proxy itself, is refused and told', async () => {
  const denied: string[] = [];
  const proxy = await proxyFor(['allowed.example:80'], null, denied);
  for (const url of ['http://evil.example/', '/', 'http://allowed.example:81/'])
    expect(await said(proxy, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain('403');
  expect(denied).toEqual(['evil.example:80', '?', 'allowed.example:81']);
});

test("connections to other computers go through the user's own proxy, with its login (N2)", async () => {
  let asked = '';
  const upstream = await listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        asked = String(data);
        socket.end('HTTP/1.1 200 OK\r\n\r\nthrough');
      });
    }),
  );
  const proxy = await proxyFor(['allowed.example'], `http://me:pass@127.0.0.1:${upstream}`);
  expect(await said(proxy, 'CONNECT allowed.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/ 200 [^]*through$/);
  expect(asked).toBe(
    `CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\nProxy-Authorization: Basic ${Buffer.from('me:pass').toString('base64')}\r\n\r\n`,
  );
});

test('the proxy of the user is taken from the environment where it speaks HTTP', () => {
  expect(upstreamProxy({ HTTPS_PROXY: 'http://proxy.example:8080' })).toBe('http://proxy.example:8080');
  expect(upstreamProxy({ https_proxy: 'socks5://proxy.example' })).toBe(null);
  expect(upstreamProxy({})).toBe(null);
});
