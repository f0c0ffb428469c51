/**
 * The outer end of the network of boxes: answers `CONNECT host:port` and plain HTTP requests from an allow-list.
 *
 * N1. What is not on the list of a running box is refused and told, never connected to.
 * N2. Behind a proxy of the user's, connections to other computers go through that one.
 */

import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAllowed, readAuthority, type Target } from './allow-list.ts';

export interface ProxyRules {
  readonly allow: readonly string[];
  /** `host:port`, once for each. */
  readonly onDenied: (target: string) => void;
}

const connectMsMax = 30_000;
const shownCharsMax = 80;

/** `upstream`: the URL of the user's own proxy. */
export function createProxy(rules: () => readonly ProxyRules[], upstream: string | null): Server {
  const server = createServer();
  const permitted = (authority: string): Target | null => {
    const target = readAuthority(authority);
    const running = rules();
    if (target !== null && running.some(({ allow }) => isAllowed(target, allow))) return target;
    for (const { onDenied } of running) onDenied(shown(authority));
    return null;
  };
  server.on('connect', (request, client, head) => {
    const target = permitted(request.url ?? '');
    if (target === null) return refuse(client, request.url ?? '');
    tunnel(target, client, { head, upstream });
  });
  server.on('request', (request, response) => {
    const target = permitted(authorityOf(request.url ?? ''));
    if (target === null) return respond(response, 403, denial(authorityOf(request.url ?? '')));
    passOn(request, response, target);
  });
  return server;
}

/** N1. */
function refuse(client: Duplex, authority: string): void {
  client.on('error', () => {});
  const text = denial(authority);
  client.end(
    `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
  );
}

function denial(authority: string): string {
  return `Pawl's sandbox does not allow ${shown(authority)}; add it to [network] allow in pawl.toml\n`;
}

/** As it may be shown anywhere: whoever asks chooses the bytes. */
function shown(authority: string): string {
  return authority.replace(/[^\w.:[\]*-]/g, '?').slice(0, shownCharsMax);
}

function tunnel(target: Target, client: Duplex, { head, upstream }: { head: Buffer; upstream: string | null }): void {
  const server = open(target, upstream);
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  let isConnected = false;
  const timer = setTimeout(end, connectMsMax).unref();
  server.on('error', () => {
    if (isConnected) return end();
    client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
  });
  client.on('error', end);
  client.on('close', () => server.destroy());
  server.on('close', () => isConnected && client.destroy());
  server.once('connect', () => {
    isConnected = true;
    clearTimeout(timer);
    if (viaUpstream(target, upstream))
      server.write(
        `CONNECT ${target.host}:${target.port} HTTP/1.1\r\nHost: ${target.host}:${target.port}\r\n${loginOf(upstream)}\r\n`,
      );
    else client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.write(head);
    server.pipe(client);
    client.pipe(server);
  });
}

/** N2. */
function viaUpstream({ host }: Target, upstream: string | null): upstream is string {
  return upstream !== null && !['127.0.0.1', 'localhost', '[::1]'].includes(host);
}

function open(target: Target, upstream: string | null): Socket {
  if (!viaUpstream(target, upstream)) {
    return connect({ host: target.host.replace(/^\[|\]$/g, ''), port: target.port, allowHalfOpen: true });
  }
  const { hostname, port } = new URL(upstream);
  return connect({ host: hostname, port: Number(port || 80), allowHalfOpen: true });
}

function loginOf(upstream: string): string {
  const { username, password } = new URL(upstream);
  if (username === '') return '';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
}

function authorityOf(url: string): string {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) return url;
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || '80'}`;
}

function passOn(request: IncomingMessage, response: ServerResponse, { host, port }: Target): void {
  const { pathname, search } = new URL(request.url ?? '');
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers;
  const options = {
    host,
    port,
    method: request.method,
    path: `${pathname}${search}`,
    timeout: connectMsMax,
    headers: { ...headers, host: port === 80 ? host : `${host}:${port}` },
  };
  const onward = httpRequest(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => respond(response, 502, 'the host does not answer\n'));
  request.pipe(onward);
}

function respond(response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(text);
}

/** N2: the URL of the user's own proxy, of the one kind that is spoken here; null for none. */
export function upstreamProxy(environment: Readonly<Record<string, string | undefined>>): string | null {
  const url = environment['HTTPS_PROXY'] ?? environment['https_proxy'] ?? '';
  return URL.canParse(url) && new URL(url).protocol === 'http:' ? url : null;
}

/** By which programs in a box know of the proxy; what ignores them has no network. */
export function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const direct = '127.0.0.1,localhost';
  return {
    ...Object.fromEntries(['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'].map((name) => [name, url])),
    NO_PROXY: direct,
    no_proxy: direct,
    // Node's own fetch, from version 24 on.
    NODE_USE_ENV_PROXY: '1',
  };
}
