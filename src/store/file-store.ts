/**
 * Runs as files: `<root>/<workflow>/<run>/` with journal, lease and inbox, and one file of notes for listings, a line
 * each, so that listing ten thousand runs reads one file.
 *
 * N1. A note counts only for the very journal it was written for, and as a whole: the journal's length and time and
 *     its own length are kept with it.
 * N2. A note is no truth, and not synced: where its line is torn, lost or written over, the journal is read instead.
 * N3. The last line about a run counts. The file is written anew once most of its lines do not count any more.
 */

import { randomUUID } from 'node:crypto';
import { watch as watchFolder } from 'node:fs';
import { dirname, join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { syncFile } from '../disk/syncing.ts';
import { post, withdraw } from './inbox.ts';
import { Journal } from './journal.ts';
import {
  hasBegun,
  journalStamp,
  readAfter,
  readJournal,
  readJournalFile,
  readShort,
  upgraded,
} from './read-journal.ts';
import type { JournalStamp, Upgrade } from './read-journal.ts';
import { currentOwner, Lease, RunLocked, type LeaseOptions } from './lease.ts';
import { emptyJournal, type JournalRecord } from './record.ts';
import type { FollowOptions, HeldRun, Lock, Message, OpenOptions, Owner } from './run-store.ts';
import type { RunKey, RunStore, ShortJournal } from './run-store.ts';
import { Seal, type SealOptions } from './seal.ts';

export interface FileStoreOptions extends Omit<LeaseOptions, 'force'> {
  readonly stateVersion: number;
  /** For records of earlier versions; undefined for a workflow whose names never changed. */
  upgradeOf?(workflow: string): Upgrade | undefined;
  readonly seals?: SealOptions;
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

  read(key: RunKey): ShortJournal<S> | undefined {
    const journal = readShort<S>(this.folder(key), this.#options.stateVersion, {
      disk: this.#disk,
      seal: this.#sealOf(key),
    });
    return journal && { ...journal, tail: upgraded(journal.tail, this.#upgradeOf(key)) };
  }

  records(key: RunKey): readonly JournalRecord[] | undefined {
    const records = readJournal(this.folder(key), this.#disk);
    return records && upgraded(records, this.#upgradeOf(key));
  }

  async *follow(key: RunKey, { after, signal }: FollowOptions): AsyncGenerator<JournalRecord> {
    // Loaded late: most who look at runs follow none.
    const { setTimeout: wait } = process.getBuiltinModule('node:timers/promises');
    let seen = after;
    let known = emptyJournal;
    while (!signal.aborted) {
      const { records, end } = readAfter(this.folder(key), known, this.#disk);
      known = end;
      for (const record of upgraded(records, this.#upgradeOf(key))) {
        if (record.seq <= seen) continue;
        seen = record.seq;
        yield record;
        if (signal.aborted) return;
      }
      if (records.length === 0) await wait(followMs, undefined, { signal }).catch(() => undefined);
    }
  }

  watch(keys: readonly RunKey[], onChange: () => void): () => void {
    const workflows = orElse([], () => this.#disk.list(this.#root)).filter(({ kind }) => kind === 'folder');
    const folders = [
      // Made with the first run.
      this.#disk.exists(this.#root) ? this.#root : dirname(this.#root),
      ...workflows.map(({ name }) => join(this.#root, name)),
      ...keys.map((key) => this.folder(key)),
    ];
    const isNote = (name: string | null): boolean => name?.startsWith(notesFile) === true;
    const watch = (folder: string) => {
      const watcher = watchFolder(folder, { persistent: false }, (_, name) => isNote(name) || onChange());
      // A folder that is removed; or there are more watchers than the system has, and whoever looks again sees it.
      return watcher.on('error', () => watcher.close());
    };
    const watchers = folders.flatMap((folder) => orElse([], () => [watch(folder)]));
    return () => watchers.forEach((watcher) => watcher.close());
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
  makeNote(key: RunKey, make: (journal: ShortJournal<S>) => string | undefined): string | undefined {
    const stamp = journalStamp(this.folder(key), this.#disk);
    const journal = this.read(key);
    const text = journal && make(journal);
    if (text !== undefined) this.#notes.keep(key, stamp, text);
    return text;
  }

  open(key: RunKey, { force = false, ...options }: OpenOptions = {}): HeldRun<S> {
    const folder = this.folder(key);
    this.#disk.mkdir(folder, 0o700);
    const lease = Lease.acquire(folder, { ...this.#options, force });
    try {
      const keepNote = (text: string): void => this.#notes.keep(key, journalStamp(folder, this.#disk), text);
      const own = { upgrade: this.#upgradeOf(key), lease, keepNote, seal: this.#sealOf(key) };
      const journal = new Journal<S>(folder, { ...this.#options, ...options, ...own });
      if (journal.length === 0) this.#syncFolders(folder);
      return journal;
    } catch (error) {
      lease.release({ inOrder: lease.found.inOrder });
      throw error;
    }
  }

  lock(name: string): Lock | undefined {
    const folder = join(`${this.#root}-locks`, name);
    this.#disk.mkdir(folder, 0o700);
    try {
      return Lease.acquire(folder, this.#options);
    } catch (error) {
      if (error instanceof RunLocked) return undefined;
      throw error;
    }
  }

  exported(file: string): readonly JournalRecord[] | undefined {
    return readJournalFile(file, this.#disk);
  }

  retire(key: RunKey): void {
    const folder = this.folder(key);
    let number = 1;
    while (this.#disk.exists(`${folder}.${number}`)) number += 1;
    this.#disk.rename(folder, `${folder}.${number}`);
  }

  remove(key: RunKey): void {
    const removed = join(this.#root, removedName);
    const place = join(removed, randomUUID());
    this.#disk.mkdir(place);
    this.#disk.rename(this.folder(key), join(place, 'run'));
    // Also what one that was cut off left.
    removeFolder(this.#disk, removed);
  }

  #sealOf(key: RunKey): Seal | undefined {
    const { seals } = this.#options;
    return seals && new Seal(this.#disk, this.folder(key), seals);
  }

  #upgradeOf({ workflow }: RunKey): Upgrade | undefined {
    return this.#options.upgradeOf?.(workflow);
  }

  /** J1: a record is worth nothing in a folder that is lost; all of them may be new. */
  #syncFolders(runFolder: string): void {
    for (const folder of [runFolder, dirname(runFolder), this.#root, dirname(this.#root)]) syncFile(this.#disk, folder);
  }

  folder({ workflow, run }: RunKey): string {
    return `${this.#root}/${workflow}/${run}`;
  }
}

/** Lines that do not count, beyond as many as do. */
const wastedLinesMax = 1_000;
const bytesMax = 64 * 1024 * 1024;

export class Notes {
  readonly #file: string;
  readonly #disk: Disk;

  constructor(file: string, disk: Disk = nodeDisk) {
    this.#file = file;
    this.#disk = disk;
  }

  /** N1. `stampOf` tells what a run's journal looks like now. */
  read(stampOf: (key: RunKey) => JournalStamp): (key: RunKey) => string | undefined {
    const lines = orElse('', () => this.#disk.readFile(this.#file).toString()).split('\n');
    const last = new Map<string, string>();
    for (const line of lines) {
      const end = line.indexOf('\t');
      if (end > 0) last.set(line.slice(0, end), line.slice(end + 1));
    }
    if (lines.length > 2 * last.size + wastedLinesMax) {
      this.#write([...last].map(([name, line]) => `${name}\t${line}\n`).join(''));
    }
    return (key) => {
      const line = last.get(nameOf(key)) ?? '';
      const end = line.indexOf('\t');
      const text = line.slice(end + 1);
      return end > 0 && line.slice(0, end) === headOf(text, stampOf(key)) ? text : undefined;
    };
  }

  /** `text` is one line; `of` is the journal it was made from. */
  keep(key: RunKey, of: JournalStamp, text: string): void {
    // N2: a full or read-only disk.
    orElse(undefined, () => {
      if ((this.#disk.target(this.#file)?.bytes ?? 0) > bytesMax) this.#write('');
      this.#disk.writeFile(this.#file, `${nameOf(key)}\t${headOf(text, of)}\t${text}\n`, { flag: 'a' });
    });
  }

  /** N3. What somebody adds meanwhile is lost: N2. */
  #write(text: string): void {
    const draft = `${this.#file}.new`;
    orElse(undefined, () => {
      this.#disk.writeFile(draft, text);
      this.#disk.rename(draft, this.#file);
    });
  }
}

function nameOf({ workflow, run }: RunKey): string {
  return `${workflow}/${run}`;
}

function headOf(text: string, { bytes, ms }: JournalStamp): string {
  return `${bytes} ${ms} ${text.length}`;
}

/** No workflow has such a name. */
const removedName = '.removed';

function removeFolder(disk: Disk, folder: string): void {
  for (const { name, kind } of disk.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') removeFolder(disk, path);
    else disk.unlink(path);
  }
  disk.rmdir(folder);
}
