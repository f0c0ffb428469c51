/**
 * The file system as Pawl uses it: the port between everything that must survive a crash and what keeps it.
 *
 * All operations are synchronous, follow POSIX and fail with an error that has the `code` Node gives it (`ENOENT`).
 */

import { unlessMissing } from './disk-error.ts';

export type OpenFlags = 'r' | 'a' | 'a+' | 'w' | 'wx';

export interface Entry {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Of the file itself, whatever its name is. */
  readonly id: number;
}

export type FolderEntry = Pick<Entry, 'kind'> & { readonly name: string };

export interface Disk {
  /** The descriptor of an open file, or of a folder opened with `r` to be synced. */
  open(path: string, flags: OpenFlags, mode?: number): number;
  close(descriptor: number): void;
  /** Returns the bytes read; 0 at the end of the file. */
  read(descriptor: number, into: Buffer, position: number): number;
  /** Returns the bytes written; a full disk takes fewer than it was given. */
  write(descriptor: number, bytes: Buffer): number;
  bytesIn(descriptor: number): number;
  truncate(descriptor: number, bytes: number): void;
  /** Makes the content and the length of the file durable. */
  fdatasync(descriptor: number): void;
  /** The same; of a folder, the names in it. */
  fsync(descriptor: number): void;

  /** Not to be changed: a disk in memory hands out its own. A longer file fails with `EFBIG`, a device or FIFO with `EFTYPE`. */
  readFile(path: string, bytesMax?: number): Buffer;
  writeFile(path: string, content: string | Buffer, options?: { flag?: OpenFlags; mode?: number }): void;
  /** The entry at a path, of a symlink itself; undefined when there is none. */
  entry(path: string): Entry | undefined;
  /** The entry at a path, behind symlinks; undefined when there is none. */
  target(path: string): Entry | undefined;
  exists(path: string): boolean;
  names(folder: string): readonly string[];
  /** Names with what they stand for, symlinks themselves. */
  list(folder: string): readonly FolderEntry[];
  /** With all parents; the first folder that had to be made, undefined when all were there. */
  mkdir(path: string, mode?: number): string | undefined;
  rmdir(path: string): void;
  /** Replaces a file, or an empty folder, at `to`. */
  rename(from: string, to: string): void;
  /** A second name for a file; fails when there is one of that name. */
  link(existing: string, path: string): void;
  unlink(path: string): void;
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  realpath(path: string): string;
  chmod(path: string, mode: number): void;
  utimes(path: string, at: Date): void;
}

/** What `use` makes of an open file or folder; undefined when nothing is there. */
export function whileOpen<T>(disk: Disk, path: string, use: (descriptor: number) => T): T | undefined {
  const descriptor = unlessMissing(() => disk.open(path, 'r'));
  if (descriptor === undefined) return undefined;
  try {
    return use(descriptor);
  } finally {
    disk.close(descriptor);
  }
}
