/**
 * The append-only journal of one run: the truth its files are projections of.
 *
 * J1. A record is on disk (one fdatasync) before `append` returns.
 * J2. Only the holder of the lease appends; a writer whose lease was taken over stops before it writes.
 * J3. A torn tail is cut when the journal is opened for writing, never when it is only read.
 * J4. A record that could not be written whole leaves nothing behind, or no other is appended after it.
 * J5. Records in front of a checkpoint are decoded only when somebody asks for them.
 */

import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import type { Lease } from './lease.ts';
import { decodeJournal, encodeRecord, type Entry, type JournalRecord } from './record.ts';
import type { Checkpoint, Shortened } from './run-store.ts';

const fileName = 'journal.jsonl';

/** The record is not on disk and does not count: stop; once the cause is gone, the same command goes on. */
export class JournalUnwritable extends Error {
  readonly code: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`cannot write ${file}: ${reason}; put that right and run the same command again`, { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  }
}

/** Replaying fewer records takes no time worth saving. */
const checkpointEvery = 1_000;

export class Journal<S = unknown> implements Shortened<S> {
  readonly checkpoint: Checkpoint<S> | null;
  #records: JournalRecord[];
  /** Records in front of the first of `#records`. */
  #skipped: number;
  readonly #folder: string;
  readonly #file: string;
  readonly #descriptor: number;
  readonly #lease: Lease;
  readonly #now: () => number;
  #lastSum: string;
  #lastAt: number;
  #bytes: number;
  #usable = true;

  private constructor({ folder, descriptor, decoded, checkpoint }: Opened<S>, lease: Lease, now: () => number) {
    this.checkpoint = checkpoint;
    this.#skipped = checkpoint?.records ?? 0;
    this.#folder = folder;
    this.#file = join(folder, fileName);
    this.#descriptor = descriptor;
    this.#lease = lease;
    this.#now = now;
    this.#bytes = decoded.intactBytes;
    this.#records = [...decoded.records];
    this.#lastSum = decoded.lastSum;
    this.#lastAt = Math.max(checkpoint?.lastAt ?? 0, lastTime(decoded.records));
  }

  /** Opens the journal for writing, creating it (and syncing its folder) when there is none. */
  static open<S>(folder: string, lease: Lease, now: () => number, stateVersion = 0): Journal<S> {
    const file = join(folder, fileName);
    const descriptor = openSync(file, 'a+');
    const { size } = fstatSync(descriptor);
    if (size === 0) {
      syncFolder(folder);
      syncFolder(dirname(folder));
    }
    const { checkpoint, decoded } = readBehindCheckpoint<S>(folder, descriptor, stateVersion);
    if (decoded.intactBytes < size) ftruncateSync(descriptor, decoded.intactBytes);
    return new Journal({ folder, descriptor, decoded, checkpoint }, lease, now);
  }

  get length(): number {
    return this.#skipped + this.#records.length;
  }

  /** Those behind the checkpoint. */
  get tail(): readonly JournalRecord[] {
    return this.#records.slice(Math.max(0, (this.checkpoint?.records ?? 0) - this.#skipped));
  }

  /** All of them: J5. */
  get records(): readonly JournalRecord[] {
    if (this.#skipped > 0 && this.checkpoint) {
      const bytes = readFileSync(this.#file).subarray(0, this.checkpoint.bytes);
      this.#records = [...decodeJournal(bytes, this.#file).records, ...this.#records];
      this.#skipped = 0;
    }
    return this.#records;
  }

  append(entry: Entry): JournalRecord {
    this.#lease.assertHeld();
    const time = Math.max(this.#now(), this.#lastAt + 1);
    const record: JournalRecord = {
      seq: this.length + 1,
      epoch: this.#lease.epoch,
      at: new Date(time).toISOString(),
      ...entry,
    };
    const { line, sum } = encodeRecord(record, this.#lastSum);
    this.#write(Buffer.from(line));
    this.#records.push(record);
    this.#lastSum = sum;
    this.#lastAt = time;
    return record;
  }

  /** J1, J4. A disk that fills up takes part of a record and calls that a success. */
  #write(line: Buffer): void {
    if (!this.#usable) throw new JournalUnwritable(this.#file, new Error('an earlier record could not be taken back'));
    try {
      for (let done = 0; done < line.length;) done += writeSync(this.#descriptor, line.subarray(done));
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      this.#takeBack();
      throw new JournalUnwritable(this.#file, error);
    }
    this.#bytes += line.length;
  }

  #takeBack(): void {
    try {
      ftruncateSync(this.#descriptor, this.#bytes);
    } catch {
      this.#usable = false;
    }
  }

  /** Keeps what the records amount to for the next start, once enough of them are new. */
  keep(state: S, stateVersion: number): void {
    if (this.length - (this.checkpoint?.records ?? 0) < checkpointEvery) return;
    const point = {
      version: stateVersion,
      bytes: this.#bytes,
      records: this.length,
      lastSum: this.#lastSum,
      lastAt: this.#lastAt,
      state,
    };
    try {
      writeCheckpoint(this.#folder, this.#descriptor, point);
    } catch {
      // The next start replays the journal instead.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

interface Opened<S> {
  readonly folder: string;
  readonly descriptor: number;
  readonly decoded: ReturnType<typeof decodeJournal>;
  readonly checkpoint: Checkpoint<S> | null;
}

/** Whether a run has begun: its first record is there, whole. */
export function hasBegun(folder: string): boolean {
  const file = join(folder, fileName);
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(chunkBytes);
  try {
    for (let read = readSync(descriptor, bytes); read > 0; read = readSync(descriptor, bytes)) {
      if (bytes.subarray(0, read).includes(newline)) return true;
    }
    return false;
  } finally {
    closeSync(descriptor);
  }
}

const newline = 10;
const chunkBytes = 16 * 1024;

/** The intact records of a journal, without opening it for writing; undefined when there is none. */
export function readJournal(folder: string): readonly JournalRecord[] | undefined {
  return readJournalFile(join(folder, fileName));
}

/** The same of one that was exported to the documents of a finished run. */
export function readJournalFile(file: string): readonly JournalRecord[] | undefined {
  try {
    return decodeJournal(readFileSync(file), file).records;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** As `Journal.open` finds it, without opening it for writing; undefined when there is none. */
export function readShortened<S>(folder: string, stateVersion: number): Shortened<S> | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, fileName), 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const { checkpoint, decoded } = readBehindCheckpoint<S>(folder, descriptor, stateVersion);
    return { checkpoint, tail: decoded.records };
  } finally {
    closeSync(descriptor);
  }
}

/** A journal as it looks from outside: it changes with every record. */
export interface JournalStamp {
  readonly bytes: number;
  /** When it was last written to. */
  readonly ms: number;
}

/** All 0 when there is none. */
export function journalStamp(folder: string): JournalStamp {
  const found = statSync(`${folder}/${fileName}`, { throwIfNoEntry: false });
  return { bytes: found?.size ?? 0, ms: Math.trunc(found?.mtimeMs ?? 0) };
}

export function journalText(folder: string): string {
  return readFileSync(join(folder, fileName), 'utf8');
}

export function makeRunFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** J5. */
function readBehindCheckpoint<S>(
  folder: string,
  descriptor: number,
  stateVersion: number,
): Pick<Opened<S>, 'checkpoint' | 'decoded'> {
  const checkpoint = readCheckpoint<S>(folder, descriptor, stateVersion) ?? null;
  const bytes = readFrom(descriptor, checkpoint?.bytes ?? 0);
  return { checkpoint, decoded: decodeJournal(bytes, join(folder, fileName), checkpoint ?? undefined) };
}

function readFrom(descriptor: number, start: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, fstatSync(descriptor).size - start));
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, start + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function lastTime(records: readonly JournalRecord[]): number {
  const last = records.at(-1);
  return last ? Date.parse(last.at) : 0;
}
