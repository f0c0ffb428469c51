/**
 * The tools of `pawl mcp` over stdio, in both current revisions.
 *
 * S1. Nothing a client sends and nothing a tool throws ends the server, but a message over the limit, whose end nobody can
 *     find.
 * S2. It ends when the client closes its end; processes that it started go on.
 */

import type { ToolResult } from '../runtime/host.ts';
import { runTools, refusalText, type Calling, type Workshop } from './run-tools.ts';
import type { Refusal } from '../runs/refusal.ts';

const messageBytesMax = 1024 * 1024;

export interface StdioServerOptions {
  readonly version: string;
  /** What a tool threw, in words for the client. */
  explain(error: unknown): Refusal;
  /** What is wrong with the connection itself. */
  warn(message: string): void;
}

/** Whether the connection ended in good order. */
export async function serveRunTools(workshop: Workshop, options: StdioServerOptions): Promise<boolean> {
  const [{ Server }, { serveStdio, StdioServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const { tools, call } = runTools(workshop);
  const answered = async (name: string, args: Readonly<Record<string, unknown>>, calling: Calling) => {
    try {
      return await call(name, args, calling);
    } catch (error) {
      return { text: refusalText(options.explain(error)), isError: true } satisfies ToolResult;
    }
  };
  const factory = () => {
    const server = new Server({ name: 'pawl', version: options.version }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: tools.map(({ schema, ...tool }) => ({ ...tool, inputSchema: { ...schema } })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const { progressToken } = mcpReq._meta ?? {};
      const told: Promise<void>[] = [];
      const progress = (message: string): void => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress: told.length + 1, message };
        // A client that is gone hears nothing.
        told.push(mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}));
      };
      const { text, isError } = await answered(params.name, params.arguments ?? {}, {
        signal: mcpReq.signal,
        progress,
      });
      await Promise.all(told);
      return { content: [{ type: 'text', text }], isError };
    });
    return server;
  };
  return new Promise((resolve) => {
    const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: messageBytesMax });
    let isBroken = false;
    const onerror = (error: Error): void => {
      isBroken ||= error.message.includes('exceeded maximum size');
      options.warn(error.message);
    };
    serveStdio(factory, { transport, onerror });
    const { onclose } = transport;
    Object.assign(transport, {
      onclose: () => {
        onclose?.();
        resolve(!isBroken);
      },
    });
  });
}
