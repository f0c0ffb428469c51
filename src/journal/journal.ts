/**
 * The append-only journal of one run: the truth its files are projections of.
 *
 * J1. A record is on disk (one fdatasync) before `append` returns.
 * J2. Only the holder of the lease appends; a writer whose lease was taken over stops before it writes.
 * J3. A torn tail is cut when the journal is opened for writing, never when it is only read.
 */

import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lease } from './lease.ts';
import { decodeJournal, encodeRecord, type Entry, type JournalRecord } from './record.ts';

const fileName = 'journal.jsonl';

export class Journal {
  readonly #records: JournalRecord[];
  readonly #descriptor: number;
  readonly #lease: Lease;
  readonly #now: () => number;
  #lastSum: string;
  #lastAt: number;

  private constructor(descriptor: number, lease: Lease, now: () => number, decoded: ReturnType<typeof decodeJournal>) {
    this.#descriptor = descriptor;
    this.#lease = lease;
    this.#now = now;
    this.#records = [...decoded.records];
    this.#lastSum = decoded.lastSum;
    this.#lastAt = lastTime(decoded.records);
  }

  /** Opens the journal for writing, creating it (and syncing its folder) when there is none. */
  static open(folder: string, lease: Lease, now: () => number): Journal {
    const file = join(folder, fileName);
    const bytes = readBytes(file);
    const descriptor = openSync(file, 'a');
    if (!bytes) {
      syncFolder(folder);
      syncFolder(dirname(folder));
    }
    const decoded = decodeJournal(bytes ?? Buffer.alloc(0), file);
    if (bytes && decoded.intactBytes < bytes.length) ftruncateSync(descriptor, decoded.intactBytes);
    return new Journal(descriptor, lease, now, decoded);
  }

  get records(): readonly JournalRecord[] {
    return this.#records;
  }

  append(entry: Entry): JournalRecord {
    this.#lease.assertHeld();
    const time = Math.max(this.#now(), this.#lastAt + 1);
    const record: JournalRecord = {
      seq: this.#records.length + 1,
      epoch: this.#lease.epoch,
      at: new Date(time).toISOString(),
      ...entry,
    };
    const { line, sum } = encodeRecord(record, this.#lastSum);
    writeSync(this.#descriptor, line);
    fdatasyncSync(this.#descriptor);
    this.#records.push(record);
    this.#lastSum = sum;
    this.#lastAt = time;
    return record;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The intact records of a journal, without opening it for writing; undefined when there is none. */
export function readJournal(folder: string): readonly JournalRecord[] | undefined {
  const file = join(folder, fileName);
  const bytes = readBytes(file);
  return bytes && decodeJournal(bytes, file).records;
}

export function makeRunFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function readBytes(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
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
