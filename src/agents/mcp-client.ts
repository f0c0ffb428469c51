/**
 * The least of an MCP client: revision 2025-11-25 over streamable HTTP, tools only. For programs of our own.
 *
 * Written by hand because the scripted agent is started hundreds of times in a test run
 * and the SDK takes longer to load than a turn takes to play.
 */

import type { IncomingMessage } from 'node:http';
import { isRecord } from '../schema/values.ts';
import { inner, items, texts, type Json } from './json-line.ts';

const protocolVersion = '2025-11-25';
const answerMsMax = 300_000;

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** Of its arguments. */
  readonly schema: Json;
}

export interface McpClient {
  list(): Promise<readonly McpTool[]>;
  /** A tool's own error is a result; a server that cannot be reached or refuses is an exception. */
  call(tool: string, args: Json): Promise<{ text: string; isError: boolean }>;
  close(): void;
}

export async function connectMcp(url: string, token: string): Promise<McpClient> {
  // Loaded only here: it is most of what a turn without calls would pay for starting.
  const http = process.getBuiltinModule('node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let session: string | undefined;
  let lastId = 0;
  const post = (message: unknown): Promise<string[]> => {
    const body = JSON.stringify(message);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      ...(session !== undefined && { 'mcp-session-id': session }),
    };
    return new Promise((resolve, reject) => {
      const sent = http.request(url, { method: 'POST', agent, headers, timeout: answerMsMax });
      sent.once('timeout', () => sent.destroy(new Error(`no answer within ${answerMsMax} ms`)));
      sent.once('error', reject);
      sent.once('response', (response) => {
        session = response.headers['mcp-session-id']?.toString() ?? session;
        readAnswer(response).then(resolve, reject);
      });
      sent.end(body);
    });
  };
  const request = async (method: string, params: Json): Promise<Json> => {
    const id = ++lastId;
    const messages = await post({ jsonrpc: '2.0', id, method, params });
    const answer = messages.map((text) => inner(JSON.parse(text))).find((each) => each['id'] === id);
    if (!answer) throw new Error(`the server did not answer request ${id}`);
    if (isRecord(answer['error'])) throw new Error(`${method}: ${String(answer['error']['message'])}`);
    return inner(answer, 'result');
  };
  const clientInfo = { name: 'pawl', version: '1' };
  await request('initialize', { protocolVersion, capabilities: {}, clientInfo });
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    async list() {
      return items((await request('tools/list', {}))['tools']).map(({ name, description, inputSchema }) => ({
        name: String(name),
        description: texts(description) ?? '',
        schema: inner(inputSchema),
      }));
    },
    async call(tool, args) {
      const { content, isError } = await request('tools/call', { name: tool, arguments: args });
      const words = Array.isArray(content) ? content.map((part) => texts(inner(part)['text']) ?? '') : [];
      return { text: words.join('\n'), isError: isError === true };
    },
    close: () => agent.destroy(),
  };
}

/** The messages of an answer: a JSON answer is one; in a stream each event's data is one, ours perhaps after notifications. */
async function readAnswer(response: IncomingMessage): Promise<string[]> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const status = response.statusCode ?? 0;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text.trim()}`);
  return (response.headers['content-type'] ?? '').startsWith('text/event-stream') ? eventData(text) : [text];
}

function eventData(stream: string): string[] {
  const data = stream.split(/\r?\n\r?\n/).map((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.map((line) => line.replace(/^data: ?/, '')).join('\n');
  });
  return data.filter((text) => text !== '');
}
