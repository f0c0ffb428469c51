/**
 * Making what was written durable, with few syncs.
 *
 * Y1. A file is durable when its content, its name, and the names of all folders above it are.
 * Y2. A folder that was made durable once need not be again, as long as it is not removed: only its own names change.
 */

import { dirname, join } from 'node:path';
import { whileOpen, type Disk } from './disk.ts';

/** The files below one folder, for a process that writes there for a while. */
export class DurableFiles {
  readonly #disk: Disk;
  readonly #root: string;
  /** Y2. */
  readonly #known = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Paths are relative to the folder; what is not there any more is durably gone. Content that is `whole` is synced already. */
  sync(paths: Iterable<string>, isWhole: (path: string) => boolean = () => false): void {
    const folders = new Set<string>();
    for (const path of new Set(paths)) {
      const file = join(this.#root, path);
      const kind = this.#disk.entry(file)?.kind;
      if (kind === 'file' && !isWhole(path)) syncFile(this.#disk, file);
      for (const folder of this.#foldersOf(file, kind !== undefined)) folders.add(folder);
    }
    for (const folder of folders) syncFile(this.#disk, folder);
  }

  /** Those above a file that must be synced: up to the first that is known. */
  #foldersOf(file: string, isThere: boolean): readonly string[] {
    const folders: string[] = [];
    for (let at = dirname(file); at.startsWith(this.#root); at = dirname(at)) {
      folders.push(at);
      // A file that is gone may have taken its folder along, and another may come.
      if (!isThere) this.#known.delete(at);
      else if (this.#known.has(at)) break;
      else this.#known.add(at);
    }
    return folders;
  }
}

/** Syncs the content of a file, or the names in a folder; does nothing when it is gone. */
export function syncFile(disk: Disk, path: string): void {
  whileOpen(disk, path, (descriptor) => disk.fsync(descriptor));
}
