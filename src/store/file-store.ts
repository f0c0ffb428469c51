/**
 * Runs as files: `<root>/<workflow>/<run>/` with journal, lease, inbox and a note for listings.
 *
 * N1. A note counts only for the very journal it was written for: its length is kept with it.
 */

import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { drop, post, take, withdraw } from './inbox.ts';
import { hasBegun, Journal, journalBytes, journalText, makeRunFolder, readJournal, readShortened } from './journal.ts';
import { currentOwner, Lease, type LeaseOptions } from './lease.ts';
import type { Entry, JournalRecord } from './record.ts';
import type { HeldRun, Message, Owner, RunKey, RunStore, Shortened } from './run-store.ts';

export interface FileStoreOptions extends Pick<LeaseOptions, 'self' | 'livenessOf' | 'now'> {
  /** Of the state that checkpoints keep. */
  readonly stateVersion: number;
}

const followMs = 100;
const noteFile = 'note';

export class FileStore<S> implements RunStore<S> {
  readonly #root: string;
  readonly #options: FileStoreOptions;

  constructor(root: string, options: FileStoreOptions) {
    this.#root = root;
    this.#options = options;
  }

  list(): readonly RunKey[] {
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
      const size = journalBytes(this.folder(key));
      if (size !== bytes) {
        bytes = size;
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

  /** N1. */
  note(key: RunKey): string | undefined {
    const folder = this.folder(key);
    const [bytes, ...lines] = (textOrNothing(join(folder, noteFile)) ?? '').split('\n');
    return bytes === String(journalBytes(folder)) ? lines.join('\n') : undefined;
  }

  /** N1: measured before it is read, so that a note of a journal that grows meanwhile does not count. */
  makeNote(key: RunKey, make: (journal: Shortened<S>) => string | undefined): string | undefined {
    const folder = this.folder(key);
    const bytes = journalBytes(folder);
    const journal = this.read(key);
    const text = journal && make(journal);
    if (text !== undefined) writeNote(folder, bytes, text);
    return text;
  }

  open(key: RunKey, { force = false }: { readonly force?: boolean } = {}): HeldRun<S> {
    const folder = this.folder(key);
    makeRunFolder(folder);
    const lease = Lease.acquire(folder, { ...this.#options, force });
    try {
      const journal = Journal.open<S>(folder, lease, this.#options.now, this.#options.stateVersion);
      return new HeldFolder(folder, lease, journal, this.#options.stateVersion);
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
    return join(this.#root, workflow, run);
  }
}

class HeldFolder<S> implements HeldRun<S> {
  readonly #folder: string;
  readonly #lease: Lease;
  readonly #journal: Journal<S>;
  readonly #stateVersion: number;

  constructor(folder: string, lease: Lease, journal: Journal<S>, stateVersion: number) {
    this.#folder = folder;
    this.#lease = lease;
    this.#journal = journal;
    this.#stateVersion = stateVersion;
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

  keepNote(text: string): void {
    writeNote(this.#folder, journalBytes(this.#folder), text);
  }

  close({ inOrder, state }: { readonly inOrder: boolean; readonly state: S | null }): void {
    if (state !== null) this.#journal.keep(state, this.#stateVersion);
    this.#journal.close();
    this.#lease.release({ inOrder });
  }
}

/** N1. Not synced: where it is lost, the next listing reads the journal. */
function writeNote(folder: string, bytes: number, text: string): void {
  const draft = join(folder, `.${noteFile}`);
  try {
    writeFileSync(draft, `${bytes}\n${text}`);
    renameSync(draft, join(folder, noteFile));
  } catch {
    // A full or read-only disk: listings read the journal instead.
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
