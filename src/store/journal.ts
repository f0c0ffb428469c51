/**
 * The append-only journal of one run: the truth its files are projections of.
 *
 * J1. A record is on disk (one fdatasync) before `append` returns.
 * J2. Only the holder of the lease appends; a writer whose lease was taken over stops before it writes.
 * J3. A torn tail is cut when the journal is opened for writing, never when it is only read.
 * J4. A record that could not be written whole leaves nothing behind, or no other is appended after it.
 * J5. Records in front of a checkpoint are decoded only when somebody asks for them.
 * J6. What somebody else did to the file is undone: records of Pawl's own are never lost, and no others count (seal.ts).
 */

import { join } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { syncFile } from '../disk/syncing.ts';
import { writeCheckpoint, type OpenJournal } from './checkpoint.ts';
import type { Lease } from './lease.ts';
import { drop, take } from './inbox.ts';
import { JournalChanged, setAside, type Seal } from './seal.ts';
import { fileName, readBehindCheckpoint, readFrom, upgraded, type Upgrade } from './read-journal.ts';
import { decodeJournal, encodeRecord } from './record.ts';
import type { Entry, JournalEnd, JournalRecord } from './record.ts';
import type { Checkpoint, HeldRun, Message, MessageOf } from './run-store.ts';

/** The record is not on disk and does not count: stop; once the cause is gone, the same command goes on. */
export class JournalUnwritable extends Error {
  readonly code: string;
  readonly fix = 'remove the cause, then run the same command again';

  constructor(file: string, cause: unknown) {
    super(`cannot write ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = codeOf(cause);
  }
}

export interface JournalOptions {
  readonly lease: Lease;
  readonly now: () => number;
  /** Of the state that checkpoints keep. */
  readonly stateVersion: number;
  readonly disk?: Disk;
  readonly upgrade?: Upgrade | undefined;
  readonly keepNote?: (text: string) => void;
  readonly seal?: Seal | undefined;
  /** Takes the journal as it is, whoever wrote it. */
  readonly acceptChanged?: boolean;
  readonly warn?: (message: string) => void;
}

/** Replaying fewer records takes no time worth saving. */
const checkpointEvery = 1_000;

export class Journal<S = unknown> implements HeldRun<S> {
  readonly checkpoint: Checkpoint<S> | null;
  readonly foundInOrder: boolean;
  readonly powerLost: boolean;
  readonly keepNote: (text: string) => void;
  readonly #options: JournalOptions;
  #open: OpenJournal;
  #id: number | undefined;
  readonly #file: string;
  #records: JournalRecord[];
  #end: JournalEnd;
  #hasAppended = false;
  #usable = true;

  /** Opens the journal for writing, creating it when there is none. */
  constructor(folder: string, options: JournalOptions) {
    const { stateVersion, disk = nodeDisk, lease, keepNote = () => {} } = options;
    this.#file = join(folder, fileName);
    this.#options = options;
    this.keepNote = keepNote;
    this.#open = { disk, folder, descriptor: disk.open(this.#file, 'a+'), seal: options.seal };
    this.#id = disk.target(this.#file)?.id;
    const { checkpoint, records, end } = this.#readOwn<S>(stateVersion);
    const { descriptor } = this.#open;
    if (end.bytes < disk.bytesIn(descriptor)) disk.truncate(descriptor, end.bytes);
    options.seal?.begin(end.lastSum);
    this.checkpoint = checkpoint;
    this.#records = upgraded(records, options.upgrade).slice();
    this.#end = end;
    this.foundInOrder = lease.isInOrder(end.lastEpoch);
    this.powerLost = !this.foundInOrder && lease.isAfterPowerLoss(end.lastEpoch);
  }

  /** J6. */
  #readOwn<T>(stateVersion: number): ReturnType<typeof readBehindCheckpoint<T>> {
    const { seal, acceptChanged = false, warn = () => {} } = this.#options;
    const { disk, descriptor } = this.#open;
    const read = readBehindCheckpoint<T>(this.#open, stateVersion);
    const whole = (): Buffer => readFrom(this.#open, 0);
    const own = acceptChanged ? undefined : seal?.endOfOwn(whole, read.end.lastSum);
    if (own === undefined) return read;
    if (own === null) throw new JournalChanged(`${this.#file} was rewritten or shortened by something other than Pawl`);
    const copy = setAside(disk, this.#file, whole());
    disk.truncate(descriptor, own);
    warn(`records that Pawl did not write were removed from the journal; a copy is kept in ${copy}`);
    return readBehindCheckpoint<T>(this.#open, stateVersion);
  }

  /** J6. While Pawl holds the file open, its own records are there even if the name leads to another file. */
  #putBack(): void {
    const { disk } = this.#open;
    const found = disk.target(this.#file);
    if (found?.id === this.#id && found?.bytes === this.#end.bytes) return;
    const own = readFrom(this.#open, 0).subarray(0, this.#end.bytes);
    if (orElse('', () => decodeJournal(own, this.#file).end.lastSum) !== this.#end.lastSum)
      throw new JournalChanged(`${this.#file} was changed by something other than Pawl while a command was running`);
    const copy = found ? setAside(disk, this.#file, disk.readFile(this.#file)) : null;
    const draft = `${this.#file}.own`;
    disk.writeFile(draft, own);
    syncFile(disk, draft);
    disk.rename(draft, this.#file);
    disk.close(this.#open.descriptor);
    this.#open = { ...this.#open, descriptor: disk.open(this.#file, 'a+') };
    this.#id = disk.target(this.#file)?.id;
    const where = copy === null ? '' : `; a copy of what was there is kept in ${copy}`;
    this.#options.warn?.(`something other than Pawl replaced or changed the journal; it was put back${where}`);
  }

  get length(): number {
    return this.#end.records;
  }

  get tail(): readonly JournalRecord[] {
    return this.#records.slice((this.checkpoint?.records ?? 0) - this.#skipped);
  }

  /** J5. */
  get records(): readonly JournalRecord[] {
    if (this.#skipped > 0) {
      const bytes = this.#open.disk.readFile(this.#file).subarray(0, this.checkpoint?.bytes);
      const earlier = upgraded(decodeJournal(bytes, this.#file).records, this.#options.upgrade);
      this.#records = [...earlier, ...this.#records];
    }
    return this.#records;
  }

  get #skipped(): number {
    return this.#end.records - this.#records.length;
  }

  append(entry: Entry): JournalRecord {
    const { lease, now } = this.#options;
    lease.assertHeld();
    this.#putBack();
    const { bytes, records, lastAt, lastSum } = this.#end;
    const time = Math.max(now(), lastAt + 1);
    const record: JournalRecord = {
      seq: records + 1,
      epoch: lease.epoch,
      at: new Date(time).toISOString(),
      ...(this.foundInOrder && !this.#hasAppended && { settled: true }),
      ...entry,
    };
    const { line, sum } = encodeRecord(record, lastSum);
    const encoded = Buffer.from(line);
    this.#write(encoded, lastSum, sum);
    this.#records.push(record);
    const written = bytes + encoded.length;
    this.#end = { bytes: written, records: record.seq, lastSum: sum, lastAt: time, lastEpoch: lease.epoch };
    this.#hasAppended = true;
    return record;
  }

  /** J1, J4. A disk that fills up takes part of a record and calls that a success. */
  #write(line: Buffer, lastSum: string, sum: string): void {
    if (!this.#usable) throw new JournalUnwritable(this.#file, new Error('an earlier record could not be rolled back'));
    const { disk, descriptor } = this.#open;
    try {
      this.#options.seal?.intend(lastSum, sum);
      for (let done = 0; done < line.length;) done += disk.write(descriptor, line.subarray(done));
      disk.fdatasync(descriptor);
      this.#options.seal?.confirm(sum);
    } catch (error) {
      this.#usable = orElse(false, () => {
        disk.truncate(descriptor, this.#end.bytes);
        return true;
      });
      throw new JournalUnwritable(this.#file, error);
    }
  }

  keep(state: S): void {
    if (this.length - (this.checkpoint?.records ?? 0) < checkpointEvery) return;
    // Where it cannot be written, the next start replays the journal instead.
    orElse(null, () => writeCheckpoint(this.#open, { ...this.#end, version: this.#options.stateVersion, state }));
  }

  text(): string {
    return this.#open.disk.readFile(this.#file).toString();
  }

  take<K extends Message['kind']>(kind: K): MessageOf<K> | undefined {
    return take(this.#open.folder, kind, this.#open.disk);
  }

  drop(kind?: Message['kind']): void {
    drop(this.#open.folder, kind, this.#open.disk);
  }

  close({ inOrder, state }: { readonly inOrder: boolean; readonly state: S | null }): void {
    if (state !== null) this.keep(state);
    this.#open.disk.close(this.#open.descriptor);
    this.#options.seal?.close();
    this.#options.lease.release({ inOrder });
  }
}
