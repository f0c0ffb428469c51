/**
 * Short texts about runs, a line each in one file: whoever lists ten thousand runs reads one file.
 *
 * N1. A note counts only for the very journal it was written for, and as a whole: the journal's length and time and
 *     its own length are kept with it.
 * N2. A note is no truth, and not synced: where its line is torn, lost or written over, the journal is read instead.
 * N3. The last line about a run counts. The file is written anew once most of its lines do not count any more.
 */

import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { JournalStamp } from './journal.ts';
import type { RunKey, RunStore } from './run-store.ts';

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
  read(stampOf: (key: RunKey) => JournalStamp): ReturnType<RunStore<never>['notes']> {
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
      const line = last.get(nameOf(key));
      const text = line?.slice(line.indexOf('\t') + 1) ?? '';
      return line !== undefined && line === withHead(text, stampOf(key)) ? text : undefined;
    };
  }

  /** `text` is one line; `of` is the journal it was made from. */
  keep(key: RunKey, of: JournalStamp, text: string): void {
    // N2: a full or read-only disk.
    orElse(undefined, () => {
      if ((this.#disk.target(this.#file)?.bytes ?? 0) > bytesMax) this.#write('');
      this.#disk.writeFile(this.#file, `${nameOf(key)}\t${withHead(text, of)}\n`, { flag: 'a' });
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

function withHead(text: string, { bytes, ms }: JournalStamp): string {
  return `${bytes} ${ms} ${text.length}\t${text}`;
}
