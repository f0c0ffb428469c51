/** The port behind which journals, locks and messages live: a run is named by its key, only an adapter knows files. */

import type { Entry, JournalEnd, JournalRecord } from './record.ts';

export interface RunKey {
  readonly workflow: string;
  readonly run: string;
}

/** A process, named so that a recycled pid is not mistaken for it. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** `unseen`: the owner runs where this process cannot look (another host or pid namespace). */
export type Liveness = 'alive' | 'dead' | 'unseen';

/** Ends with its process, too. */
export interface Lock {
  release(): void;
}

export type Message =
  | { readonly kind: 'pause' }
  | { readonly kind: 'cancel' }
  /** A null answer skips the decision. */
  | { readonly kind: 'answer'; readonly decision: string; readonly answer: string | null; readonly by: string };

export type MessageOf<K extends Message['kind']> = Extract<Message, { kind: K }>;

export type FollowOptions = Readonly<{ after: number; signal: AbortSignal }>;

/** The state that records up to some end add up to. */
export interface Checkpoint<S> extends JournalEnd {
  /** Of the state's form: one made by a Pawl that kept another state is of no use. */
  readonly version: number;
  readonly digest: string;
  readonly state: S;
}

/** A journal whose first records are known only by what they amount to. */
export interface ShortJournal<S> {
  /** Null when `tail` has all records. */
  readonly checkpoint: Checkpoint<S> | null;
  readonly tail: readonly JournalRecord[];
}

export interface OpenOptions {
  /** Takes it from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
  /** Takes a journal that somebody else changed as it is. */
  readonly acceptChanged?: boolean;
  /** Told of what was done to the journal by somebody else, and undone. */
  readonly warn?: (message: string) => void;
}

/** `S` is the state that records add up to; the store keeps it for quick starts and never looks inside. */
export interface RunStore<S> {
  /** Keys of all runs, in no particular order; a run that is being created may be among them. */
  list(): readonly RunKey[];
  /** Whether the run has its first record, whole. */
  has(key: RunKey): boolean;
  /** The journal without opening it for writing; undefined when there is no run. */
  read(key: RunKey): ShortJournal<S> | undefined;
  /** All intact records; undefined when there is no run. */
  records(key: RunKey): readonly JournalRecord[] | undefined;
  /** Every record behind the first `after`, and every later one as it is added, until `signal` aborts. */
  follow(key: RunKey, options: FollowOptions): AsyncIterable<JournalRecord>;
  /**
   * Calls `onChange` after a run was begun, one of `keys` has a new record, or its owner came or went in good order.
   * Until the returned function is called; it may be called for nothing.
   */
  watch(keys: readonly RunKey[], onChange: () => void): () => void;
  owner(key: RunKey): Owner | undefined;
  /** Leaves a message for the owner; false when one of its kind is already waiting. */
  post(key: RunKey, message: Message): boolean;
  /** Takes a message back; false when the owner has read it already. */
  withdraw(key: RunKey, message: Message): boolean;
  /** The line kept about each run, all read at once; undefined unless it was written for the journal as it is now. */
  notes(): (key: RunKey) => string | undefined;
  /** Makes a note of the journal as it is and keeps it; undefined when there is no run, or nothing to note. */
  makeNote(key: RunKey, make: (journal: ShortJournal<S>) => string | undefined): string | undefined;
  /**
   * Takes the run for writing, creating it when there is none. Throws RunLocked when a live process holds it.
   */
  open(key: RunKey, options?: OpenOptions): HeldRun<S>;
  /** Takes a lock that belongs to no run; undefined while a live process holds it. */
  lock(name: string): Lock | undefined;
  /** All intact records of a journal that was exported to this file; undefined when there is none. */
  exported(file: string): readonly JournalRecord[] | undefined;
  /** Makes the run's name free for another: its journal and files stay, as the run `<name>.<n>`. */
  retire(key: RunKey): void;
  /** Removes a run that nobody holds, with its journal and files: as a whole, whatever cuts it off. */
  remove(key: RunKey): void;
  /** Where files about the run lie that are neither journal, lock nor message: agents' logs, patches, shadow index. */
  folder(key: RunKey): string;
}

/** A run that this process may write. Every method but `close` throws once another process has taken it over. */
export interface HeldRun<S> extends ShortJournal<S> {
  /** Whether its last holder left everything in order, and durable. */
  readonly foundInOrder: boolean;
  /** Whether its last holder was cut off, and the computer was off since: what that one did not sync may be gone. */
  readonly powerLost: boolean;
  readonly length: number;
  /** All records; those in front of the checkpoint are read when they are first asked for. */
  readonly records: readonly JournalRecord[];
  /** Durable when it returns. */
  append(entry: Entry): JournalRecord;
  /** The journal's text, to be kept with the documents of a finished run. */
  text(): string;
  take<K extends Message['kind']>(kind: K): MessageOf<K> | undefined;
  drop(kind?: Message['kind']): void;
  /** Keeps a line about the run as it is now, for listings. */
  keepNote(text: string): void;
  /** Gives the run free. `inOrder` promises that all its records brought about is durable. */
  close(end: { readonly inOrder: boolean; readonly state: S | null }): void;
}
