/** Node's request and response as the web-standard ones the MCP SDK works with. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The request is aborted when its client goes away before it is answered. */
export async function readWebRequest(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<Request | 'too_large'> {
  const body = await readBody(request, bytesMax);
  if (body === 'too_large') return body;
  const method = request.method ?? 'GET';
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const url = `http://${request.headers.host}${request.url}`;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, { method, headers: headersOf(request), signal: gone.signal, ...(hasBody && { body }) });
}

/** What comes after the limit is read and dropped, so that the client hears the refusal. */
function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | 'too_large'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) resolve('too_large');
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away')));
  });
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

export async function writeWebResponse(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) {
    to.end();
    return;
  }
  to.flushHeaders();
  await pipeline(Readable.fromWeb(from.body), to);
}
