/** Runs as files: `<root>/<workflow>/<run>/` with journal, lease and inbox, and one file of notes for listings. */

import { dirname, join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { syncFile } from '../disk/syncing.ts';
import { post, withdraw } from './inbox.ts';
import { hasBegun, Journal, journalStamp, readAfter, readJournal, readShortened } from './journal.ts';
import { currentOwner, Lease, type LeaseOptions } from './lease.ts';
import { Notes } from './notes.ts';
import { emptyJournal, type JournalRecord } from './record.ts';
import type { HeldRun, Message, Owner, RunKey, RunStore, Shortened } from './run-store.ts';

export interface FileStoreOptions extends Pick<LeaseOptions, 'self' | 'livenessOf' | 'now'> {
  readonly stateVersion: number;
  readonly disk?: Disk;
}

const followMs = 100;
/** Beside the folders of workflows, none of which has such a name. */
const notesFile = '.notes';

export class FileStore<S> implements RunStore<S> {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #options: FileStoreOptions;
  readonly #notes: Notes;

  constructor(root: string, options: FileStoreOptions) {
    this.#root = root;
    this.#disk = options.disk ?? nodeDisk;
    this.#options = options;
    this.#notes = new Notes(join(root, notesFile), this.#disk);
  }

  list(): readonly RunKey[] {
    const namesIn = (folder: string): readonly string[] => orElse([], () => this.#disk.names(folder));
    return namesIn(this.#root).flatMap((workflow) =>
      namesIn(join(this.#root, workflow)).map((run) => ({ workflow, run })),
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
    // Loaded late: most who look at runs follow none.
    const { setTimeout: wait } = await import('node:timers/promises');
    let seen = after;
    let known = emptyJournal;
    while (!signal.aborted) {
      const { records, end } = readAfter(this.folder(key), known, this.#disk);
      known = end;
      for (const record of records) {
        if (record.seq <= seen) continue;
        seen = record.seq;
        yield record;
        if (signal.aborted) return;
      }
      if (records.length === 0) await wait(followMs, undefined, { signal }).catch(() => undefined);
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

  notes(): (key: RunKey) => string | undefined {
    return this.#notes.read((key) => journalStamp(this.folder(key), this.#disk));
  }

  /** Looked at before it is read, so that a note of a journal that grows meanwhile does not count. */
  makeNote(key: RunKey, make: (journal: Shortened<S>) => string | undefined): string | undefined {
    const stamp = journalStamp(this.folder(key), this.#disk);
    const journal = this.read(key);
    const text = journal && make(journal);
    if (text !== undefined) this.#notes.keep(key, stamp, text);
    return text;
  }

  open(key: RunKey, { force = false }: { readonly force?: boolean } = {}): HeldRun<S> {
    const folder = this.folder(key);
    this.#disk.mkdir(folder, 0o700);
    const lease = Lease.acquire(folder, { ...this.#options, force });
    try {
      const keepNote = (text: string): void => this.#notes.keep(key, journalStamp(folder, this.#disk), text);
      const journal = new Journal<S>(folder, { ...this.#options, lease, keepNote });
      if (journal.length === 0) this.#syncFolders(folder);
      return journal;
    } catch (error) {
      lease.release({ inOrder: lease.found.inOrder });
      throw error;
    }
  }

  retire(key: RunKey): void {
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
    return `${this.#root}/${workflow}/${run}`;
  }
}
