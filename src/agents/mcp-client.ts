/**
 * The least of an MCP client: revision 2025-11-25 over streamable HTTP, tools only. For programs of our own.
 *
 * Written by hand because the scripted agent is started hundreds of times in a test run
 * and the SDK takes longer to load than a turn takes to play.
 */

import type { Agent, IncomingMessage } from 'node:http';
import { isRecord } from '../schema/values.ts';

const protocolVersion = '2025-11-25';
const answerMsMax = 300_000;

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** Of its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface McpClient {
  list(): Promise<readonly McpTool[]>;
  /** A tool's own error is a result; a server that cannot be reached or refuses is an exception. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>;
  close(): void;
}

export async function connectMcp(url: string, token: string): Promise<McpClient> {
  // Loaded only here: it is most of what a turn without calls would pay for starting.
  const http = await import('node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const connection = new Connection({ request: http.request, agent, url, token });
  const client = { protocolVersion, capabilities: {}, clientInfo: { name: 'pawl', version: '1' } };
  await connection.request('initialize', client);
  await connection.notify('notifications/initialized');
  return {
    async list() {
      const result = await connection.request('tools/list', {});
      const tools: unknown[] = isRecord(result) && Array.isArray(result['tools']) ? result['tools'] : [];
      return tools.filter(isRecord).map(({ name, description, inputSchema }) => ({
        name: String(name),
        description: typeof description === 'string' ? description : '',
        schema: isRecord(inputSchema) ? inputSchema : {},
      }));
    },
    async call(tool, args) {
      const result = await connection.request('tools/call', { name: tool, arguments: args });
      const { content, isError } = isRecord(result) ? result : {};
      const parts: unknown[] = Array.isArray(content) ? content : [];
      const texts = parts.map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''));
      return { text: texts.join('\n'), isError: isError === true };
    },
    close: () => agent.destroy(),
  };
}

interface Endpoint {
  readonly request: typeof import('node:http').request;
  readonly agent: Agent;
  readonly url: string;
  readonly token: string;
}

class Connection {
  private readonly endpoint: Endpoint;
  private session: string | undefined;
  private lastId = 0;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  async request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const id = ++this.lastId;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params });
    const message = answerTo(id, answer);
    if (isRecord(message['error'])) throw new Error(`${method}: ${String(message['error']['message'])}`);
    return message['result'];
  }

  async notify(method: string): Promise<void> {
    await this.post({ jsonrpc: '2.0', method });
  }

  private post(message: unknown): Promise<Answer> {
    const { request, agent, url, token } = this.endpoint;
    const body = JSON.stringify(message);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      ...(this.session !== undefined && { 'mcp-session-id': this.session }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers, timeout: answerMsMax });
      sent.once('timeout', () => sent.destroy(new Error(`no answer within ${answerMsMax} ms`)));
      sent.once('error', reject);
      sent.once('response', (response) => {
        const session = response.headers['mcp-session-id'];
        if (typeof session === 'string') this.session = session;
        readAnswer(response).then(resolve, reject);
      });
      sent.end(body);
    });
  }
}

interface Answer {
  readonly isStream: boolean;
  readonly text: string;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const status = response.statusCode ?? 0;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text.trim()}`);
  return { isStream: (response.headers['content-type'] ?? '').startsWith('text/event-stream'), text };
}

/** A JSON answer is one message; in a stream each event's data is one, ours perhaps after notifications. */
function answerTo(id: number, { isStream, text }: Answer): Record<string, unknown> {
  const documents = isStream ? eventData(text) : [text];
  const messages = documents.map((document): unknown => JSON.parse(document));
  const message = messages.find((each) => isRecord(each) && each['id'] === id);
  if (isRecord(message)) return message;
  throw new Error(`the server did not answer request ${id}`);
}

function eventData(stream: string): string[] {
  const events = stream.split(/\r?\n\r?\n/);
  const data = events.map((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n');
  });
  return data.filter((text) => text !== '');
}
