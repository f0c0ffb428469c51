/**
 * The append-only journal of one run: the truth its files are projections of.
 *
 * J1. A record is on disk (one fdatasync) before `append` returns.
 * J2. Only the holder of the lease appends; a writer whose lease was taken over stops before it writes.
 * J3. A torn tail is cut when the journal is opened for writing, never when it is only read.
 * J4. A record that could not be written whole leaves nothing behind, or no other is appended after it.
 * J5. Records in front of a checkpoint are decoded only when somebody asks for them.
 */

import { join } from 'node:path';
import { codeOf, isMissing } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { readCheckpoint, writeCheckpoint, type OpenJournal } from './checkpoint.ts';
import type { Lease } from './lease.ts';
import { decodeJournal, encodeRecord, nothingKnown, type Entry, type JournalRecord, type Known } from './record.ts';
import type { Checkpoint, Shortened } from './run-store.ts';

const fileName = 'journal.jsonl';

/** The record is not on disk and does not count: stop; once the cause is gone, the same command goes on. */
export class JournalUnwritable extends Error {
  readonly code: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`cannot write ${file}: ${reason}; put that right and run the same command again`, { cause });
    this.code = codeOf(cause);
  }
}

export interface JournalOptions {
  readonly lease: Lease;
  readonly now: () => number;
  readonly stateVersion?: number;
  readonly disk?: Disk;
}

/** Replaying fewer records takes no time worth saving. */
const checkpointEvery = 1_000;

export class Journal<S = unknown> implements Shortened<S> {
  readonly checkpoint: Checkpoint<S> | null;
  readonly foundInOrder: boolean;
  readonly powerLost: boolean;
  #records: JournalRecord[];
  /** Records in front of the first of `#records`. */
  #skipped: number;
  readonly #open: OpenJournal;
  readonly #file: string;
  readonly #lease: Lease;
  readonly #now: () => number;
  #lastSum: string;
  #lastAt: number;
  #lastEpoch: number;
  #bytes: number;
  #hasAppended = false;
  #usable = true;

  private constructor(open: OpenJournal, { decoded, checkpoint }: Found<S>, { lease, now }: JournalOptions) {
    this.checkpoint = checkpoint;
    this.#skipped = checkpoint?.records ?? 0;
    this.#open = open;
    this.#file = join(open.folder, fileName);
    this.#lease = lease;
    this.#now = now;
    this.#bytes = decoded.intactBytes;
    this.#records = [...decoded.records];
    this.#lastSum = decoded.lastSum;
    this.#lastAt = Math.max(checkpoint?.lastAt ?? 0, lastTime(decoded.records));
    this.#lastEpoch = decoded.records.at(-1)?.epoch ?? checkpoint?.lastEpoch ?? 0;
    this.foundInOrder = lease.isInOrder(this.#lastEpoch);
    this.powerLost = !this.foundInOrder && lease.isAfterPowerLoss(this.#lastEpoch);
  }

  /** Opens the journal for writing, creating it when there is none. */
  static open<S>(folder: string, options: JournalOptions): Journal<S> {
    const { stateVersion = 0, disk = nodeDisk } = options;
    const descriptor = disk.open(join(folder, fileName), 'a+');
    const bytes = disk.bytesIn(descriptor);
    const open = { disk, folder, descriptor };
    const found = readBehindCheckpoint<S>(open, stateVersion);
    if (found.decoded.intactBytes < bytes) disk.truncate(descriptor, found.decoded.intactBytes);
    return new Journal(open, found, options);
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
      const bytes = this.#open.disk.readFile(this.#file).subarray(0, this.checkpoint.bytes);
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
      ...(this.foundInOrder && !this.#hasAppended && { settled: true }),
      ...entry,
    };
    const { line, sum } = encodeRecord(record, this.#lastSum);
    this.#write(Buffer.from(line));
    this.#records.push(record);
    this.#lastSum = sum;
    this.#lastAt = time;
    this.#lastEpoch = this.#lease.epoch;
    this.#hasAppended = true;
    return record;
  }

  /** J1, J4. A disk that fills up takes part of a record and calls that a success. */
  #write(line: Buffer): void {
    if (!this.#usable) throw new JournalUnwritable(this.#file, new Error('an earlier record could not be taken back'));
    const { disk, descriptor } = this.#open;
    try {
      for (let done = 0; done < line.length;) done += disk.write(descriptor, line.subarray(done));
      disk.fdatasync(descriptor);
    } catch (error) {
      this.#takeBack();
      throw new JournalUnwritable(this.#file, error);
    }
    this.#bytes += line.length;
  }

  #takeBack(): void {
    try {
      this.#open.disk.truncate(this.#open.descriptor, this.#bytes);
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
      lastEpoch: this.#lastEpoch,
      state,
    };
    try {
      writeCheckpoint(this.#open, point);
    } catch {
      // The next start replays the journal instead.
    }
  }

  close(): void {
    this.#open.disk.close(this.#open.descriptor);
  }
}

interface Found<S> {
  readonly decoded: ReturnType<typeof decodeJournal>;
  readonly checkpoint: Checkpoint<S> | null;
}

/** Whether a run has begun: its first record is there, whole. */
export function hasBegun(folder: string, disk: Disk = nodeDisk): boolean {
  const bytes = Buffer.alloc(chunkBytes);
  return (
    reading(disk, folder, (descriptor) => {
      for (let read = 0, at = 0; (read = disk.read(descriptor, bytes, at)) > 0; at += read) {
        if (bytes.subarray(0, read).includes(newline)) return true;
      }
      return false;
    }) ?? false
  );
}

const newline = 10;
const chunkBytes = 16 * 1024;

/** The intact records of a journal, without opening it for writing; undefined when there is none. */
export function readJournal(folder: string, disk: Disk = nodeDisk): readonly JournalRecord[] | undefined {
  return readJournalFile(join(folder, fileName), disk);
}

/** The same of one that was exported to the documents of a finished run. */
export function readJournalFile(file: string, disk: Disk = nodeDisk): readonly JournalRecord[] | undefined {
  try {
    return decodeJournal(disk.readFile(file), file).records;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** As `Journal.open` finds it, without opening it for writing; undefined when there is none. */
export function readShortened<S>(
  folder: string,
  stateVersion: number,
  disk: Disk = nodeDisk,
): Shortened<S> | undefined {
  return reading(disk, folder, (descriptor) => {
    const { checkpoint, decoded } = readBehindCheckpoint<S>({ disk, folder, descriptor }, stateVersion);
    return { checkpoint, tail: decoded.records };
  });
}

/** The records behind those that are known, and what is known then; one that was replaced is read from its beginning. */
export function readAfter(folder: string, known: Known, disk: Disk): { found: readonly JournalRecord[]; known: Known } {
  const { bytes } = journalStamp(folder, disk);
  if (bytes === known.bytes) return { found: [], known };
  const from = bytes < known.bytes ? nothingKnown : known;
  const decoded = reading(disk, folder, (descriptor) =>
    decodeJournal(readFrom({ disk, folder, descriptor }, from.bytes), join(folder, fileName), from),
  );
  if (!decoded) return { found: [], known: nothingKnown };
  const { records: found, lastSum, intactBytes } = decoded;
  return { found, known: { bytes: intactBytes, records: from.records + found.length, lastSum } };
}

/** Undefined when there is no journal. */
function reading<T>(disk: Disk, folder: string, read: (descriptor: number) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = disk.open(join(folder, fileName), 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return read(descriptor);
  } finally {
    disk.close(descriptor);
  }
}

/** A journal as it looks from outside: it changes with every record. */
export interface JournalStamp {
  readonly bytes: number;
  /** When it was last written to. */
  readonly ms: number;
}

/** All 0 when there is none. */
export function journalStamp(folder: string, disk: Disk = nodeDisk): JournalStamp {
  const found = disk.target(`${folder}/${fileName}`);
  return { bytes: found?.bytes ?? 0, ms: Math.trunc(found?.mtimeMs ?? 0) };
}

export function journalText(folder: string, disk: Disk = nodeDisk): string {
  return disk.readFile(join(folder, fileName)).toString();
}

/** J5. */
function readBehindCheckpoint<S>(open: OpenJournal, stateVersion: number): Found<S> {
  const checkpoint = readCheckpoint<S>(open, stateVersion) ?? null;
  const bytes = readFrom(open, checkpoint?.bytes ?? 0);
  return { checkpoint, decoded: decodeJournal(bytes, join(open.folder, fileName), checkpoint ?? undefined) };
}

function readFrom({ disk, descriptor }: OpenJournal, start: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, disk.bytesIn(descriptor) - start));
  let done = 0;
  while (done < bytes.length) {
    const read = disk.read(descriptor, bytes.subarray(done), start + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

function lastTime(records: readonly JournalRecord[]): number {
  const last = records.at(-1);
  return last ? Date.parse(last.at) : 0;
}
