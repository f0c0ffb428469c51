/** What the runtime needs from outside. The composition root supplies it; tests supply their own. */

import type { Agent } from '../agents/agent.ts';
import type { Disk } from '../disk/disk.ts';
import type { Outcome, Tone } from '../engine/machine.ts';
import type { Usage } from '../engine/usage.ts';
import type { Question, RunSettings } from '../workflows/workflow.ts';
import type { Ended, LaunchOptions } from '../workspace/launcher.ts';
import type { WorkTreePlace } from '../workspace/shadow.ts';
import type { WorkTree } from '../workspace/tree.ts';
import type { Remaining } from './spending.ts';
import type { ToolServer } from './tool-server.ts';

/** The computer a run works on; `this-computer.ts` is the real one. */
export interface Computer {
  /** Holds the workspace and the run's own files. */
  readonly disk: Disk;
  /** Resolves when the process has ended, whatever it did. */
  readonly launch: (options: LaunchOptions) => Promise<Ended>;
  /** Ends all processes that were started with this variable in their environment. */
  readonly endMarked: (variable: { readonly name: string; readonly value: string }, graceMs: number) => Promise<void>;
  readonly workTree: (place: WorkTreePlace) => TreeHistory;
}

/** Snapshots of a work tree, and what differs between them. */
export type TreeHistory = Pick<
  WorkTree,
  'snapshot' | 'digest' | 'changed' | 'fileChanges' | 'diff' | 'patch' | 'read' | 'restore'
>;

export interface Host extends Computer {
  /** Throws AgentUnavailable for a name that is not known or not installed. */
  agent(name: string, options: ReturnType<RunSettings['agentOptions']>, part: Part): Promise<Agent>;
  /** Names of the agents whose programs are on this machine. */
  installed(): readonly string[];
  toolServer(): Promise<ToolServer>;
  /** Who can be asked; null when nobody is there. */
  readonly person: Person | null;
  /** What a person has written down beforehand; it comes before anybody is asked. */
  readonly prepared?: PreparedAnswers;
  observe(event: RunEvent): void;
  now(): number;
  /** Resolves early when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Aborted by Ctrl-C or `pawl pause`. */
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

export interface Choice {
  readonly title: string;
  readonly detail: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  /** The folder that the paths are relative to. */
  readonly root?: string;
  /** By which it can be answered elsewhere too; none where the question is not on record. */
  readonly id?: string;
  /** Own words are taken, too; `answers` are then only the likely ones. */
  readonly freeText?: boolean;
  /** How often it was answered before, and asked again in this sitting. */
  readonly nth?: number;
  /** For one of the decisions of a question: its own words, where in the row it stands, and whether it may be passed over. */
  readonly part?: { readonly text: string; readonly number: number; readonly of: number; readonly optional: boolean };
  /** Why the last words could not be taken as an answer. */
  readonly problem?: string;
}

export interface Person {
  /**
   * One of the keys of `answers`, or where it is asked freely any words, none at all to pass it over;
   * null when the person walks away. `withdrawn` aborts when it was answered elsewhere, with what to say as the reason.
   */
  ask(choice: Choice, withdrawn?: AbortSignal): Promise<string | null>;
}

export interface PreparedAnswers {
  /** For a decision that was asked `nth` times before. */
  answerTo(decision: string, nth: number): string | undefined;
}

/** What happens, as it happens, for those who show it. */
export type RunEvent =
  | { readonly type: 'opened'; readonly phase: string | null }
  | { readonly type: 'recovered'; readonly message: string }
  /** Something is not as it should be, and the run goes on all the same. */
  | { readonly type: 'warning'; readonly message: string }
  | {
      readonly type: 'moved';
      readonly from: string;
      readonly signal: string;
      readonly to: string;
      readonly phase: string | null;
      /** For an answer: what it answers. */
      readonly decision?: string;
    }
  | { readonly type: 'preparing'; readonly what: string }
  | { readonly type: 'prepared'; readonly notes: readonly string[] }
  | { readonly type: 'check.started'; readonly check: string }
  | {
      readonly type: 'check.ended';
      readonly check: string;
      readonly signal: string;
      readonly tone: Tone | null;
      readonly notes: readonly string[];
    }
  | DispatchStarted
  | { readonly type: 'dispatch.output'; readonly id: string; readonly text: string }
  | { readonly type: 'dispatch.usage'; readonly id: string; readonly usage: Usage }
  | { readonly type: 'report.filed'; readonly id: string; readonly tool: string }
  | DispatchEnded
  | { readonly type: 'dispatch.skipped'; readonly step: string; readonly why: string }
  | { readonly type: 'waiting'; readonly ms: number; readonly attempt: number; readonly why: string }
  | { readonly type: 'asked'; readonly decision: string; readonly question: Question }
  /** What a person's own words were taken for. */
  | { readonly type: 'understood'; readonly decision: string; readonly as: string }
  | { readonly type: 'notified'; readonly problem: string | null }
  | { readonly type: 'rested'; readonly outcome: Outcome; readonly phase: string | null };

export interface DispatchStarted {
  readonly type: 'dispatch.started';
  readonly id: string;
  readonly role: string;
  readonly step: string;
  readonly item: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly remaining: Remaining;
}

export interface DispatchEnded {
  readonly type: 'dispatch.ended';
  readonly id: string;
  readonly role: string;
  readonly step: string;
  readonly signal: string;
  readonly tone: Tone | null;
  readonly ms: number;
  readonly usage: Usage;
  readonly problem: string | null;
}
