/**
 * What a workflow is to those who call it: its verbs, the names of its runs, the title it is listed under.
 *
 * A surface is loaded with every command, so it holds plain data and small functions; `load` brings the workflow itself.
 */

import type { Details, UsageProblem, Workflow } from './workflow.ts';

/** A flag takes a value when `value` names it. */
export interface FlagSpec {
  readonly value?: string;
  readonly about: string;
  /** Whoever gives it vouches for something, or goes beyond a limit: only a person may. */
  readonly vouches?: true;
}

export type Flags = Readonly<Record<string, FlagSpec>>;

/** The words and flags a verb was called with. */
export interface Given {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
}

export interface Verb {
  readonly verb: string;
  readonly about: string;
  /** Names of the words it takes; a trailing `?` marks an optional one, `...` a last one that takes all that follow. */
  readonly words: readonly string[];
  /** Beside those that every verb has which sets agents to work. */
  readonly flags: Flags;
  readonly examples?: readonly string[];
  /** `work` sets agents to work, `status` shows one run, `list` all of them. */
  readonly does: 'work' | 'status' | 'list';
}

/** How well a word names a run: by its whole name, by a short form of it, or by a part that others may have too. */
export type NameMatch = 'name' | 'short' | 'part';

/** A run that may have no journal here: a fresh clone's, another tool's. */
export interface ForeignRun {
  readonly run: string;
  /** Its state file. */
  readonly path: string;
  /** Where its journal was exported to, if it was over. */
  readonly journal?: string;
  /** Filed away: listed only where that is asked for. */
  readonly archived?: true;
  /** Why it cannot be a run as it is. */
  readonly problem?: string;
}

/** How the runs of one workflow are listed. */
export interface ListLayout {
  /** What they are called, also the key of the document. */
  readonly plural: string;
  /** The key of a run's name in the document. */
  readonly nameKey: 'id' | 'run';
  /** Titles of the name, the phase, and each cell. */
  readonly titles: readonly [string, string, ...string[]];
  /** The details of a run that cannot be read. */
  readonly blank: Details;
  cells(details: Details): readonly (string | null)[];
  /** Whether the next command differs from run to run, so that it is worth a column. */
  readonly showsNext: boolean;
  /** Runs in this phase are filed away. */
  readonly archivedPhase?: string;
}

export interface WorkflowSurface {
  readonly name: string;
  /** Its heading in the help. */
  readonly title: string;
  readonly verbs: readonly Verb[];
  /** Verbs of an older tool that are steps of another verb now: old → new. They are explained, not listed. */
  readonly retired?: Readonly<Record<string, string>>;
  /** A program of its own that has its verbs without the workflow's name. */
  readonly program?: { readonly name: string; readonly olderNames: Readonly<Record<string, string>> };
  /** The command that begins a run, for people who have none yet. */
  readonly begin: string;
  /** Its own table in pawl.toml. */
  readonly section?: string;
  /** Whether a text may name a run: checked before any path is built from it. */
  isRunName(text: string): boolean;
  /** What is left of a name without what people may leave out. */
  readonly shortName?: (run: string) => string;
  /** Null when the word does not name the run. */
  matches(word: string, run: string): NameMatch | null;
  /** The word cannot name a run at all. */
  invalidName(word: string): UsageProblem;
  /** There is no run of that name; `near` is the one that was probably meant, `none` tells that there is no run at all. */
  notFound(word: string, known: { readonly near: string | undefined; readonly none: boolean }): UsageProblem;
  /** Runs with files in the work tree that are none of `known`, the runs with a journal. `namesIn` lists a folder. */
  foreignRuns?(namesIn: (folder: string) => readonly string[], known: ReadonlySet<string>): readonly ForeignRun[];
  readonly list: ListLayout;
  /** The script that the scripted agent plays where none is given, by the flags of the run's snapshot. */
  rehearsal?(flags: Readonly<Record<string, string>>): Promise<string>;
  load(): Promise<Workflow>;
}
