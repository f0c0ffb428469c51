/** Runs as files: `<root>/<workflow>/<run>/` with journal, lease and inbox, and one file of notes for listings. */

import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { drop, post, take, withdraw } from './inbox.ts';
import { hasBegun, Journal, journalStamp, journalText, makeRunFolder, readJournal, readShortened } from './journal.ts';
import { currentOwner, Lease, type LeaseOptions } from './lease.ts';
import { Notes } from './notes.ts';
import type { Entry, JournalRecord } from './record.ts';
import type { HeldRun, Message, Owner, RunKey, RunStore, Shortened } from './run-store.ts';

export interface FileStoreOptions extends Pick<LeaseOptions, 'self' | 'livenessOf' | 'now'> {
  /** Of the state that checkpoints keep. */
  readonly stateVersion: number;
}

const followMs = 100;
/** Beside the folders of workflows, none of which has such a name. */
const notesFile = '.notes';

export class FileStore<S> implements RunStore<S> {
  readonly #root: string;
  readonly #options: FileStoreOptions;
  readonly #notes: Notes;

  constructor(root: string, options: FileStoreOptions) {
    this.#root = root;
    this.#options = options;
    this.#notes = new Notes(join(root, notesFile));
  }

  list(): readonly RunKey[] {
    this.#notes.forget();
    return foldersIn(this.#root).flatMap((workflow) =>
      foldersIn(join(this.#root, workflow)).map((run) => ({ workflow, run })),
    );
  }

  has(key: RunKey): boolean {
    return hasBegun(this.folder(key));
  }

  read(key: RunKey): Shortened<S> | undefined {
    return readShortened(this.folder(key), this.#options.stateVersion);
  }

  records(key: RunKey): readonly JournalRecord[] | undefined {
    return readJournal(this.folder(key));
  }

  async *follow(
    key: RunKey,
    { after, signal }: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncGenerator<JournalRecord> {
    let seen = after;
    let bytes = -1;
    while (!signal.aborted) {
      const stamp = journalStamp(this.folder(key));
      if (stamp.bytes !== bytes) {
        bytes = stamp.bytes;
        for (const record of (this.records(key) ?? []).slice(seen)) {
          seen = record.seq;
          yield record;
        }
      }
      await wait(followMs, undefined, { signal }).catch(() => undefined);
    }
  }

  owner(key: RunKey): Owner | undefined {
    return currentOwner(this.folder(key), this.#options);
  }

  post(key: RunKey, message: Message): boolean {
    return post(this.folder(key), message);
  }

  withdraw(key: RunKey, message: Message): boolean {
    return withdraw(this.folder(key), message);
  }

  note(key: RunKey): string | undefined {
    return this.#notes.of(key, journalStamp(this.folder(key)));
  }

  /** Looked at before it is read, so that a note of a journal that grows meanwhile does not count. */
  makeNote(key: RunKey, make: (journal: Shortened<S>) => string | undefined): string | undefined {
    const stamp = journalStamp(this.folder(key));
    const journal = this.read(key);
    const text = journal && make(journal);
    if (text !== undefined) this.#notes.keep(key, stamp, text);
    return text;
  }

  open(key: RunKey, { force = false }: { readonly force?: boolean } = {}): HeldRun<S> {
    const folder = this.folder(key);
    makeRunFolder(folder);
    const lease = Lease.acquire(folder, { ...this.#options, force });
    try {
      const journal = Journal.open<S>(folder, lease, this.#options.now, this.#options.stateVersion);
      return new HeldFolder(folder, lease, journal, {
        stateVersion: this.#options.stateVersion,
        keepNote: (text) => this.#notes.keep(key, journalStamp(folder), text),
      });
    } catch (error) {
      lease.release({ inOrder: lease.foundInOrder });
      throw error;
    }
  }

  setAside(key: RunKey): void {
    const folder = this.folder(key);
    let number = 1;
    while (existsSync(`${folder}.${number}`)) number += 1;
    renameSync(folder, `${folder}.${number}`);
  }

  folder({ workflow, run }: RunKey): string {
    return `${this.#root}/${workflow}/${run}`;
  }
}

class HeldFolder<S> implements HeldRun<S> {
  readonly #folder: string;
  readonly #lease: Lease;
  readonly #journal: Journal<S>;
  readonly #stateVersion: number;
  readonly keepNote: (text: string) => void;

  constructor(
    folder: string,
    lease: Lease,
    journal: Journal<S>,
    { stateVersion, keepNote }: { readonly stateVersion: number; readonly keepNote: (text: string) => void },
  ) {
    this.#folder = folder;
    this.#lease = lease;
    this.#journal = journal;
    this.#stateVersion = stateVersion;
    this.keepNote = keepNote;
  }

  get foundInOrder(): boolean {
    return this.#lease.foundInOrder;
  }

  get checkpoint(): Shortened<S>['checkpoint'] {
    return this.#journal.checkpoint;
  }

  get tail(): readonly JournalRecord[] {
    return this.#journal.tail;
  }

  get length(): number {
    return this.#journal.length;
  }

  get records(): readonly JournalRecord[] {
    return this.#journal.records;
  }

  append(entry: Entry): JournalRecord {
    return this.#journal.append(entry);
  }

  text(): string {
    return journalText(this.#folder);
  }

  take<K extends Message['kind']>(kind: K): Extract<Message, { kind: K }> | undefined {
    return take(this.#folder, kind);
  }

  drop(kind?: Message['kind']): void {
    drop(this.#folder, kind);
  }

  close({ inOrder, state }: { readonly inOrder: boolean; readonly state: S | null }): void {
    if (state !== null) this.#journal.keep(state, this.#stateVersion);
    this.#journal.close();
    this.#lease.release({ inOrder });
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
