/**
 * What a long journal amounts to up to some record, kept beside it, so that it is not replayed at every start.
 *
 * P1. A checkpoint counts only for exactly the bytes it was made from: their digest is compared at every start.
 *     The seal names the one that Pawl wrote last: what others write counts as damaged.
 * P2. It is no truth: where it is missing, damaged, of another version or of other bytes, the journal is replayed.
 */

import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import type { Checkpoint } from './run-store.ts';
import type { Seal } from './seal.ts';

const fileName = 'checkpoint';
const pieceBytes = 128 * 1024;

export interface OpenJournal {
  readonly disk: Disk;
  readonly folder: string;
  readonly descriptor: number;
  readonly seal?: Seal | undefined;
}

export function readCheckpoint<S>(journal: OpenJournal, version: number): Checkpoint<S> | undefined {
  const file = orElse(Buffer.alloc(0), () => journal.disk.readFile(join(journal.folder, fileName)));
  const end = file.indexOf('\n');
  const content = file.subarray(end + 1);
  const sum = file.toString('latin1', 0, Math.max(0, end));
  if (end === -1 || sum !== hash('sha256', content) || journal.seal?.allowsCheckpoint(sum) === false) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sum shows that `writeCheckpoint` wrote this
  const checkpoint = JSON.parse(content.toString()) as Checkpoint<S>;
  if (checkpoint.version !== version) return undefined;
  return checkpoint.digest === digestOfStart(journal, checkpoint.bytes) ? checkpoint : undefined;
}

/** Not synced: P2. */
export function writeCheckpoint<S>(journal: OpenJournal, point: Omit<Checkpoint<S>, 'digest'>): void {
  const text = JSON.stringify({ ...point, digest: digestOfStart(journal, point.bytes) });
  const { disk, folder } = journal;
  const draft = join(folder, `.${fileName}`);
  const sum = hash('sha256', text);
  disk.writeFile(draft, `${sum}\n${text}`);
  journal.seal?.noteCheckpoint(sum);
  disk.rename(draft, join(folder, fileName));
}

/** Piece by piece: memory for a whole long journal costs more than reading it. Of a shorter file it is another one. */
function digestOfStart({ disk, descriptor }: OpenJournal, bytes: number): string {
  const digest = createHash('sha256');
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (let at = 0; at < bytes;) {
    const read = disk.read(descriptor, piece.subarray(0, Math.min(pieceBytes, bytes - at)), at);
    if (read === 0) break;
    digest.update(piece.subarray(0, read));
    at += read;
  }
  return digest.digest('hex');
}
