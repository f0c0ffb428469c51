/** A model on 127.0.0.1 that plays a script, whichever dialect it is asked in. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cut } from './dialect.ts';
import { dialects } from './dialects.ts';
import { TurnPlayer, type ModelRequest, type ModelTurn } from './turn-player.ts';

export interface Asked {
  readonly path: string;
  readonly request: ModelRequest;
  /** All that was sent, descriptions of tools included. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How it answers: at once and one thing at a time, if nothing else is said. */
export interface Manner {
  /** Texts and arguments are streamed in pieces of so many characters. */
  readonly pieceChars?: number;
  /** Several tool calls in one answer, with some words before them. */
  readonly parallel?: boolean;
}

export class ModelServer {
  /** Everything it was asked, in order. */
  readonly asked: Asked[] = [];
  /** Paths nobody speaks a dialect for. */
  readonly unknown: string[] = [];
  readonly #server: Server;
  readonly #player: TurnPlayer;
  readonly #cut: Cut;
  #port = 0;

  private constructor(turns: readonly ModelTurn[], { pieceChars, parallel }: Manner) {
    this.#player = new TurnPlayer(turns, parallel);
    this.#cut = (text) => text.match(new RegExp(`[^]{1,${pieceChars ?? text.length + 1}}`, 'gu')) ?? [];
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(turns: readonly ModelTurn[], manner: Manner = {}): Promise<ModelServer> {
    const server = new ModelServer(turns, manner);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    server.#port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** Stays the same after it is closed: nobody answers there any more. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Goes on with other turns. */
  play(turns: readonly ModelTurn[]): void {
    this.#player.play(turns);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname;
    const body = await bodyOf(incoming);
    if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 100 });
    if (path.endsWith('/models')) return json(response, 200, { data: [], object: 'list' });
    const dialect = incoming.method === 'POST' ? dialects.find((each) => each.matches(path)) : undefined;
    if (!dialect) {
      this.unknown.push(`${incoming.method} ${path}`);
      return json(response, 404, { error: { message: `nobody here knows ${path}` } });
    }
    const request = dialect.read(path, body);
    this.asked.push({ path, request, body: JSON.stringify(body), headers: incoming.headers });
    const answer = this.#player.answer(request);
    switch (answer.kind) {
      case 'hang':
        return;
      case 'error':
        return json(
          response,
          answer.status,
          answer.body ?? dialect.error(answer.status, answer.message),
          answer.headers,
        );
      case 'cut':
        dialect.begin(response, answer.text);
        setTimeout(() => response.destroy(), 20);
        return;
      default:
        await dialect.write(response, answer, body, this.#cut);
    }
  }
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function bodyOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
  try {
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return {};
  }
}
