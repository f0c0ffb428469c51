/**
 * The face of a workflow to its callers: its verbs, the names of its runs, the title it is listed under.
 *
 * A surface is loaded with every command, so it holds plain data and small functions; `load` brings the workflow itself.
 */

import type { Outcome } from '../engine/machine.ts';
import type { Json } from '../engine/snapshot.ts';
import type { Shape } from '../schema/compound.ts';
import type { ConfigFormat } from './workflow-config.ts';
import type {
  Details,
  FileView,
  FormerFlags,
  FileWrite,
  RunSummary,
  RunView,
  UsageProblem,
  Workflow,
  WorkflowReader,
} from './workflow.ts';

/**
 * A flag takes a value when `value` names it. One that `vouches` for something, or exceeds a limit, is for people only:
 * with every value, or with those that are listed.
 */
export type Flags = Readonly<
  Record<
    string,
    {
      readonly about: string;
      readonly value?: string;
      /** May be given several times; the values are joined with commas. */
      readonly many?: true;
      /** A letter for it. */
      readonly short?: string;
      readonly vouches?: true | readonly string[];
    }
  >
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
  /** In coding agents it is a command of its own name (`/verb`), which `pawl init` installs. */
  readonly slash?: true;
}

export interface WorkVerb extends VerbSpec {
  readonly does: 'work';
  /** Commands of the machine it delivers: the verb continues an interrupted one. */
  readonly delivers: readonly string[];
  /** `today` is the caller's date, as YYYY-MM-DD. */
  intent(): Promise<(given: CommandInput, today: string) => Intent | UsageProblem>;
}

/** Works with the repository's files alone: no run, no agent. */
export interface TellVerb extends VerbSpec {
  readonly does: 'tell';
  /** It may write files, so an agent that Pawl started may not use it. */
  readonly writes?: true;
  /** Called again where a file that it writes was changed since it read it, or is there and was not read. */
  tell(): Promise<(given: CommandInput, context: TellContext) => Told | Objection | Promise<Told | Objection>>;
}

export interface TellContext extends Names {
  readonly files: FileView;
  /** The caller's date, as YYYY-MM-DD. */
  readonly today: string;
}

/** Names that are unique in the whole repository: in all its branches and worktrees, for all processes. */
export interface Names {
  /** Takes a name for good; false when somebody else has it. Taking it again is no second time. */
  claim(name: string): boolean;
  /** Names of the files and folders in that folder in all branches and worktrees. */
  namesElsewhere(folder: string): Promise<readonly string[]>;
}

export interface Told {
  readonly document: Readonly<Record<string, Json>>;
  readonly lines: readonly string[];
  /** Made all together, or none of them. */
  readonly writes?: readonly FileWrite[];
}

/** Sets agents to work, shows one run or all of them, or tells about the repository's files. */
export type Verb = WorkVerb | TellVerb | (VerbSpec & { readonly does: 'status' | 'list' });

/** What is to be done with one run or several: pure data and functions, without access to the disk. */
export type Intent = RunIntent | BatchIntent;

export type RunIntent =
  | CommandIntent
  /** Continues the run where it was stopped; without a word, the only unfinished one. */
  | { readonly kind: 'continue'; readonly word: string | null; admit?: Admit };

/** Runs that can be begun, each in a worktree of its own, until there is none left. */
export interface BatchIntent {
  readonly kind: 'batch';
  /** How many at the same time, and how many at all: a run may file others. */
  readonly jobs: number;
  readonly runs: number;
  /** What keeps runs from ever being begun, by the files of a checkout. */
  problem?(files: FileView): (Omit<UsageProblem, 'code'> & { readonly path: string }) | null;
  /** What is wrong with files that runs would be begun by, in words. */
  problems?(files: FileView): readonly string[];
  /** Runs that can be begun by the files of a checkout, in order. */
  ready(files: FileView): readonly string[];
  /** Those that cannot be begun yet, and why. */
  waiting(files: FileView): readonly { readonly run: string; readonly why: string }[];
  /** A file that two runs changed, with the changes of both; null where they do not fit together. */
  merge(path: string, texts: Readonly<Record<'base' | 'ours' | 'theirs', string>>): string | null;
  /** Words behind the workflow's name that begin a run in a worktree; `base` is the branch it starts from. */
  begin(run: string, base: string): readonly string[];
  resume(run: string): readonly string[];
}

export interface CommandIntent {
  readonly kind: 'command';
  readonly run: RunWord;
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  /** Whether it may begin a run; `in-worktree` gives that one a worktree of its own, `asked` asks a person. */
  readonly begins?: 'anywhere' | 'in-worktree' | 'asked';
  /** Instead of doing it, shows what it would do to a run that nothing would stop before it changes something. */
  readonly preview?: (view: RunView) => Promise<Preview>;
  readonly admit?: Admit;
}

/**
 * A name; or a word for a run there is, as people type it (null: the only unfinished one); or a name that is made for a
 * new run, unique in the repository.
 */
export type RunWord =
  | string
  | { readonly existing: string | null }
  | { readonly made: (names: Names) => Promise<string | UsageProblem> };

type Admit = (traces: Traces) => Admission | Promise<Admission>;

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
  git(): Promise<GitState>;
}

/** The state of the checkout, as the user's own git shows it. A repository without one is refused before that. */
export interface GitState {
  /** Null: the HEAD is detached. */
  readonly branch: string | null;
  /** Null: there is no commit yet. */
  readonly head: string | null;
  /** Lines of `git status --porcelain`. */
  readonly dirty: readonly string[];
  /** Names of all local branches. */
  readonly branches: readonly string[];
}

/**
 * Null goes ahead. `anew` sets the journal aside first and begins the run again, `unknown` is a run that does not exist.
 * A summary is that of a run which is over and needs nothing.
 */
export type Admission = null | 'anew' | 'unknown' | { readonly over: RunSummary } | Objection;

/** `target` is the file it is about; `outcome` is given where it is not the caller's mistake. */
export type Objection = UsageProblem & { readonly target?: string; readonly outcome?: Outcome };

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

/** Where the session of a coding agent begins. Reading is limited, and gives nothing where a file is broken or leads out. */
export interface SessionPlace {
  /** Of the main work tree, even where the session begins in a linked one. */
  readonly files: FileView;
  /** Paths of the main work tree and of the session's folder: absolute, without links. */
  readonly main: string;
  readonly cwd: string;
  /** When a file of the main work tree was last written. */
  modifiedMs(path: string): number | undefined;
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
  /** What it reads of pawl.toml; absent for a project's own. */
  config?(): Promise<ConfigFormat<Shape>>;
  /** A file that held its configuration before pawl.toml did. */
  readonly olderConfigPath?: string;
  /** As the table [roles] in pawl.toml names them, beside the workflow's own table of its name. */
  readonly roles: readonly string[];
  /** Whether a text may name a run: checked before any path is built from it. */
  isRunName(text: string): boolean;
  /** Where the worktree of a run is made, unless it is `<main work tree>-<workflow>-<run>`. */
  worktreeFolder?(main: string, run: string): string;
  /** Runs are looked for in the main work tree, whichever a command is given in. */
  readonly runsInMain?: true;
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
  /** A line or two for a coding agent whose session begins: the work at hand and its next command; null for none. */
  sessionContext?(): Promise<(place: SessionPlace) => string | null>;
  /** The script that the scripted agent plays where none is given, by the flags of the run's snapshot. */
  rehearsal?(flags: Readonly<Record<string, string>>): Promise<string>;
  load(): Promise<Workflow>;
  /** The part that reading runs takes, where that loads faster. */
  read?(): Promise<WorkflowReader>;
}
