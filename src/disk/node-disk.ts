/** The real file system: each operation is one call of Node's, so the port costs nothing. */

import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { isMissing } from './disk-error.ts';
import type { Disk, Entry } from './disk.ts';

export const nodeDisk: Disk = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  close: (descriptor) => closeSync(descriptor),
  read: (descriptor, into, position) => readSync(descriptor, into, 0, into.length, position),
  write: (descriptor, bytes) => writeSync(descriptor, bytes),
  bytesIn: (descriptor) => fstatSync(descriptor).size,
  truncate: (descriptor, bytes) => ftruncateSync(descriptor, bytes),
  fdatasync: (descriptor) => fdatasyncSync(descriptor),
  fsync: (descriptor) => fsyncSync(descriptor),
  readFile: (path) => readFileSync(path),
  writeFile: (path, content, options) => writeFileSync(path, content, options),
  entry: (path) => described(() => lstatSync(path, { throwIfNoEntry: false })),
  target: (path) => described(() => statSync(path, { throwIfNoEntry: false })),
  exists: (path) => existsSync(path),
  names: (folder) => readdirSync(folder),
  list: (folder) =>
    readdirSync(folder, { withFileTypes: true }).map((found) => ({ name: found.name, kind: kindOf(found) })),
  mkdir: (path, mode) => mkdirSync(path, { recursive: true, ...(mode !== undefined && { mode }) }),
  rmdir: (path) => rmdirSync(path),
  rename: (from, to) => renameSync(from, to),
  link: (existing, path) => linkSync(existing, path),
  unlink: (path) => unlinkSync(path),
  symlink: (target, path) => symlinkSync(target, path),
  readlink: (path) => readlinkSync(path),
  realpath: (path) => realpathSync(path),
  chmod: (path, mode) => chmodSync(path, mode),
  utimes: (path, at) => utimesSync(path, at, at),
};

function described(look: () => Stats | undefined): Entry | undefined {
  try {
    const found = look();
    if (!found) return undefined;
    const { mode, size: bytes, mtimeMs, ctimeMs } = found;
    return { kind: kindOf(found), mode: mode & 0o7777, bytes, mtimeMs, ctimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function kindOf(found: Stats | Dirent): Entry['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'symlink' : 'other';
}
