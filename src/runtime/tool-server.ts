/** The port through which a dispatch's agent reaches its tools, and so files its report. */

import type { Json } from '../engine/snapshot.ts';

export interface ToolListing {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, shown to the model; checking them is the handler's business. */
  readonly schema: { readonly type: 'object'; readonly [key: string]: Json };
}

export interface ToolResult {
  readonly text: string;
  /** The model is told that the call had no effect and may try again. */
  readonly isError: boolean;
}

/** What one dispatch may call. */
export interface ToolCallHandler {
  readonly tools: readonly ToolListing[];
  /** Only called with a name from `tools`; what it throws is answered as an error result. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

/** One dispatch's access. */
export interface ToolAccess {
  /** Names the dispatch to the server; a secret, never to be put into an argument vector. */
  readonly token: string;
  /** Refuses further calls at once and resolves when the last one in flight has ended: no report comes after that. */
  close(): Promise<void>;
}

export interface ToolServer {
  readonly url: string;
  open(handler: ToolCallHandler): ToolAccess;
  close(): Promise<void>;
}
