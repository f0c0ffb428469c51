/** The real file system: nearly every operation is one call of Node's, so the port costs nothing. */

import fs, { type Dirent, type Stats } from 'node:fs';
import { unlessMissing } from './disk-error.ts';
import type { Disk, Entry } from './disk.ts';
import { openRegular, readRegular } from './regular-file.ts';

export const nodeDisk: Disk = {
  open: openRegular,
  close: (descriptor) => fs.closeSync(descriptor),
  read: (descriptor, into, position) => fs.readSync(descriptor, into, 0, into.length, position),
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  bytesIn: (descriptor) => fs.fstatSync(descriptor).size,
  truncate: (descriptor, bytes) => fs.ftruncateSync(descriptor, bytes),
  fdatasync: (descriptor) => fs.fdatasyncSync(descriptor),
  fsync: (descriptor) => fs.fsyncSync(descriptor),
  readFile: readRegular,
  writeFile: (path, content, options) => fs.writeFileSync(path, content, options),
  entry: (path) => described(() => fs.lstatSync(path, { throwIfNoEntry: false })),
  target: (path) => described(() => fs.statSync(path, { throwIfNoEntry: false })),
  exists: (path) => fs.existsSync(path),
  names: (folder) => fs.readdirSync(folder),
  list: (folder) =>
    fs.readdirSync(folder, { withFileTypes: true }).map((found) => ({ name: found.name, kind: kindOf(found) })),
  mkdir: (path, mode) => fs.mkdirSync(path, { recursive: true, ...(mode !== undefined && { mode }) }),
  rmdir: (path) => fs.rmdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  link: (existing, path) => fs.linkSync(existing, path),
  unlink: (path) => fs.unlinkSync(path),
  symlink: (target, path) => fs.symlinkSync(target, path),
  readlink: (path) => fs.readlinkSync(path),
  realpath: (path) => fs.realpathSync(path),
  chmod: (path, mode) => fs.chmodSync(path, mode),
  utimes: (path, at) => fs.utimesSync(path, at, at),
};

function described(look: () => Stats | undefined): Entry | undefined {
  const found = unlessMissing(look);
  if (!found) return undefined;
  const { mode, size: bytes, mtimeMs, ctimeMs, ino: id } = found;
  return { kind: kindOf(found), mode: mode & 0o7777, bytes, mtimeMs, ctimeMs, id };
}

function kindOf(found: Stats | Dirent): Entry['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'symlink' : 'other';
}
