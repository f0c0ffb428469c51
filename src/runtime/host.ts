/** The ports of the runtime. The composition root supplies them; tests supply their own. */

import type { Agent } from '../agents/agent.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { Outcome, State, Tone } from '../engine/machine.ts';
import type { Json } from '../engine/snapshot.ts';
import type { Usage } from '../engine/usage.ts';
import type { DispatchSummary, Question, RunSettings } from '../workflows/workflow.ts';
import { launchBoxed, type BoxedLaunchOptions } from '../sandbox/boxed-launch.ts';
import type { SandboxProbe } from '../sandbox/level.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import { historyAt, type CommitHistory } from '../workspace/history.ts';
import type { Landing, LandingPlace } from '../workspace/landing.ts';
import { endProcesses, findByMarker } from '../workspace/processes.ts';
import type { WorkTreeOptions } from '../workspace/shadow.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { Remaining } from './run-budgets.ts';

/** The computer a run works on. */
export interface Computer {
  /** Holds the workspace and the run's own files. */
  readonly disk: Disk;
  /** Resolves when the process has ended, whatever it did. */
  readonly launch: (options: BoxedLaunchOptions) => Promise<ProcessEnd>;
  /** The level its sandbox reaches: the same while this process lives. */
  readonly sandbox: () => Promise<SandboxProbe>;
  readonly endMarked: (variable: { readonly name: string; readonly value: string }, graceMs: number) => Promise<void>;
  readonly workTree: (place: WorkTreeOptions) => TreeHistory;
  /** Branches and commits of a work tree; a computer without git has none. */
  readonly history?: (root: string) => CommitHistory;
  /** Brings the work of a run home. */
  readonly landing?: (place: LandingPlace) => Promise<Landing>;
}

export const thisComputer: Computer = {
  disk: nodeDisk,
  launch: launchBoxed,
  sandbox: async () => {
    if (process.env['PAWL_SANDBOX'] === 'off') return { level: 'none', problem: 'PAWL_SANDBOX is off' };
    return (await import('../sandbox/sandbox.ts')).probeSandbox();
  },
  endMarked: async ({ name, value }, graceMs) => {
    const alive = findByMarker(name, value);
    if (alive.length > 0) await endProcesses(alive, { graceMs });
  },
  workTree: (place) => new WorkTree(place),
  history: historyAt,
  // Few commands do it.
  landing: async (place) => (await import('../workspace/landing.ts')).landingAt(place),
};

export type TreeHistory = Pick<
  WorkTree,
  'snapshot' | 'digest' | 'changed' | 'fileChanges' | 'diff' | 'patch' | 'read' | 'files' | 'restore'
> &
  Partial<Pick<WorkTree, 'close' | 'commits' | 'git' | 'nested' | 'snapshotWithIgnored'>>;

export interface Host extends Computer {
  /** Throws AgentUnavailable for a name that is not known or not installed. */
  agent(name: string, options: ReturnType<RunSettings['agentOptions']>, part: Part): Promise<Agent>;
  installed(): readonly string[];
  /** Names that need no configuration; without it, any name may be an agent. */
  readonly agentNames?: readonly string[];
  toolServer(): Promise<ToolServer>;
  /** Who can be asked; null when nobody is there. */
  readonly person: Person | null;
  /** What a person has written down beforehand; it comes before anybody is asked. */
  readonly prepared?: PreparedAnswers;
  observe(event: RunEvent): void;
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  readonly interrupted: AbortSignal;
  /** Who is at the keyboard, for the record. */
  readonly user: string;
}

/** For an agent that plays a script: the file that was chosen, or the run whose rehearsal it plays. */
export interface Part {
  readonly script: string | null;
  readonly workflow: string;
  readonly flags: Readonly<Record<string, string>>;
}

export interface Choice extends Pick<Question, 'title' | 'detail' | 'answers' | 'paths'> {
  readonly root?: string;
  /** By which it can be answered elsewhere too; none where the question is not on record. */
  readonly id?: string;
  /** Answered in words, of which `answers` are the likely ones. */
  readonly freeText?: boolean;
  /** Words beside the likely ones are taken as they are. */
  readonly ownWords?: boolean;
  /** How often it was answered before, and asked again in this answer loop. */
  readonly nth?: number;
  /** For one of the decisions of a question: its own words, its number, and whether it may be skipped. */
  readonly part?: { readonly text: string; readonly number: number; readonly of: number; readonly optional: boolean };
  readonly problem?: string;
}

export interface Person {
  /**
   * One of the keys of `answers`, or for free text any words, none at all to skip it;
   * null when the person walks away. `withdrawn` aborts when it was answered elsewhere, with what to say as the reason.
   */
  ask(choice: Choice, withdrawn?: AbortSignal): Promise<string | null>;
}

export interface PreparedAnswers {
  /** Ids of the decisions it has answers to. */
  readonly decisions?: readonly string[];
  /** For a decision that was asked `nth` times before. */
  answerTo(decision: string, nth: number): string | undefined;
}

/** What happens, as it happens, for those who show it. */
export type RunEvent = { [T in keyof Events]: Event<T> }[keyof Events];
export type DispatchStarted = Event<'dispatch.started'>;
export type DispatchEnded = Event<'dispatch.ended'>;

type Summary<K extends keyof DispatchSummary> = Pick<DispatchSummary, K>;
type Event<T extends keyof Events> = Readonly<{ type: T } & Events[T]>;

interface Events {
  opened: { phase: string | null };
  recovered: { message: string };
  /** Something is not as it should be, and the run goes on all the same. */
  warning: { message: string };
  /** `kind`: of the state it leads to. */
  moved: { from: string; signal: string; to: string; kind: State['kind']; phase: string | null; decision?: string };
  preparing: { what: string };
  prepared: { notes: readonly string[] };
  'check.started': { check: string };
  'check.ended': { check: string; signal: string; tone: Tone | null; notes: readonly string[] };
  'dispatch.started': Summary<'id' | 'role' | 'step' | 'agent' | 'model'> & {
    item: string | null;
    beside?: Summary<'id' | 'role' | 'agent' | 'model'>;
    /** Null where nobody can tell. */
    remaining: Remaining | null;
    /** When it began; without it, now. */
    at?: string;
  };
  'dispatch.output': { id: string; text: string };
  'dispatch.usage': { id: string; usage: Usage };
  'report.filed': { id: string; tool: string };
  'dispatch.ended': Summary<'id' | 'role' | 'step' | 'signal' | 'ms' | 'usage' | 'problem'> & { tone: Tone | null };
  'dispatch.skipped': { step: string; why: string };
  /** `attempt` is null where a rate limit is waited out. */
  waiting: { ms: number; attempt: number | null; why: string };
  asked: { decision: string; question: Question };
  understood: { decision: string; as: string };
  /** A person who is elsewhere may want to know. */
  attention: { bell: true };
  notified: { by: 'command' | 'webhook'; problem: string | null };
  rested: { outcome: Outcome; phase: string | null };
}

/** How a dispatch's agent reaches its tools, and so files its report. */
export interface ToolServer {
  readonly url: string;
  open(handler: ToolCallHandler): ToolAccess;
  close(): Promise<void>;
}

export interface ToolAccess {
  /** Names the dispatch to the server; a secret, never to be put into an argument vector. */
  readonly token: string;
  /** Refuses further calls at once and resolves when the last one in flight has ended: no report comes after that. */
  close(): Promise<void>;
}

export interface ToolCallHandler {
  /** `schema` is JSON schema shown to the model; checking arguments is the handler's business. */
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: { readonly type: 'object'; readonly [key: string]: Json };
  }[];
  /** Only called with a name from `tools`; what it throws is answered as an error result. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Told of a request that never became a call. */
  refused?(why: string): void;
}

export interface ToolResult {
  readonly text: string;
  /** The model is told that the call had no effect and may try again. */
  readonly isError: boolean;
}
