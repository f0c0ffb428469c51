/** Reading the journal of a run, without holding it. */

import { join } from 'node:path';
import { codeOf, unlessMissing } from '../disk/disk-error.ts';
import { whileOpen, type Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { readCheckpoint, type OpenJournal } from './checkpoint.ts';
import { decodeJournal, emptyJournal, isTorn, JournalCorrupt, type JournalEnd, type JournalRecord } from './record.ts';
import type { ShortJournal } from './run-store.ts';
import type { Seal } from './seal.ts';

export const fileName = 'journal.jsonl';

/** Puts a record of an earlier version into today's names. */
export type Upgrade = (record: JournalRecord) => JournalRecord;

/** Whether there is a record, or something that is to be told of when it is read. */
export function hasBegun(folder: string, disk: Disk): boolean {
  const bytes = Buffer.alloc(chunkBytes);
  const hasRecord = (open: OpenJournal): boolean => {
    const { descriptor } = open;
    for (let read = 0, at = 0; (read = disk.read(descriptor, bytes, at)) > 0; at += read) {
      const end = bytes.subarray(0, read).indexOf('\n');
      if (end === -1) continue;
      // A single line may be all that a power loss left of the first record: a torn tail, as when it is read.
      return at + end + 1 < disk.bytesIn(descriptor) || !isTorn(readFrom(open, 0));
    }
    return false;
  };
  try {
    return reading(disk, folder, hasRecord) ?? false;
  } catch (error) {
    // Whoever reads it is told what is wrong with it.
    if (error instanceof JournalCorrupt) return true;
    throw error;
  }
}

const chunkBytes = 16 * 1024;

/** The intact records of a journal, without opening it for writing; undefined when there is none. */
export function readJournal(folder: string, disk: Disk = nodeDisk): readonly JournalRecord[] | undefined {
  return readJournalFile(join(folder, fileName), disk);
}

/** The same of one that was exported to the documents of a finished run. */
export function readJournalFile(file: string, disk: Disk = nodeDisk): readonly JournalRecord[] | undefined {
  const bytes = unlessMissing(() => disk.readFile(file));
  return bytes && decodeJournal(bytes, file).records;
}

export function readShort<S>(
  folder: string,
  stateVersion: number,
  { disk, seal }: { readonly disk: Disk; readonly seal: Seal | undefined },
): ShortJournal<S> | undefined {
  return reading(disk, folder, (open) => {
    const { checkpoint, records: tail } = readBehindCheckpoint<S>({ ...open, seal }, stateVersion);
    return { checkpoint, tail };
  });
}

/** The records behind a known end, and the new end; a journal that was replaced is read from its beginning. */
export function readAfter(folder: string, known: JournalEnd, disk: Disk): ReturnType<typeof decodeJournal> {
  const { bytes } = journalStamp(folder, disk);
  if (bytes === known.bytes) return { records: [], end: known };
  const from = bytes < known.bytes ? emptyJournal : known;
  const read = (open: OpenJournal) => decodeJournal(readFrom(open, from.bytes), join(folder, fileName), from);
  return reading(disk, folder, read) ?? { records: [], end: emptyJournal };
}

export function upgraded(records: readonly JournalRecord[], upgrade: Upgrade | undefined): readonly JournalRecord[] {
  return upgrade ? records.map(upgrade) : records;
}

/** A folder, a device or a FIFO. */
const notFiles = ['EISDIR', 'EFTYPE'];

function reading<T>(disk: Disk, folder: string, read: (open: OpenJournal) => T): T | undefined {
  const file = join(folder, fileName);
  try {
    return whileOpen(disk, file, (descriptor) => read({ disk, folder, descriptor }));
  } catch (error) {
    if (!notFiles.includes(codeOf(error))) throw error;
    throw new JournalCorrupt(`${file} is not a file`, { cause: error });
  }
}

/** A journal as it looks from outside: it changes with every record. */
export interface JournalStamp {
  readonly bytes: number;
  readonly ms: number;
}

/** All 0 when there is none. */
export function journalStamp(folder: string, disk: Disk): JournalStamp {
  const found = disk.target(`${folder}/${fileName}`);
  return { bytes: found?.bytes ?? 0, ms: Math.trunc(found?.mtimeMs ?? 0) };
}

/** J5 (journal.ts). */
export function readBehindCheckpoint<S>(open: OpenJournal, stateVersion: number) {
  const checkpoint = readCheckpoint<S>(open, stateVersion) ?? null;
  const bytes = readFrom(open, checkpoint?.bytes ?? 0);
  return { checkpoint, ...decodeJournal(bytes, join(open.folder, fileName), checkpoint ?? undefined) };
}

export function readFrom({ disk, descriptor }: OpenJournal, start: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, disk.bytesIn(descriptor) - start));
  let done = 0;
  for (let read = 1; read > 0 && done < bytes.length; done += read) {
    read = disk.read(descriptor, bytes.subarray(done), start + done);
  }
  return bytes.subarray(0, done);
}
