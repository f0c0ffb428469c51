/**
 * The tool server agents file their reports through: MCP over streamable HTTP, both current revisions.
 *
 * M1. A token names one dispatch: its tools are all that is listed and callable with it.
 * M2. Once a dispatch is closed its token is dead, and no call to its handler starts or is still running.
 * M3. Nothing a client sends and nothing a handler throws ends the server.
 * M4. Only a client that addresses this machine by a loopback name is heard, so that no web page can be one.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { McpHttpHandler, Server } from '@modelcontextprotocol/server';
import type { ToolCallHandler, ToolResult, ToolServer } from '../runtime/host.ts';

const requestBytesMax = 4 * 1024 * 1024;
const path = '/mcp';
/** The tools' own version, which is not the package's. */
const serverInfo = { name: 'pawl', version: '1' };

interface Dispatch {
  readonly handler: ToolCallHandler;
  readonly running: Set<Promise<unknown>>;
  readonly mcp: Promise<McpHttpHandler>;
  open: boolean;
}

export async function startToolServer(): Promise<ToolServer> {
  const dispatches = new Map<string, Dispatch>();
  let names: readonly string[] = [];
  const http = createServer((request, response) => {
    serve(request, response, { names, dispatches }).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'the tool server could not answer');
    });
  });
  http.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(http);
  names = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    url: `http://127.0.0.1:${port}${path}`,
    open(handler) {
      const token = randomBytes(32).toString('base64url');
      const key = keyOf(token);
      const dispatch = openDispatch(handler);
      dispatches.set(key, dispatch);
      const close = (): Promise<void> => {
        dispatches.delete(key);
        return closeDispatch(dispatch);
      };
      return { token, close };
    },
    async close() {
      const open = [...dispatches.values()];
      dispatches.clear();
      await Promise.all(open.map(closeDispatch));
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}

function listen(http: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', () => {
      const address = http.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('the tool server has no port'));
    });
  });
}

/** Tokens are looked up by their hash: how long a lookup takes tells nothing about a token. */
function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

function openDispatch(handler: ToolCallHandler): Dispatch {
  const mcp = loadMcpHandler(() => dispatch);
  // The load begins while the agent starts; whether it failed, the first request tells.
  mcp.catch(() => {});
  const dispatch: Dispatch = { handler, running: new Set(), mcp, open: true };
  return dispatch;
}

async function closeDispatch(dispatch: Dispatch): Promise<void> {
  dispatch.open = false;
  await Promise.allSettled(dispatch.running);
  await dispatch.mcp.then((mcp) => mcp.close()).catch(() => {});
}

/** The SDK takes longer to load than most commands take altogether, so it waits for the first dispatch. */
async function loadMcpHandler(dispatch: () => Dispatch): Promise<McpHttpHandler> {
  const sdk = await import('@modelcontextprotocol/server');
  const factory = () => serverFor(new sdk.Server(serverInfo, { capabilities: { tools: {} } }), dispatch());
  return sdk.createMcpHandler(factory, { maxRequestBodySize: requestBytesMax });
}

/** The low-level server, so that schemas and messages stay ours. */
function serverFor(server: Server, dispatch: Dispatch): Server {
  server.setRequestHandler('tools/list', () => ({
    tools: dispatch.handler.tools.map(({ schema, ...tool }) => ({ ...tool, inputSchema: { ...schema } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { text, isError } = await callTool(dispatch, params.name, params.arguments ?? {});
    return { content: [{ type: 'text', text }], isError };
  });
  return server;
}

async function callTool(dispatch: Dispatch, tool: string, args: Record<string, unknown>): Promise<ToolResult> {
  if (!dispatch.open) return { text: 'This dispatch has ended: nothing can be filed any more.', isError: true };
  const names = dispatch.handler.tools.map(({ name }) => name);
  if (!names.includes(tool)) {
    return { text: `There is no tool "${tool}" here. Available: ${names.join(', ') || 'none'}.`, isError: true };
  }
  try {
    return await tracked(dispatch, dispatch.handler.call(tool, args));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { text: `The tool "${tool}" failed inside Pawl, its effect is not certain: ${reason}`, isError: true };
  }
}

async function tracked<T>({ running }: Dispatch, work: Promise<T>): Promise<T> {
  running.add(work);
  try {
    return await work;
  } finally {
    running.delete(work);
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { names, dispatches }: { names: readonly string[]; dispatches: ReadonlyMap<string, Dispatch> },
): Promise<void> {
  const { host, origin } = request.headers;
  if (host === undefined || !names.includes(host.toLowerCase()))
    return refuse(response, 403, 'the Host header is not this server');
  if (origin !== undefined && !names.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return refuse(response, 403, 'the Origin header is not this server');
  }
  if (request.url?.split('?', 1)[0] !== path) return refuse(response, 404, `the tools are at ${path}`);
  const token = /^bearer +([\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const dispatch = dispatches.get(keyOf(token));
  if (!dispatch) return refuse(response, 401, 'no open dispatch has this bearer token');
  const body = await readBody(request);
  if (body === null) return refuse(response, 413, `a request has at most ${requestBytesMax} bytes`);
  const mcp = await dispatch.mcp;
  if (!dispatch.open) return refuse(response, 401, 'this dispatch has ended');
  await send(await tracked(dispatch, mcp.fetch(webRequest(request, response, body))), response);
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

async function send(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  to.flushHeaders();
  if (from.body === null) to.end();
  else await pipeline(Readable.fromWeb(from.body), to);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const challenge = status === 401 && { 'www-authenticate': 'Bearer' };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}
