/**
 * What a workflow gives the runtime: a machine, and pure functions around it.
 *
 * A workflow reads through the `FileView` it is handed and returns what is to be written;
 * it never touches disk, clock or processes itself.
 */

import type { Machine, Outcome } from '../engine/machine.ts';
import type { Json, Problem, Snapshot, WorkItem } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { Usage } from '../engine/usage.ts';
import type { FreeQuestion, Offer, Question } from './question.ts';
import type { RunSettings } from './run-config.ts';
import type { Details, ForeignReader, StatusDetails, StatusView } from './run-status.ts';

export type { RunSettings, SpendingLimits, WorktreeSettings } from './run-config.ts';
export type * from './question.ts';
export type * from './run-status.ts';

/** Read access to the workspace, by path relative to its root. */
export interface FileView {
  /** Undefined when there is no such file inside the workspace. */
  read(path: string): string | undefined;
  /** Whether there is a file or folder of that name, whatever it holds. */
  exists(path: string): boolean;
  /** Paths of all files below a folder, sorted; empty when there is none. */
  list(folder: string): readonly string[];
}

/** A file as it shall be (`null` deletes it), or a folder moved as a whole. */
export type Write =
  | { readonly path: string; readonly content: string | null }
  | { readonly path: string; readonly moveTo: string };

/** What a finished dispatch left for those that follow. */
export interface DispatchSummary {
  readonly id: string;
  readonly role: string;
  readonly step: string;
  readonly agent: string;
  readonly model: string | null;
  readonly signal: string;
  readonly at: string;
  readonly ms: number;
  readonly usage: Usage;
  readonly session: string | null;
  /** Digest of the work tree outside control folders when it ended. */
  readonly tree: string | null;
  /** What went wrong, for a dispatch that ended in a fault. */
  readonly problem: string | null;
}

/** Everything a workflow may look at when it decides something. */
export interface RunView {
  readonly run: string;
  readonly snapshot: Snapshot;
  readonly files: FileView;
  /** ISO time of the journal record this is done for: a repetition after a crash sees the same. */
  readonly at: string;
  readonly history: readonly DispatchSummary[];
}

/** What a dispatch is sent off with. */
export interface Brief {
  readonly prompt: string;
  /** Whether this tool's report ends the matter: filed once, the dispatch is provably complete. */
  readonly closedBy?: string;
  /** Model complexity class, for the choice of a model. */
  readonly complexity?: string;
}

/** The dispatch is not needed, or must not be made: the state moves on with this signal. */
export interface Skip {
  readonly signal: Signal;
  readonly why: string;
}

export interface FiledReport {
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** What a dispatch's reports amount to: one signal and files to write beyond the staged ones, or why they do not suffice. */
export type Conclusion =
  | { readonly signal: Signal; readonly writes: readonly Write[] }
  | { readonly insufficient: string };

export interface DispatchContext extends RunView {
  readonly step: string;
  readonly role: string;
  readonly agent: string;
  readonly dispatch: string;
  readonly item?: WorkItem;
  /** A person's words for this attempt (`retry --hint`). */
  readonly hint?: string;
  /** For roles that judge: the work tree as it is now. Not known when a dispatch is closed after a crash. */
  readonly judged?: JudgedTree;
}

export interface JudgedTree {
  /** Digest outside the control folder. */
  readonly digest: string;
  /** What the run changed so far outside the control folder, untracked files included, by path. */
  readonly files: readonly {
    readonly path: string;
    readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
    readonly oldPath?: string;
  }[];
}

/** The context when a dispatch has ended. */
export interface EndedDispatch extends DispatchContext {
  /** Paths the dispatch itself changed, by git. */
  readonly changed: readonly string[];
}

export type ToolAnswer = { readonly text: string; readonly writes?: readonly Write[] } | { readonly error: string };

/** A tool an agent may call. Reports are journalled and staged; the others only read. */
export interface Tool {
  readonly description: string;
  readonly roles: readonly string[];
  /** Reports write (through Pawl); at most `once` per dispatch where set. */
  readonly report?: { readonly once: boolean };
  /** JSON schema of the arguments, shown to the model. */
  readonly schema: { readonly type: 'object'; readonly [key: string]: Json };
  /**
   * `files` of the context already show what earlier reports of the same dispatch staged.
   * A mistake is answered with something the model can act on.
   */
  call(args: Readonly<Record<string, unknown>>, context: DispatchContext): ToolAnswer;
}

/** By the name agents call them by. */
export type Tools = Readonly<Record<string, Tool>>;

/** What a dispatch takes beside an agent. */
export interface Dispatching {
  readonly tools: Tools;
  brief(context: DispatchContext): Brief | Skip;
  conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion;
}

export interface Role {
  /** A read-only role whose dispatch changed the work tree ends out of bounds. */
  readonly writesTree: boolean;
  /** Globs of what a role that writes may write; everything, if not given. */
  readonly mayWrite?: readonly string[];
  /** Its prompt is about what the run changed (`DispatchContext.judged`). */
  readonly judges?: true;
  /** Who plays it unless the configuration says otherwise. */
  readonly defaultAgent: string;
}

export interface CommandRun {
  /** What ran, for people. */
  readonly command: readonly string[];
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The program does not exist here. */
  readonly missing: boolean;
  readonly output: string;
  /** Absolute path of the captured output. */
  readonly outputFile: string;
}

/** What a check may do beyond reading: run a program of the project, through the one launcher. */
export interface CheckContext extends RunView {
  readonly item?: WorkItem;
  exec(command: readonly string[], options: { readonly timeoutMs: number }): Promise<CommandRun>;
  /** Digest of the work tree outside the workflow's control folder. */
  treeDigest(): Promise<string>;
  /** Files outside the control folder that the run changed so far, untracked ones included. */
  changedFiles(): Promise<readonly string[]>;
  /** Unified diff of what the run did to the work tree so far, untracked files included. */
  diff(): Promise<string>;
}

export interface CheckResult {
  readonly signal: Signal;
  readonly writes?: readonly Write[];
  /** Lines shown to the person. */
  readonly notes?: readonly string[];
}

/** What the state file on disk says, where a person may have changed it. */
export interface StateReader {
  /** Where it lies (relative) in a snapshot. */
  path(view: RunView): string;
  /** What identifies a projection among all projections of the run; throws a DocumentError on a broken file. */
  identify(text: string): { readonly phase: string; readonly updatedAt: string };
}

export interface StateFile extends StateReader {
  /** The file's text for a snapshot: an edit of what is there, so that a person's keys and comments stay. */
  render(before: string | undefined, view: RunView): string;
  /** The snapshot change that adopts a hand-edited phase, for the tree there is now. `gate` names the gate it passes, if any. */
  adopt(phase: string, view: RunView, treeDigest: string): Adoption;
}

export interface Adoption {
  readonly state: string;
  readonly data: Readonly<Record<string, Json>>;
  readonly decisions?: Snapshot['decisions'];
  readonly asked?: Snapshot['asked'];
  /** Why the run rests there, where it does. */
  readonly problem?: Problem | null;
  /** The gate that is passed by it, if any. */
  readonly gate: string | null;
  /** Where they are not as at the start. */
  readonly flags?: Readonly<Record<string, string>>;
  /** What is left of budgets that are not as at the start. */
  readonly budgets?: Readonly<Record<string, number>>;
  readonly returnTo?: string;
  /** What was put right in the file on the way, a sentence each, for the person who vouches for it. */
  readonly notes?: readonly string[];
}

export interface RunSummary {
  /** What was done or found, as one word for scripts. */
  readonly action: string;
  readonly phase: string | null;
  readonly verdict: string | null;
  /** The same for people. */
  readonly message: string;
  /** The command to run next; null when there is nothing left to do. */
  readonly next: string | null;
}

/** Wrong input: what is wrong, and what to do instead. */
export interface UsageProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/** What those need of a workflow who only look at its runs. */
export interface WorkflowReader {
  readonly name: string;
  readonly machine: Machine;
  /** Throws a DocumentError for files that cannot be read as a configuration. */
  settings(files: Pick<FileView, 'read'>): RunSettings;
  stateFile(run: string): StateReader;
  /** What a command came to, in the workflow's own words. */
  summarize(view: RunView, rest: { readonly outcome: Outcome; readonly refusal: string | null }): RunSummary;
  /** What lists show beside the phase: small, for it is kept with the run. */
  listed(view: RunView): Details;
  /** The command that leads on from a phase; null when there is none. */
  nextIn(run: string, phase: string | null): string | null;
  status(view: StatusView): StatusDetails;
  /** Left out where runs are known by their journals only. */
  readonly foreign?: ForeignReader;
}

export interface Workflow extends WorkflowReader {
  readonly roles: Readonly<Record<string, Role>>;
  /** Asked for when a dispatch is at hand: many commands make none, and prompts and tools take long to load. */
  dispatching(): Promise<Dispatching>;
  readonly checks: Readonly<Record<string, (context: CheckContext) => CheckResult | Promise<CheckResult>>>;
  readonly questions: Readonly<Record<string, (view: RunView) => Question>>;
  /** Questions about decisions of the ledger, which people answer in their own words. */
  readonly decisions?: Readonly<Record<string, (view: RunView) => FreeQuestion>>;
  /** Folder (relative) whose content does not belong to the judged tree. */
  readonly controlFolder: string;
  /** The run's own folder in it, where git ignores that: it is watched all the same, so that no role writes there unseen. */
  watchedFolder?(run: string): string;
  /** Files (relative) of its configuration, the one that wins first. No role may write them. */
  readonly configPaths: readonly string[];
  /** Everything a command needs before it becomes a signal; a problem is the caller's mistake and changes nothing. */
  enter(command: string, args: Readonly<Record<string, Json>>, view: RunView): Signal | UsageProblem;
  stateFile(run: string): StateFile;
  /** Asked when a command that dispatched came to its end. */
  offer?(view: RunView): Offer | null;
  /** Where the journal is exported to once the run is over; null while it is not. */
  exportTo(view: RunView): string | null;
  /** What `undo` writes into the control folder, so that it fits the code again. */
  undoWrites(view: RunView): readonly Write[];
  /** What `undo` leaves of the workflow's own, in words. */
  readonly undoKeeps?: readonly string[];
}
