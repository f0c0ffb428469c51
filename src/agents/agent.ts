/**
 * The port every coding agent is driven through: how it is started, and how its output is read.
 *
 * An agent never decides whether its dispatch succeeded: the runtime does, from a clean terminal event,
 * no signal sent by us, and the report that was filed.
 */

import { choose, never, orNull, table } from '../schema/compound.ts';
import { ifFits, unlessNull } from '../schema/lenient.ts';
import type { Infer, Schema } from '../schema/schema.ts';
import { number, oneOf, verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import type { LaunchOptions, ProcessEnd } from '../workspace/launcher.ts';

export interface DispatchRequest {
  readonly id: string;
  readonly role: string;
  readonly step: string;
  readonly prompt: string;
  /** The conversation to go on with, by its exact id, where the vendor can; null begins a new one. */
  readonly resume: string | null;
  readonly workspace: string;
  /** A folder of this dispatch's own, outside the workspace. */
  readonly folder: string;
  readonly tools: { readonly url: string; readonly token: string };
  /** Whether the role may write the work tree: what a vendor's own permissions are set to. They leak, so the runtime looks again. */
  readonly access: 'read' | 'write';
  /** Beginnings of the only commands that a role that writes may run, such as `cargo test`; without it, all of them. */
  readonly commands?: readonly string[];
  /** Whether it runs in Pawl's own sandbox: a vendor's would not start inside of it. */
  readonly boxed?: boolean;
  readonly model: string | null;
  /** Ended dispatches of this run, oldest first, this one not included. */
  readonly earlier: readonly { readonly role: string; readonly step: string }[];
}

/** How to start the process. The environment is laid over the launcher's allow-listed one. */
export interface Launch extends Pick<LaunchOptions, 'command' | 'args' | 'env' | 'stdin'> {
  readonly output: OutputReader;
  readonly needs?: AgentNeeds;
}

/** What an agent needs of the computer beside the workspace and the folder of its dispatch. */
export interface AgentNeeds {
  /** Paths; those that do not exist are left out. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Settings among `write` that may name programs: they would run later, outside of any sandbox. Nobody writes them. */
  readonly settings?: readonly string[];
  /** Files among `write` that it gets as copies of its own: what it writes there is forgotten. */
  readonly copies?: readonly string[];
  /** Hosts it works with, as `host` or `host:port`, or as URLs. */
  readonly hosts?: readonly string[];
}

type ProcessExit = Pick<ProcessEnd, 'exitCode' | 'signal'> & { readonly stderr: string };

/** Reads what one process prints; it may remember what it has read. */
export interface OutputReader {
  /** One line of standard output. What it does not know is no event. */
  readonly line: (text: string) => readonly AgentEvent[];
  /** One line of standard error, for agents that tell some things nowhere else. */
  readonly errorLine?: (text: string) => readonly AgentEvent[];
  /** What only the end tells: a terminal event that is never printed, usage in a file, an exit code with a meaning. */
  readonly end?: (exit: ProcessExit) => readonly AgentEvent[];
}

const message = verbatim();
const textOrNull = orNull(ifFits(verbatim()));
const count = orNull(ifFits(number()));

const agentErrors = {
  retry: table({ kind: oneOf(['retry']), message }),
  /** A limit that passes: at `until` (ISO time), or nobody knows when. */
  wait: table({ kind: oneOf(['wait']), until: orNull(unlessNull(verbatim())), message }),
  stop: table({ kind: oneOf(['stop']), message }),
};
/** What went wrong by the agent's own account, as the decision it calls for. */
export type AgentError = Infer<(typeof agentErrors)[keyof typeof agentErrors]>;

const agentEvents = {
  text: table({ type: oneOf(['text']), text: verbatim() }),
  tool: table({ type: oneOf(['tool']), name: verbatim() }),
  file: table({ type: oneOf(['file']), path: verbatim() }),
  conversation: table({ type: oneOf(['conversation']), id: verbatim(), model: textOrNull }),
  usage: table({ type: oneOf(['usage']), inputTokens: count, outputTokens: count, costUsd: count }),
  /** The terminal event: the agent itself says that its turn is over. With an error, it is ended if it does not end by itself. */
  finished: table({ type: oneOf(['finished']), error: orNull(unlessNull(oneBy<AgentError>('kind', agentErrors))) }),
};
export type AgentEvent = Infer<(typeof agentEvents)[keyof typeof agentEvents]>;
export const agentEvent = oneBy<AgentEvent>('type', agentEvents);

function oneBy<T>(key: string, kinds: Readonly<Record<string, Schema<T>>>): Schema<T> {
  const schemas = new Map<unknown, Schema<T>>(Object.entries(kinds));
  return choose((value) => (isRecord(value) && schemas.get(value[key])) || never(`a known ${key}`));
}

/** Whether an id that an agent told may be passed on to its program: never as an option, nor as a path. */
export function isConversationId(id: string | null): id is string {
  return id !== null && /^[\w.][\w.-]{0,127}$/.test(id);
}

export interface Agent {
  readonly name: string;
  /** Of the vendor's program, where it has one. */
  readonly version?: string;
  /** Its program and arguments, where somebody else's runs; relative paths are looked up from the workspace. */
  readonly program?: readonly string[];
  /** Throws AgentUnavailable when it cannot be started on this machine. */
  launch(request: DispatchRequest): Launch;
}

/** The agent is missing or unusable: waiting or retrying does not help. */
export class AgentUnavailable extends Error {
  readonly code = 'AgentUnavailable';
  readonly fix = 'pawl doctor';
}
