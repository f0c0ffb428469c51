/**
 * The tool server agents file their reports through: MCP over streamable HTTP, both current revisions.
 *
 * M1. A token names one dispatch: its tools are all that is listed and callable with it.
 * M2. Once a dispatch is closed its token is dead, and no call to its handler starts or is still running.
 * M3. Nothing a client sends and nothing a handler throws ends the server.
 * M5. Connections are limited; one that has not shown a token yet gives way to a newer one, so that nobody who only
 *     connects can keep an agent out.
 * M4. Only a client that addresses this machine by a loopback name is heard, so that no web page can be one.
 */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { ToolCallHandler, ToolResult, ToolServer } from '../runtime/host.ts';

const requestBytesMax = 4 * 1024 * 1024;
const connectionsMax = 1_024;
const strangersMax = 128;
/** A request's header, and all of it. */
const headerMsMax = 10_000;
const requestMsMax = 60_000;
const path = '/mcp';
/** The tools' own version, which is not the package's. */
const serverInfo = { name: 'pawl', version: '1' };

export async function startToolServer(): Promise<ToolServer> {
  const dispatches: Dispatches = new Map();
  /** Connections that have not shown a token, oldest first. */
  const strangers = new Set<Socket>();
  const timeouts = { headersTimeout: headerMsMax, requestTimeout: requestMsMax, connectionsCheckingInterval: 5_000 };
  const http = createServer(timeouts, (request, response) => {
    serve(request, response, { dispatches, strangers }).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'the tool server could not answer');
    });
  });
  http.maxConnections = connectionsMax;
  http.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > strangersMax) oldest?.destroy();
  });
  http.on('clientError', (_error, socket) => socket.destroy());
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const address = http.address();
  if (typeof address !== 'object' || address === null) throw new Error('the tool server has no port');
  return {
    url: `http://127.0.0.1:${address.port}${path}`,
    open(handler) {
      const token = randomBytes(32).toString('base64url');
      const dispatch = new Dispatch(handler);
      dispatches.set(keyOf(token), dispatch);
      const close = (): Promise<void> => {
        dispatches.delete(keyOf(token));
        return dispatch.close();
      };
      return { token, close };
    },
    async close() {
      const open = [...dispatches.values()];
      dispatches.clear();
      await Promise.all(open.map((dispatch) => dispatch.close()));
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
    },
  };
}

type Dispatches = Map<string, Dispatch>;

/** Tokens are looked up by their hash: how long a lookup takes tells nothing about a token. */
function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

class Dispatch {
  open = true;
  readonly #handler: ToolCallHandler;
  readonly #running = new Set<Promise<unknown>>();
  readonly #mcp: Promise<McpHttpHandler>;

  constructor(handler: ToolCallHandler) {
    this.#handler = handler;
    this.#mcp = this.#load();
    // The load begins while the agent starts; whether it failed, the first request tells.
    this.#mcp.catch(() => {});
  }

  /** The SDK takes longer to load than most commands take altogether, so it waits for the first dispatch. */
  async #load(): Promise<McpHttpHandler> {
    const sdk = await import('@modelcontextprotocol/server');
    const factory = () => {
      // The low-level server, so that schemas and messages stay ours.
      const server = new sdk.Server(serverInfo, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({
        tools: this.#handler.tools.map(({ schema, ...tool }) => ({ ...tool, inputSchema: { ...schema } })),
      }));
      server.setRequestHandler('tools/call', async ({ params }) => {
        const { text, isError } = await this.#call(params.name, params.arguments ?? {});
        return { content: [{ type: 'text', text }], isError };
      });
      return server;
    };
    return sdk.createMcpHandler(factory, { maxRequestBodySize: requestBytesMax });
  }

  async #call(tool: string, args: Record<string, unknown>): Promise<ToolResult> {
    if (!this.open) return { text: 'This dispatch has ended: nothing can be filed any more.', isError: true };
    const names = this.#handler.tools.map(({ name }) => name);
    if (!names.includes(tool)) {
      return { text: `There is no tool "${tool}" here. Available: ${names.join(', ') || 'none'}.`, isError: true };
    }
    try {
      return await this.#tracked(this.#handler.call(tool, args));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { text: `The tool "${tool}" failed inside Pawl, its effect is not certain: ${reason}`, isError: true };
    }
  }

  refused(why: string): void {
    if (this.open) this.#handler.refused?.(why);
  }

  /** Null when the dispatch has ended meanwhile. */
  async fetch(request: () => Request): Promise<Response | null> {
    const mcp = await this.#mcp;
    return this.open ? this.#tracked(mcp.fetch(request())) : null;
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  async close(): Promise<void> {
    this.open = false;
    await Promise.allSettled(this.#running);
    await this.#mcp.then((mcp) => mcp.close()).catch(() => {});
  }
}

interface Clients {
  readonly dispatches: Dispatches;
  readonly strangers: Set<Socket>;
}

async function serve(request: IncomingMessage, response: ServerResponse, clients: Clients): Promise<void> {
  const { host, origin } = request.headers;
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${request.socket.localPort}`);
  if (host === undefined || !names.includes(host.toLowerCase()))
    return refuse(response, 403, 'the Host header is not this server');
  if (origin !== undefined && !names.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return refuse(response, 403, 'the Origin header is not this server');
  }
  if (request.url?.split('?', 1)[0] !== path) return refuse(response, 404, `the tools are at ${path}`);
  const token = /^bearer +([\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const dispatch = clients.dispatches.get(keyOf(token));
  if (!dispatch) return refuse(response, 401, 'no open dispatch has this bearer token');
  clients.strangers.delete(request.socket);
  const body = await readBody(request);
  if (body === null) {
    const why = `a request has at most ${requestBytesMax} bytes`;
    dispatch.refused(why);
    return refuse(response, 413, why);
  }
  const answer = await dispatch.fetch(() => webRequest(request, response, body));
  if (answer === null) return refuse(response, 401, 'this dispatch has ended');
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body), response);
}

/** Null when it is too large; the rest is read and dropped, so that the client hears the refusal. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= requestBytesMax) continue;
    request.resume();
    return null;
  }
  return Buffer.concat(chunks);
}

/** Node's request as the web-standard one of the SDK; aborted when its client goes away before it is answered. */
function webRequest(request: IncomingMessage, response: ServerResponse, body: Buffer): Request {
  const { method = 'GET', headersDistinct, headers, url } = request;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((each) => [name, each]));
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const init = { method, headers: new Headers(fields), signal: gone.signal, ...(hasBody && { body }) };
  return new Request(`http://${headers.host}${url}`, init);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const challenge = status === 401 && { 'www-authenticate': 'Bearer' };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}
