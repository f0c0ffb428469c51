/**
 * What Pawl itself knows of a journal, kept in the user's own folder, where no agent in a sandbox can write.
 *
 * S1. Before a record is written, the sum of the last one and that of the one to come are noted, and after it the latter
 *     alone. A sum covers all records before it, so a journal that ends in none of those noted last was rewritten,
 *     shortened or lengthened by somebody else.
 * S2. Notes are not synced: after a power loss a journal may be longer than its seal says.
 * S3. A journal without a seal (of an earlier version, another computer, a repository that was moved) gets one.
 * S4. A checkpoint counts only if its sum is noted here, where there is a seal at all.
 */

import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';

/** Somebody else changed what a run recorded. */
export class JournalChanged extends Error {
  readonly code = 'JournalChanged';
  readonly fix = 'restore the journal, or accept it as it is with --accept-state if you changed it yourself';
}

export interface SealOptions {
  /** The user's own folder for them. */
  readonly folder: string;
  /** Changes when the computer starts anew. */
  readonly boot: () => string;
}

interface Noted {
  readonly boot: string;
  readonly last: string;
  readonly next: string;
  readonly checkpoint: string;
}

const none: Noted = { boot: '', last: '', next: '', checkpoint: '' };

export class Seal {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #boot: () => string;
  #noted: Noted | undefined;
  #descriptor: number | undefined;

  constructor(disk: Disk, runFolder: string, { folder, boot }: SealOptions) {
    this.#disk = disk;
    this.#file = join(folder, hash('sha256', runFolder).slice(0, 32));
    this.#boot = boot;
    const lines = orElse('', () => disk.readFile(this.#file).toString()).split('\n');
    const fields = lines.at(-2)?.split(' ');
    if (fields?.length !== 4) return;
    const [before = '', last = '', next = '', checkpoint = ''] = fields.map((field) => (field === '-' ? '' : field));
    this.#noted = { boot: before, last, next, checkpoint };
  }

  /**
   * Where the records of Pawl's own end in a journal with this last sum: undefined when that is its end, null when they
   * are not in it.
   */
  endOfOwn(journal: () => Buffer, lastSum: string): number | null | undefined {
    if (!this.#noted || [this.#noted.next, this.#noted.last].includes(lastSum)) return undefined;
    const { last, next, boot } = this.#noted;
    // A run that was retired or deleted, and is begun again under its name.
    if (lastSum === '') return undefined;
    const bytes = journal();
    const ends = [next, last].filter((sum) => sum !== '').map((sum) => endOf(bytes, sum));
    const own = last === '' && next === '' ? 0 : (ends.find((end) => end !== null) ?? null);
    // S2.
    return own !== null && boot !== this.#boot() ? undefined : own;
  }

  /** S4. */
  allowsCheckpoint(sum: string): boolean {
    return this.#noted === undefined || this.#noted.checkpoint === sum;
  }

  /** Begins anew with what the journal is now. Where the user has no folder to write to, there is no seal. */
  begin(lastSum: string): void {
    const line = this.#line({ ...none, checkpoint: this.#noted?.checkpoint ?? '', last: lastSum });
    try {
      this.#disk.mkdir(dirname(this.#file), 0o700);
      const draft = `${this.#file}.new`;
      this.#disk.writeFile(draft, line, { mode: 0o600 });
      this.#disk.rename(draft, this.#file);
      this.#descriptor = this.#disk.open(this.#file, 'a');
    } catch (error) {
      if (this.#disk.exists(this.#file)) throw error;
    }
  }

  /** S1. */
  intend(last: string, next: string): void {
    this.#note({ ...(this.#noted ?? none), last, next });
  }

  confirm(last: string): void {
    this.#note({ ...(this.#noted ?? none), last, next: '' });
  }

  noteCheckpoint(checkpoint: string): void {
    this.#note({ ...(this.#noted ?? none), checkpoint });
  }

  close(): void {
    if (this.#descriptor !== undefined) this.#disk.close(this.#descriptor);
    this.#descriptor = undefined;
  }

  #note(noted: Omit<Noted, 'boot'>): void {
    const line = this.#line(noted);
    if (this.#descriptor === undefined) return;
    if (this.#disk.write(this.#descriptor, line) < line.length) throw new Error(`${this.#file}: the disk is full`);
  }

  #line({ last, next, checkpoint }: Omit<Noted, 'boot'>): Buffer {
    const boot = this.#boot();
    this.#noted = { boot, last, next, checkpoint };
    const fields = [boot, last, next, checkpoint].map((field) => (field === '' ? '-' : field));
    return Buffer.from(`${fields.join(' ')}\n`);
  }
}

/** Quotes in a record's texts are escaped, so this is found at the end of a record only. */
function endOf(journal: Buffer, sum: string): number | null {
  const ending = `"sum":"${sum}"}\n`;
  const at = journal.indexOf(ending);
  return at === -1 ? null : at + ending.length;
}

/** Keeps what was found in the place of a file, beside it; returns where. */
export function setAside(disk: Disk, file: string, content: Buffer): string {
  let number = 1;
  while (disk.exists(`${file}.foreign-${number}`)) number += 1;
  disk.writeFile(`${file}.foreign-${number}`, content, { mode: 0o600 });
  return `${file}.foreign-${number}`;
}
