/**
 * The face of a workflow to its callers: its verbs, the names of its runs, the title it is listed under.
 *
 * A surface is loaded with every command, so it holds plain data and small functions; `load` brings the workflow itself.
 */

import type { Outcome } from '../engine/machine.ts';
import type { Json } from '../engine/snapshot.ts';
import type {
  Details,
  FileView,
  FormerFlags,
  RunSummary,
  RunView,
  UsageProblem,
  Workflow,
  WorkflowReader,
} from './workflow.ts';

/** A flag takes a value when `value` names it. One that `vouches` for something, or exceeds a limit, is for people only. */
export type Flags = Readonly<
  Record<string, { readonly about: string; readonly value?: string; readonly vouches?: true }>
>;

export interface CommandInput {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
}

interface VerbSpec {
  readonly verb: string;
  readonly about: string;
  /** Names of the words it takes; a trailing `?` marks an optional one, `...` a last one that takes all that follow. */
  readonly words: readonly string[];
  /** In addition to those of every verb that sets agents to work. */
  readonly flags: Flags;
  readonly examples?: readonly string[];
}

export interface WorkVerb extends VerbSpec {
  readonly does: 'work';
  /** Commands of the machine it delivers: the verb continues an interrupted one. */
  readonly delivers: readonly string[];
  /** `today` is the caller's date, as YYYY-MM-DD. */
  intent(): Promise<(given: CommandInput, today: string) => Intent | UsageProblem>;
}

/** Sets agents to work, or shows one run or all of them. */
export type Verb = WorkVerb | (VerbSpec & { readonly does: 'status' | 'list' });

/** What is to be done with a run: pure data and functions, without access to the disk. */
export type Intent =
  | CommandIntent
  /** Continues the run where it was stopped; without a word, the only unfinished one. */
  | { readonly kind: 'continue'; readonly word: string | null; admit?(traces: Traces): Admission };

export interface CommandIntent {
  readonly kind: 'command';
  readonly run: string;
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  /** Whether it may begin a run; `in-worktree` gives that one a worktree of its own. */
  readonly begins?: 'anywhere' | 'in-worktree';
  /** Instead of doing it, shows what it would do to a run that nothing would stop before it changes something. */
  readonly preview?: (view: RunView) => Promise<Preview>;
  admit?(traces: Traces): Admission;
}

export interface Preview {
  readonly details: Readonly<Record<string, Json>>;
  readonly lines: readonly string[];
}

/** The state of a run before anything is done with it. */
export interface Traces {
  readonly run: string;
  readonly begun: boolean;
  /** The state its journal says; undefined without one. */
  state(): string | undefined;
  readonly files: FileView;
}

/**
 * Null goes ahead. `anew` sets the journal aside first and begins the run again, `unknown` is a run that does not exist.
 * A summary is that of a run which is over and needs nothing.
 */
export type Admission =
  | null
  | 'anew'
  | 'unknown'
  | { readonly over: RunSummary }
  /** `target` is the file it is about; `outcome` is given where it is not the caller's mistake. */
  | (UsageProblem & { readonly target?: string; readonly outcome?: Outcome });

export type DemoRow = readonly [what: string, about?: string];

export interface Demo {
  readonly run: string;
  /** The files of the sample repository: a YAML map of path to content. */
  readonly sample: string;
  /** Words behind the workflow's name, one command after the other. */
  readonly steps: readonly (readonly string[])[];
  readonly done: string;
  readonly files: readonly DemoRow[];
  readonly commands: readonly DemoRow[];
  /** Commands that can be killed and repeated. */
  readonly killing: readonly DemoRow[];
  /** How to continue with real agents. */
  readonly agents: string;
}

/** How well a word names a run: by its whole name, by a short form of it, or by a part that others may have too. */
export type NameMatch = 'name' | 'short' | 'part';

/** A run that may have no journal here: a fresh clone's, another tool's. */
export interface ForeignRun {
  readonly run: string;
  readonly path: string;
  /** Where its journal was exported to, if it was over. */
  readonly journal?: string;
  /** Listed only on request. */
  readonly archived?: true;
  readonly problem?: string;
}

export interface WorkflowSurface {
  readonly name: string;
  readonly title: string;
  readonly verbs: readonly Verb[];
  /** Verbs of an older tool that are steps of another verb now: old → new. They are explained, not listed. */
  readonly retired?: Readonly<Record<string, string>>;
  /** A program of its own that has its verbs without the workflow's name. */
  readonly program?: { readonly name: string; readonly olderNames: Readonly<Record<string, string>> };
  /** The command that begins a run, for people who have none yet. */
  readonly begin: string;
  /** A file that held its configuration before pawl.toml did. */
  readonly olderConfigPath?: string;
  /** As the table [roles] in pawl.toml names them, beside the workflow's own table of its name. */
  readonly roles: readonly string[];
  /** Whether a text may name a run: checked before any path is built from it. */
  isRunName(text: string): boolean;
  /** The part of a name that people must type. */
  readonly shortName?: (run: string) => string;
  matches(word: string, run: string): NameMatch | null;
  invalidName(word: string): UsageProblem;
  /** `near` is the run that was probably meant; `none`: there is no run at all. */
  notFound(word: string, known: { readonly near: string | undefined; readonly none: boolean }): UsageProblem;
  /** Runs with files in the work tree that are none of `known`, the runs with a journal. `namesIn` lists a folder. */
  foreignRuns?(namesIn: (folder: string) => readonly string[], known: ReadonlySet<string>): readonly ForeignRun[];
  readonly list: {
    /** The word for several runs, also the key of the document. */
    readonly plural: string;
    readonly nameKey: 'id' | 'run';
    /** Titles of the name, the phase, and each cell. */
    readonly titles: readonly [string, string, ...string[]];
    /** The details of a run that cannot be read. */
    readonly blank: Details;
    cells(details: Details): readonly (string | null)[];
    /** Whether the next command differs from run to run, so that it is worth a column. */
    readonly showsNext: boolean;
    readonly archivedPhase?: string;
  };
  readonly formerFlags?: FormerFlags;
  /** A run of it on a sample repository, played by the scripted agent. */
  demo?(): Promise<Demo>;
  /** The script that the scripted agent plays where none is given, by the flags of the run's snapshot. */
  rehearsal?(flags: Readonly<Record<string, string>>): Promise<string>;
  load(): Promise<Workflow>;
  /** The part that reading runs takes, where that loads faster. */
  read?(): Promise<WorkflowReader>;
}
