/**
 * What a long journal amounts to up to some record, kept beside it, so that it is not replayed at every start.
 *
 * P1. A checkpoint counts only for exactly the bytes it was made from: their digest is compared at every start.
 * P2. It is no truth: where it is missing, damaged, of another version or of other bytes, the journal is replayed.
 */

import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Checkpoint<S> {
  /** Of the state's form: one made by a Pawl that kept another state is of no use. */
  readonly version: number;
  readonly bytes: number;
  readonly digest: string;
  readonly records: number;
  readonly lastSum: string;
  readonly lastAt: number;
  readonly state: S;
}

const fileName = 'checkpoint';

export function readCheckpoint<S>(folder: string, journal: Buffer, version: number): Checkpoint<S> | undefined {
  const [sum = '', text = ''] = readOrNothing(join(folder, fileName)).split('\n');
  if (sum === '' || sum !== digestOf(text)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sum shows that `writeCheckpoint` wrote this
  const checkpoint = JSON.parse(text) as Checkpoint<S>;
  if (checkpoint.version !== version || checkpoint.bytes > journal.length) return undefined;
  return checkpoint.digest === digestOf(journal.subarray(0, checkpoint.bytes)) ? checkpoint : undefined;
}

/** Not synced: P2. */
export function writeCheckpoint<S>(folder: string, journal: Buffer, point: Omit<Checkpoint<S>, 'digest'>): void {
  const text = JSON.stringify({ ...point, digest: digestOf(journal.subarray(0, point.bytes)) });
  const draft = join(folder, `.${fileName}`);
  writeFileSync(draft, `${digestOf(text)}\n${text}`);
  renameSync(draft, join(folder, fileName));
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
