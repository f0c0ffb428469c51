/** Reading a file that somebody else is still writing, line by line. */

import { closeSync, fstatSync, readSync } from 'node:fs';
import { orElse } from '../disk/disk-error.ts';
import { openRegular } from '../disk/regular-file.ts';

interface TailOptions {
  /** Where reading begins and where it ends at the latest. */
  readonly from: number;
  readonly to: number;
  readonly lineBytesMax: number;
  readonly onLine: (line: string) => void;
}

const chunkBytes = 64 * 1024;
const readBytesMax = 4 * 1024 ** 2;
const tailBytes = 4 * 1024;
const newline = 0x0a;

export class LineTail {
  readonly #fd: number;
  readonly #options: TailOptions;
  readonly #chunk = Buffer.allocUnsafe(chunkBytes);
  #position: number;
  #parts: Buffer[] = [];
  #lineBytes = 0;

  constructor(fd: number, options: TailOptions) {
    this.#fd = fd;
    this.#options = options;
    this.#position = options.from;
  }

  /** Hands on the complete lines there are, up to a few megabytes of them; true when there may be more. */
  read(): boolean {
    for (let done = 0; done < readBytesMax;) {
      const wanted = Math.min(chunkBytes, this.#options.to - this.#position);
      const got = wanted > 0 ? readSync(this.#fd, this.#chunk, 0, wanted, this.#position) : 0;
      if (got === 0) return false;
      this.#position += got;
      done += got;
      this.#split(this.#chunk.subarray(0, got));
    }
    return true;
  }

  /** The rest, with a last line that has no end. */
  finish(): void {
    while (this.read());
    if (this.#lineBytes > 0) this.#emit();
  }

  #split(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#add(chunk.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    const room = this.#options.lineBytesMax - this.#lineBytes;
    if (room <= 0 || part.length === 0) return;
    // Copied, because the chunk is read into again.
    const kept = Buffer.from(part.subarray(0, room));
    this.#parts.push(kept);
    this.#lineBytes += kept.length;
  }

  #emit(): void {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#lineBytes = 0;
    this.#options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}

/** The last few kilobytes of a file as text; '' when there is none. */
export function endOf(path: string): string {
  return orElse('', () => {
    const fd = openRegular(path, 'r');
    try {
      const start = Math.max(0, fstatSync(fd).size - tailBytes);
      const buffer = Buffer.alloc(tailBytes);
      const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, tailBytes, start));
      // The cut may go through a character.
      return start === 0 ? text : text.replace(/^\uFFFD+/, '');
    } finally {
      closeSync(fd);
    }
  });
}
