/** Files of a workspace that this process wrote, and that a power loss may take until they are synced. */

import type { Disk } from '../disk/disk.ts';
import { DurableFiles } from '../disk/syncing.ts';
import type { RecordedWrite } from '../store/record.ts';

export class WrittenFiles {
  readonly #durable: DurableFiles;
  /** Beside recorded writes: files whose names, or also contents, are not durable. */
  readonly #written = new Map<string, 'name' | 'content'>();

  constructor(disk: Disk, workspace: string) {
    this.#durable = new DurableFiles(disk, workspace);
  }

  add(path: string, what: 'name' | 'content'): void {
    this.#written.set(path, what);
  }

  /** Recorded writes, and all that was added. */
  sync(writes: readonly RecordedWrite[]): void {
    const recorded = writes.flatMap((write) => ('moveTo' in write ? [write.path, write.moveTo] : write.path));
    const isWhole = (path: string): boolean => this.#written.get(path) === 'name' && !recorded.includes(path);
    this.#durable.sync([...recorded, ...this.#written.keys()], isWhole);
    this.#written.clear();
  }

  /** Paths that somebody else wrote. */
  syncOthers(paths: readonly string[]): void {
    this.#durable.sync(paths);
  }
}
