/**
 * Short texts about runs, a line each in one file: whoever lists ten thousand runs reads one file.
 *
 * N1. A note counts only for the very journal it was written for: its length and time are kept with it.
 * N2. A note is no truth, and not synced: where its line is torn, lost or written over, the journal is read instead.
 * N3. The last line about a run counts. The file is written anew once most of its lines do not count any more.
 */

import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { JournalStamp } from './journal.ts';
import type { RunKey } from './run-store.ts';

/** Lines that do not count, beyond as many as do. */
const wastedLinesMax = 1_000;
const bytesMax = 64 * 1024 * 1024;

export class Notes {
  readonly #file: string;
  readonly #disk: Disk;
  #known: Map<string, string> | undefined;

  constructor(file: string, disk: Disk = nodeDisk) {
    this.#file = file;
    this.#disk = disk;
  }

  /** N1. `now` is the journal as it is. */
  of(key: RunKey, now: JournalStamp): string | undefined {
    const line = (this.#known ??= this.#read()).get(nameOf(key));
    if (line === undefined) return undefined;
    const end = line.indexOf('\t');
    return line.slice(0, end) === stampText(now) ? line.slice(end + 1) : undefined;
  }

  /** The next question is answered from the file as it is then. */
  forget(): void {
    this.#known = undefined;
  }

  /** `text` is one line; `of` is the journal it was made from. */
  keep(key: RunKey, of: JournalStamp, text: string): void {
    const line = `${stampText(of)}\t${text}`;
    this.#known?.set(nameOf(key), line);
    try {
      if ((this.#disk.target(this.#file)?.bytes ?? 0) > bytesMax) this.#write('');
      this.#disk.writeFile(this.#file, `${nameOf(key)}\t${line}\n`, { flag: 'a' });
    } catch {
      // N2: a full or read-only disk.
    }
  }

  #read(): Map<string, string> {
    const known = new Map<string, string>();
    const lines = this.#text().split('\n');
    for (const line of lines) {
      const end = line.indexOf('\t');
      if (end > 0) known.set(line.slice(0, end), line.slice(end + 1));
    }
    if (lines.length > 2 * known.size + wastedLinesMax) {
      this.#write([...known].map(([name, line]) => `${name}\t${line}\n`).join(''));
    }
    return known;
  }

  #text(): string {
    try {
      return this.#disk.readFile(this.#file).toString();
    } catch {
      return '';
    }
  }

  /** N3. What somebody adds meanwhile is lost: N2. */
  #write(text: string): void {
    const draft = `${this.#file}.new`;
    try {
      this.#disk.writeFile(draft, text);
      this.#disk.rename(draft, this.#file);
    } catch {
      // N2.
    }
  }
}

function nameOf({ workflow, run }: RunKey): string {
  return `${workflow}/${run}`;
}

function stampText({ bytes, ms }: JournalStamp): string {
  return `${bytes} ${ms}`;
}
