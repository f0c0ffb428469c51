/**
 * The file system as Pawl uses it: the port between everything that must survive a crash and what keeps it.
 *
 * All operations are synchronous, follow POSIX and fail with an error that has the `code` Node gives it (`ENOENT`).
 */

export type OpenFlags = 'r' | 'a' | 'a+' | 'w' | 'wx';

export interface Entry {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: Entry['kind'];
}

export interface Disk {
  /** The descriptor of an open file, or of a folder opened with `r` to be synced. */
  open(path: string, flags: OpenFlags, mode?: number): number;
  close(descriptor: number): void;
  /** How many bytes were read; 0 at the end of the file. */
  read(descriptor: number, into: Buffer, position: number): number;
  /** How many bytes were written; a full disk takes fewer than it was given. */
  write(descriptor: number, bytes: Buffer): number;
  bytesIn(descriptor: number): number;
  truncate(descriptor: number, bytes: number): void;
  /** What the file holds, and its length, is durable. */
  fdatasync(descriptor: number): void;
  /** The same; of a folder, the names in it. */
  fsync(descriptor: number): void;

  /** Not to be changed: a disk in memory hands out its own. */
  readFile(path: string): Buffer;
  writeFile(path: string, content: string | Buffer, options?: { flag?: OpenFlags; mode?: number }): void;
  /** What is at a path, a symlink itself; undefined when nothing is. */
  entry(path: string): Entry | undefined;
  /** What is at a path, behind symlinks; undefined when nothing is. */
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
