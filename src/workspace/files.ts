/**
 * Files of the workspace, written so that a reader never sees half of one.
 *
 * F1. A file is replaced by rename: at any instant its path holds the old bytes or the new ones.
 * F2. A failed write leaves neither a temporary file nor a changed target.
 * F3. `applyWrites` is all or nothing: when it throws, files, links and folders are as they were.
 * F4. No path is touched before every path of the call was found safe.
 */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { codeOf, failure, isMissing, orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { syncFile } from '../disk/syncing.ts';
import { leadsOut, resolveInside } from './safe-paths.ts';

/** For the layers above, which do not know the disk. */
export { orElse };

/** The machine refused a file: stop, a person has to put it right; nothing was half written. */
export class FileProblem extends Error {
  readonly code: string;
  readonly doing: string;
  readonly path: string;
  /** What to do about the cause. */
  readonly remedy: string;
  readonly fix: string;

  constructor(doing: string, path: string, cause: unknown) {
    const [reason, remedy] = reasons[codeOf(cause)] ?? [String(cause), 'remove the cause'];
    super(`cannot ${doing} ${path}: ${reason}`, { cause });
    this.remedy = remedy;
    this.fix = `${remedy}, then run the same command again`;
    this.code = codeOf(cause);
    this.doing = doing;
    this.path = path;
  }
}

/** The code of a `FileProblem` about bytes that are no text. */
export const notUtf8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** The code of a `FileProblem` about a link in place of a document. */
const linkOut = 'ELINKOUT';

const reasons: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ['the disk is full (ENOSPC)', 'free some space'],
  EDQUOT: ['the disk quota is used up (EDQUOT)', 'free some space'],
  EACCES: ['permission denied (EACCES)', 'correct the owner or permissions of the file and its folder'],
  EPERM: ['not permitted (EPERM)', 'correct the permissions and flags of the file and its folder'],
  EROFS: ['the file system is read-only (EROFS)', 'make the file system writable'],
  EISDIR: ['there is a folder in its place (EISDIR)', 'move the folder away'],
  ENOTDIR: ['one of its parent folders is a file (ENOTDIR)', 'move that file away'],
  ENOTEMPTY: ['there is a folder with other files in its place (ENOTEMPTY)', 'move the folder away'],
  EEXIST: ['one of its parent folders is a file (EEXIST)', 'move that file away'],
  EFTYPE: ['it is not a regular file (EFTYPE)', 'move it away'],
  ENXIO: ['it is not a regular file (ENXIO)', 'move it away'],
  EFBIG: ['it is too long (EFBIG)', 'move it away, or shorten it'],
  [linkOut]: [
    'it is a symlink that leads outside the workspace',
    'replace the link with the file itself, or remove it',
  ],
  ELOOP: ['its links lead in a circle (ELOOP)', 'remove the links'],
  [notUtf8]: ['it is not UTF-8 text', 'save it as UTF-8'],
};

/**
 * Not durable: what must survive a power loss is in the journal. With `whole`, a power loss leaves the old bytes or the
 * new ones, too.
 * The temporary file has one name, so that what a crash left of it goes when the same file is written again.
 */
export function writeAtomically(
  path: string,
  content: string | Buffer,
  options: { mode?: number; whole?: boolean } = {},
  disk: Disk = nodeDisk,
): void {
  const temporary = join(dirname(path), `.${basename(path)}.pawl-tmp`);
  try {
    disk.mkdir(dirname(path));
    const found = disk.entry(path);
    const mode = options.mode ?? (found?.kind === 'file' ? found.mode : undefined);
    // Whatever stands there, a planted link above all, is not written through.
    discard(temporary, disk);
    disk.writeFile(temporary, content, { flag: 'wx', ...(mode !== undefined && { mode }) });
    if (mode !== undefined) disk.chmod(temporary, mode);
    if (options.whole) syncFile(disk, temporary);
    disk.rename(temporary, path);
  } catch (error) {
    discard(temporary, disk);
    throw new FileProblem('write', path, error);
  }
}

/** That a write failed is the error to report, not that nothing could be taken away. */
function discard(path: string, disk: Disk): void {
  orElse(undefined, () => disk.unlink(path));
}

/** A file that is not there is removed already. */
export function removeFile(path: string, disk: Disk = nodeDisk): void {
  ifThere('remove', path, () => {
    const found = disk.entry(path);
    if (found?.kind === 'folder') throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    if (found) disk.unlink(path);
  });
}

/** Of a document, a configuration or a state file: far above what people and agents write, and read in a moment. */
export const textBytesMax = 4 * 1024 ** 2;

export function readText(path: string, disk: Disk = nodeDisk, bytesMax = textBytesMax): string | undefined {
  return ifThere('read', path, () => utf8.decode(disk.readFile(path, bytesMax)));
}

/** A document below `root`; what is behind a link that leads outside is nobody's document, and is not read. */
export function readDocument(root: string, path: string, disk: Disk = nodeDisk): string | undefined {
  return readText(documentPlace(root, path, disk), disk);
}

/** Where a document is. Throws a FileProblem for a link that leads outside. */
export function documentPlace(root: string, path: string, disk: Disk = nodeDisk): string {
  const place = resolveInside(root, path, disk);
  ifThere('read', place, () => {
    if (leadsOut(root, place, disk)) throw failure(linkOut, 'read', place);
  });
  return place;
}

/** Undefined where nothing is at the path. */
export function ifThere<T>(doing: string, path: string, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new FileProblem(doing, path, error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Paths relative to `root` of all files below `folder` ('' is the root itself). */
export function listFiles(root: string, folder: string, disk: Disk = nodeDisk, depth?: 'shallow'): string[] {
  const found: string[] = [];
  const top = folder === '' || folder === '.' ? '' : folder.replace(/\/+$/, '');
  const path = top === '' ? root : resolveInside(root, top, disk);
  ifThere('list', path, () => {
    if (disk.entry(path)?.kind === 'folder') collect(disk, path, top, { found, isDeep: depth === undefined });
  });
  return found.toSorted();
}

function collect(disk: Disk, folder: string, prefix: string, into: { found: string[]; isDeep: boolean }): void {
  for (const { name, kind } of disk.list(folder)) {
    const path = join(folder, name);
    const relative = prefix === '' ? name : `${prefix}/${name}`;
    if (kind === 'folder' && into.isDeep) collect(disk, path, relative, into);
    else if (kind === 'file' || (kind === 'symlink' && orElse(undefined, () => disk.target(path))?.kind === 'file'))
      into.found.push(relative);
  }
}

export function sha256(text: string | Buffer): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Files as they shall be, `null` deletes; see F3 and F4. */
export function applyWrites(
  root: string,
  writes: readonly { readonly path: string; readonly content: string | null }[],
  disk: Disk = nodeDisk,
): void {
  const safe = writes.map(({ path, content }) => ({ path: resolveInside(root, path, disk), content }));
  const undo: (() => void)[] = [];
  try {
    for (const { path, content } of safe) {
      undo.push(putBack(path, disk));
      if (content !== null) writeAtomically(path, content, {}, disk);
      else {
        removeFile(path, disk);
        removeEmptyFolders(dirname(path), root, disk);
      }
    }
  } catch (error) {
    for (const back of undo.toReversed()) back();
    throw error;
  }
}

/** Remembers what is at `path`, and which of its parents are missing. */
function putBack(path: string, disk: Disk): () => void {
  const found = disk.entry(path);
  if (found?.kind === 'symlink') {
    const target = disk.readlink(path);
    return () => {
      disk.mkdir(dirname(path));
      discard(path, disk);
      disk.symlink(target, path);
    };
  }
  if (found?.kind === 'file') {
    const bytes = ifThere('replace', path, () => disk.readFile(path));
    return () => (bytes ? writeAtomically(path, bytes, { mode: found.mode }, disk) : removeFile(path, disk));
  }
  if (found) return () => {};
  let standing = dirname(path);
  while (!disk.entry(standing) && dirname(standing) !== standing) standing = dirname(standing);
  return () => {
    removeFile(path, disk);
    removeEmptyFolders(dirname(path), standing, disk);
  };
}

/** Removes `folder` and its parents up to (not including) `top`, as long as they are empty. */
export function removeEmptyFolders(folder: string, top: string, disk: Disk = nodeDisk): void {
  for (let path = folder; path.startsWith(`${top}/`); path = dirname(path)) {
    try {
      disk.rmdir(path);
    } catch (error) {
      if (!isMissing(error)) return;
    }
  }
}
