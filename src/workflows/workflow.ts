/**
 * What a workflow gives the runtime: a machine, and pure functions around it.
 *
 * A workflow reads through the `FileView` it is handed and returns what is to be written;
 * it never touches disk, clock or processes itself.
 */

import type { Machine, Outcome } from '../engine/machine.ts';
import type { Delta, Json, Snapshot, WorkItem } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { Usage } from '../engine/usage.ts';
import type { CheckContext, CheckResult } from './check-context.ts';
import type { FreeQuestion, Offer, Question } from './question.ts';
import type { Role } from './role.ts';
import type { RunSettings } from './run-config.ts';
import type { Details, ForeignReader, StatusDetails, StatusView } from './status-details.ts';

export type { NotifyEvent, RunSettings, SpendingLimits, WorktreeSettings } from './run-config.ts';
export type * from './check-context.ts';
export type * from './git-access.ts';
export type * from './question.ts';
export type * from './role.ts';
export type * from './status-details.ts';

/** Read access to the workspace, by path relative to its root. */
export interface FileView {
  /** Undefined when there is no such file inside the workspace. */
  read(path: string): string | undefined;
  /** Whether there is a file or folder of that name, whatever it holds. */
  exists(path: string): boolean;
  /** Whether the path itself is a symbolic link, which a write would replace. */
  isLink?(path: string): boolean;
  /** Paths of all files below a folder, sorted; empty when there is none. `shallow`: only those in the folder itself. */
  list(folder: string, depth?: 'shallow'): readonly string[];
}

/** A file as it shall be; `null` deletes it. */
export interface FileWrite {
  readonly path: string;
  readonly content: string | null;
}

/** A file, or a folder moved as a whole. */
export type Write = FileWrite | { readonly path: string; readonly moveTo: string };

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
  readonly problem: string | null;
  readonly beside?: AdvisorSummary;
  /** Git-ignored files that changed meanwhile, the most important first. */
  readonly ignored?: readonly string[];
}

/** The part of a dispatch's advisor. */
export interface AdvisorSummary {
  readonly role: string;
  /** Null where no agent could begin. */
  readonly call: Pick<DispatchSummary, 'id' | 'agent' | 'model' | 'ms' | 'usage'> | null;
  /** Why there is no advice. */
  readonly problem: string | null;
}

export interface RunView {
  readonly run: string;
  readonly snapshot: Snapshot;
  readonly files: FileView;
  /** ISO time of the journal record this is done for: a repetition after a crash sees the same. */
  readonly at: string;
  readonly history: readonly DispatchSummary[];
  /** Dispatches that were cut off; whatever is made anew of them is in the history. */
  readonly interrupted?: readonly DispatchSummary[];
}

export interface Brief {
  readonly prompt: string;
  /** The tool whose report, filed once, proves that the dispatch is complete. */
  readonly closedBy?: string;
  readonly complexity?: string;
  /** Beginnings of the only commands that the role may run, where it writes; vendors enforce them as far as they can. */
  readonly commands?: readonly string[];
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

/** One signal and files to write beyond the staged ones, or why the reports do not suffice. */
export type Conclusion =
  | { readonly signal: Signal; readonly writes: readonly Write[] }
  | { readonly insufficient: string };

export interface DispatchContext extends RunView {
  readonly step: string;
  readonly role: string;
  readonly agent: string;
  readonly dispatch: string;
  /** Absolute path of the work tree, for prompts. */
  readonly workspace: string;
  readonly item?: WorkItem;
  /** A person's words for this attempt (`retry --hint`). */
  readonly hint?: string;
  /** For roles that judge. */
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

export interface EndedDispatch extends DispatchContext {
  /** Paths the dispatch itself changed, by git. */
  readonly changed: readonly string[];
  /** The same as a unified diff, of roles that write. */
  readonly diff?: string;
  /** Reports of the advisor, where the state has one; none where it failed. */
  readonly advice?: readonly FiledReport[];
}

export type ToolAnswer = { readonly text: string; readonly writes?: readonly Write[] } | { readonly error: string };

/** A tool an agent may call. Reports are journalled and staged; the others only read. */
export interface Tool {
  readonly description: string;
  readonly roles: readonly string[];
  /** At most `once` per dispatch where set. */
  readonly report?: { readonly once: boolean };
  readonly schema: { readonly type: 'object'; readonly [key: string]: Json };
  /** `files` of the context show what earlier reports of the dispatch staged. An error is something the model can act on. */
  call(args: Readonly<Record<string, unknown>>, context: DispatchContext): ToolAnswer;
}

export type Tools = Readonly<Record<string, Tool>>;

export interface Dispatching {
  readonly tools: Tools;
  /** For the role of the context: also for an advisor, which is left out where it is to be skipped. */
  brief(context: DispatchContext): Brief | Skip;
  conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion;
}

/** The file that shows the run to people, who may edit it. */
export interface StateFile {
  path(view: RunView): string;
  /** Identifies a projection among all projections of the run; throws a DocumentError on a broken file. */
  identify(text: string, recorded?: string): { readonly phase: string; readonly updatedAt: string };
  /** The file's text for a snapshot: an edit of what is there, so that a person's keys and comments stay. */
  render(before: string | undefined, view: RunView): string;
  /** Names of what somebody edited in the last projection beside the phase, which is not read back. */
  unread?(text: string, view: RunView): readonly string[];
  /** The change of the snapshot that adopts a hand-edited phase, for the current tree. */
  adopt(phase: string, view: RunView, treeDigest: string): Adoption;
}

/** Flags and budgets are those that differ from the start. */
export interface Adoption extends Pick<Delta, 'decisions' | 'asked' | 'problem' | 'flags' | 'budgets' | 'returnTo'> {
  readonly state: string;
  readonly data: Snapshot['data'];
  /** The gate that is passed by it, if any. */
  readonly gate: string | null;
  /** The worktree that the run works in by its file, relative to the main work tree. */
  readonly worktree?: string | null;
  /** Repairs made to the file, a sentence each, for the person who vouches for it. */
  readonly notes?: readonly string[];
  /** Known objections to what the gate would let pass, a line each, for the person who passes it. */
  readonly objections?: readonly string[];
  /** What the run consumed before, by the file: it counts against its budgets. */
  readonly spent?: EarlierSpending;
}

export interface EarlierSpending {
  readonly dispatches: number;
  /** Dispatches whose tokens, or cost, the file does not tell. */
  readonly unknownTokens: number;
  readonly unknownCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly wallMs: number;
}

export interface RunSummary {
  /** One word for scripts; `message` is for people. */
  readonly action: string;
  readonly phase: string | null;
  readonly verdict: string | null;
  readonly message: string;
  /** The command to run next; null when there is nothing left to do. */
  readonly next: string | null;
}

export interface UsageProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/** Flags that the machine named otherwise in earlier versions: the name of today, and values that differ. */
export type FormerFlags = Readonly<
  Record<string, { readonly name: string; readonly values?: Readonly<Record<string, string>> }>
>;

/** The part of a workflow that reading its runs takes. */
export interface WorkflowReader {
  readonly name: string;
  /** Roles that may write the work tree. */
  readonly writers: readonly string[];
  readonly machine: Machine;
  /** Files that lie in the main work tree, whichever work tree a run has. Agents write none of them. */
  inMain?(path: string): boolean;
  /** States in which the run may be without its workspace, because a check of theirs removes it; final ones always. */
  readonly placeless?: readonly string[];
  /** The most items that a list can have until the run rests, where its documents allow no more. */
  itemsMost?(snapshot: Snapshot): Readonly<Record<string, number>>;
  /** Advice to the author of a workflow of a project's own. */
  readonly hints?: readonly string[];
  /** Its checks commit, so a run goes on only on the branch that it was begun on. */
  readonly commits?: true;
  /** Throws a DocumentError for files that cannot be read as a configuration. */
  settings(files: Pick<FileView, 'read'>): RunSettings;
  stateFile(run: string): Pick<StateFile, 'path' | 'identify'>;
  summarize(view: RunView, rest: { readonly outcome: Outcome; readonly refusal: string | null }): RunSummary;
  /** The details in lists: small, for they are kept with the run. */
  listed(view: RunView): Details;
  nextIn(run: string, phase: string | null): string | null;
  status(view: StatusView): StatusDetails;
  readonly foreign?: ForeignReader;
}

export interface Workflow extends WorkflowReader {
  readonly roles: Readonly<Record<string, Role>>;
  /** Loaded with the first dispatch: many commands make none, and prompts and tools take long to load. */
  dispatching(): Promise<Dispatching>;
  readonly checks: Readonly<Record<string, (context: CheckContext) => CheckResult | Promise<CheckResult>>>;
  readonly questions: Readonly<Record<string, (view: RunView) => Question>>;
  readonly decisions?: Readonly<Record<string, (view: RunView) => FreeQuestion>>;
  /** Folder (relative) whose content does not belong to the judged tree. */
  readonly controlFolder: string;
  /** Those of a run among the files `inMain`. */
  mainFiles?(run: string): readonly string[];
  /** The documents that an approval of an artifact is about; a folder of them ends with a slash. */
  documentsOf?(artifact: string, run: string): readonly string[];
  /** A run's own folder in it where git ignores it: all of it is watched, so that no role writes there unseen. */
  watchedFolder?(run: string): string;
  /** Files (relative) of its configuration, the one that wins first. No role may write them. */
  readonly configPaths: readonly string[];
  /** Turns a command into a signal; a problem is the caller's mistake and changes nothing. */
  enter(command: string, args: Readonly<Record<string, Json>>, view: RunView): Signal | UsageProblem;
  /** Words on how an interrupted command differs from one of the same verb with these arguments, if it does. */
  differenceTo?(args: Readonly<Record<string, Json>>, view: RunView): string | undefined;
  stateFile(run: string): StateFile;
  offer?(view: RunView): Offer | null;
  /** The path the journal is exported to once the run is over; null while it is not. */
  exportTo(view: RunView): string | null;
  /** Writes of `undo` to the control folder, so that it fits the code again. */
  undoWrites(view: RunView): readonly Write[];
  /** Writes by which a run is abandoned, where its folder is not moved away. */
  abandonWrites?(view: RunView, reason: string): readonly Write[];
  /** What a run was for, in a line: for the message of a commit. */
  subject?(view: RunView): string | null;
  /** What `undo` keeps, in words. */
  readonly undoKeeps?: readonly string[];
}
