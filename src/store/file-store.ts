/**
 * Runs as files: `<root>/<workflow>/<run>/` with journal, lease, inbox and a note for listings.
 *
 * N1. A note counts only for the very journal it was written for, and as a whole: both lengths are kept with it.
 */

import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { syncFile } from '../disk/syncing.ts';
import { drop, post, take, withdraw } from './inbox.ts';
import { hasBegun, Journal, journalBytes, journalText, readAfter, readJournal, readShortened } from './journal.ts';
import { currentOwner, Lease, type LeaseOptions } from './lease.ts';
import { nothingKnown, type Entry, type JournalRecord } from './record.ts';
import type { HeldRun, Message, Owner, RunKey, RunStore, Shortened } from './run-store.ts';

export interface FileStoreOptions extends Pick<LeaseOptions, 'self' | 'livenessOf' | 'now'> {
  /** Of the state that checkpoints keep. */
  readonly stateVersion: number;
  /** Where the files are; the real disk when it is left out. */
  readonly disk?: Disk;
}

const followMs = 100;
const noteFile = 'note';

export class FileStore<S> implements RunStore<S> {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #options: FileStoreOptions;

  constructor(root: string, options: FileStoreOptions) {
    this.#root = root;
    this.#disk = options.disk ?? nodeDisk;
    this.#options = options;
  }

  list(): readonly RunKey[] {
    return namesIn(this.#disk, this.#root).flatMap((workflow) =>
      namesIn(this.#disk, join(this.#root, workflow)).map((run) => ({ workflow, run })),
    );
  }

  has(key: RunKey): boolean {
    return hasBegun(this.folder(key), this.#disk);
  }

  read(key: RunKey): Shortened<S> | undefined {
    return readShortened(this.folder(key), this.#options.stateVersion, this.#disk);
  }

  records(key: RunKey): readonly JournalRecord[] | undefined {
    return readJournal(this.folder(key), this.#disk);
  }

  async *follow(
    key: RunKey,
    { after, signal }: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncGenerator<JournalRecord> {
    let seen = after;
    let known = nothingKnown;
    while (!signal.aborted) {
      const read = readAfter(this.folder(key), known, this.#disk);
      ({ known } = read);
      for (const record of read.found) {
        if (record.seq <= seen) continue;
        seen = record.seq;
        yield record;
        if (signal.aborted) return;
      }
      if (read.found.length === 0) await wait(followMs, undefined, { signal }).catch(() => undefined);
    }
  }

  owner(key: RunKey): Owner | undefined {
    return currentOwner(this.folder(key), this.#options);
  }

  post(key: RunKey, message: Message): boolean {
    return post(this.folder(key), message, this.#disk);
  }

  withdraw(key: RunKey, message: Message): boolean {
    return withdraw(this.folder(key), message, this.#disk);
  }

  /** N1. */
  note(key: RunKey): string | undefined {
    const folder = this.folder(key);
    const text = textOrNothing(this.#disk, join(folder, noteFile)) ?? '';
    const note = text.slice(text.indexOf('\n') + 1);
    return text === withHead(note, journalBytes(folder, this.#disk)) ? note : undefined;
  }

  /** N1: measured before it is read, so that a note of a journal that grows meanwhile does not count. */
  makeNote(key: RunKey, make: (journal: Shortened<S>) => string | undefined): string | undefined {
    const folder = this.folder(key);
    const bytes = journalBytes(folder, this.#disk);
    const journal = this.read(key);
    const text = journal && make(journal);
    if (text !== undefined) writeNote(this.#disk, folder, { bytes, text });
    return text;
  }

  open(key: RunKey, { force = false }: { readonly force?: boolean } = {}): HeldRun<S> {
    const folder = this.folder(key);
    this.#disk.mkdir(folder, 0o700);
    const lease = Lease.acquire(folder, { ...this.#options, force });
    try {
      const journal = Journal.open<S>(folder, { ...this.#options, lease });
      if (journal.length === 0) this.#syncFolders(folder);
      return new HeldFolder(folder, { lease, journal, disk: this.#disk, stateVersion: this.#options.stateVersion });
    } catch (error) {
      lease.release({ inOrder: lease.found.inOrder });
      throw error;
    }
  }

  setAside(key: RunKey): void {
    const folder = this.folder(key);
    let number = 1;
    while (this.#disk.exists(`${folder}.${number}`)) number += 1;
    this.#disk.rename(folder, `${folder}.${number}`);
  }

  /** J1: a record is worth nothing in a folder that is lost; all of them may be new. */
  #syncFolders(runFolder: string): void {
    for (const folder of [runFolder, dirname(runFolder), this.#root, dirname(this.#root)]) syncFile(this.#disk, folder);
  }

  folder({ workflow, run }: RunKey): string {
    return join(this.#root, workflow, run);
  }
}

interface Holding<S> {
  readonly lease: Lease;
  readonly journal: Journal<S>;
  readonly disk: Disk;
  readonly stateVersion: number;
}

class HeldFolder<S> implements HeldRun<S> {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #lease: Lease;
  readonly #journal: Journal<S>;
  readonly #stateVersion: number;

  constructor(folder: string, { lease, journal, disk, stateVersion }: Holding<S>) {
    this.#folder = folder;
    this.#disk = disk;
    this.#lease = lease;
    this.#journal = journal;
    this.#stateVersion = stateVersion;
  }

  get foundInOrder(): boolean {
    return this.#journal.foundInOrder;
  }

  get powerLost(): boolean {
    return this.#journal.powerLost;
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
    return journalText(this.#folder, this.#disk);
  }

  take<K extends Message['kind']>(kind: K): Extract<Message, { kind: K }> | undefined {
    return take(this.#folder, kind, this.#disk);
  }

  drop(kind?: Message['kind']): void {
    drop(this.#folder, kind, this.#disk);
  }

  keepNote(text: string): void {
    writeNote(this.#disk, this.#folder, { bytes: journalBytes(this.#folder, this.#disk), text });
  }

  close({ inOrder, state }: { readonly inOrder: boolean; readonly state: S | null }): void {
    if (state !== null) this.#journal.keep(state, this.#stateVersion);
    this.#journal.close();
    this.#lease.release({ inOrder });
  }
}

/** N1. Not synced: where it is lost, the next listing reads the journal. */
function writeNote(disk: Disk, folder: string, { bytes, text }: { bytes: number; text: string }): void {
  const draft = join(folder, `.${noteFile}`);
  try {
    disk.writeFile(draft, withHead(text, bytes));
    disk.rename(draft, join(folder, noteFile));
  } catch {
    // A full or read-only disk: listings read the journal instead.
  }
}

/** A note that was torn by a power loss is shorter than its head says. */
function withHead(note: string, bytes: number): string {
  return `${bytes} ${note.length}\n${note}`;
}

function namesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.names(folder);
  } catch {
    return [];
  }
}

function textOrNothing(disk: Disk, file: string): string | undefined {
  try {
    return disk.readFile(file).toString();
  } catch {
    return undefined;
  }
}
