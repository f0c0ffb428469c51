/**
 * A disk in memory: empty, or over another one.
 *
 * M1. Over another disk, whatever was not changed here is read from there; that disk is never changed.
 * M2. Every change goes through `perform`, one step at a time, so that whoever extends this class sees all of them.
 */

import { basename, dirname, join, normalize, resolve } from 'node:path';
import { failure, orElse } from './disk-error.ts';
import type { Disk, Entry, FolderEntry, OpenFlags } from './disk.ts';
import { applyChange, described, FileNode, FolderNode, isBelow, LinkNode, nodeBelow, partsOf } from './memory-node.ts';
import type { DiskChange, MemoryNode, NameOperation } from './memory-node.ts';
import { fileBytesMax } from './regular-file.ts';

interface OpenFile {
  readonly path: string;
  readonly node: FileNode | FolderNode;
  readonly isAppending: boolean;
  at: number;
}

const firstDescriptor = 1_000_000;
const linksMax = 40;
const umask = 0o022;

/** A disk that shows what another one holds and keeps all changes to itself. */
export function overlay(below: Disk): MemoryDisk {
  return new MemoryDisk({ below });
}

export class MemoryDisk implements Disk {
  protected readonly root: FolderNode;
  protected readonly now: () => number;
  readonly #below: Disk | null;
  readonly #open = new Map<number, OpenFile>();
  #lastDescriptor = firstDescriptor;

  /** `below`: M1. */
  constructor({ now = Date.now, below }: { now?: () => number; below?: Disk } = {}, root?: FolderNode) {
    this.now = now;
    this.#below = below ?? null;
    this.root = root ?? new FolderNode(0o755, now(), below ? '/' : null);
  }

  /** M2. */
  protected perform(change: DiskChange): void {
    applyChange(change, this.now());
  }

  open(path: string, flags: OpenFlags, mode = 0o666): number {
    const node = this.#toOpen(path, flags, mode);
    if (flags === 'w' && node.kind === 'file' && node.length > 0)
      this.perform({ path, type: 'truncate', file: node, length: 0 });
    this.#lastDescriptor += 1;
    this.#open.set(this.#lastDescriptor, { path, node, isAppending: flags.startsWith('a'), at: 0 });
    return this.#lastDescriptor;
  }

  #toOpen(path: string, flags: OpenFlags, mode: number): FileNode | FolderNode {
    const found = flags === 'wx' ? this.#find(path) : this.#follow(path);
    if (found && flags === 'wx') throw failure('EEXIST', 'open', path);
    if (found?.kind === 'folder' && flags !== 'r') throw failure('EISDIR', 'open', path);
    if (found && found.kind !== 'symlink') return found;
    if (flags === 'r') throw failure('ENOENT', 'open', path);
    const file = new FileNode(mode & ~umask, this.now());
    // Creates the target of a link; the link stays.
    const names = [{ ...this.#slot(`/${this.#walk(path, true).parts.join('/')}`, 'open'), node: file }];
    this.perform({ path, type: 'names', what: 'create', names });
    return file;
  }

  close(descriptor: number): void {
    this.#opened(descriptor, 'close');
    this.#open.delete(descriptor);
  }

  read(descriptor: number, into: Buffer, position: number): number {
    const { content } = this.#openFile(descriptor, 'read').file;
    return position < content.length ? content.copy(into, 0, position) : 0;
  }

  write(descriptor: number, bytes: Buffer): number {
    const { open, file } = this.#openFile(descriptor, 'write');
    const at = open.isAppending ? file.length : open.at;
    this.perform({ path: open.path, type: 'write', file, at, bytes });
    open.at = at + bytes.length;
    return bytes.length;
  }

  bytesIn(descriptor: number): number {
    return this.#openFile(descriptor, 'fstat').file.length;
  }

  truncate(descriptor: number, length: number): void {
    const { open, file } = this.#openFile(descriptor, 'ftruncate');
    this.perform({ path: open.path, type: 'truncate', file, length });
  }

  fdatasync(descriptor: number): void {
    this.#openFile(descriptor, 'fdatasync');
    this.fsync(descriptor);
  }

  fsync(descriptor: number): void {
    const { path, node } = this.#opened(descriptor, 'fsync');
    this.perform({ path, type: 'sync', node });
  }

  readFile(path: string, bytesMax = fileBytesMax): Buffer {
    const found = this.#existing(path, 'open', { following: true });
    if (found.kind !== 'file') throw failure('EISDIR', 'read', path);
    const { content } = found;
    if (content.length > bytesMax) throw failure('EFBIG', 'read', path);
    return content;
  }

  writeFile(path: string, content: string | Buffer, options: { flag?: OpenFlags; mode?: number } = {}): void {
    const descriptor = this.open(path, options.flag ?? 'w', options.mode);
    const bytes = Buffer.from(content);
    if (bytes.length > 0) this.write(descriptor, bytes);
    this.close(descriptor);
  }

  entry(path: string): Entry | undefined {
    return described(this.#find(path));
  }

  target(path: string): Entry | undefined {
    return described(this.#follow(path));
  }

  exists(path: string): boolean {
    return orElse(false, () => this.#follow(path) !== undefined);
  }

  names(folder: string): readonly string[] {
    return this.list(folder).map(({ name }) => name);
  }

  list(path: string): readonly FolderEntry[] {
    const folder = this.#folder(path, 'scandir');
    const listed = new Map<string, FolderEntry>();
    for (const each of folder.below === null ? [] : (this.#below?.list(folder.below) ?? []))
      listed.set(each.name, each);
    for (const [name, node] of folder.names) {
      if (node) listed.set(name, { name, kind: node.kind });
      else listed.delete(name);
    }
    return [...listed.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  mkdir(path: string, mode = 0o777): string | undefined {
    const found = this.#follow(path);
    if (found?.kind === 'folder') return undefined;
    if (found) throw failure('EEXIST', 'mkdir', path);
    if (this.#find(path)) throw failure('ENOENT', 'mkdir', path);
    if (this.#follow(dirname(path))?.kind === 'file') throw failure('ENOTDIR', 'mkdir', path);
    const first = this.mkdir(dirname(path), mode);
    this.#setName(path, 'mkdir', new FolderNode(mode & ~umask, this.now()));
    return first ?? path;
  }

  rmdir(path: string): void {
    const found = this.#existing(path, 'rmdir');
    if (found.kind !== 'folder') throw failure('ENOTDIR', 'rmdir', path);
    if (this.list(path).length > 0) throw failure('ENOTEMPTY', 'rmdir', path);
    this.#setName(path, 'rmdir', null);
  }

  rename(from: string, to: string): void {
    const [source, slot] = [this.#slot(from, 'rename'), this.#slot(to, 'rename')];
    const node = this.#existing(from, 'rename');
    const target = this.#find(to);
    if (target === node) return;
    const [real, realTo] = [this.#realName(from), this.#realName(to)];
    if (isBelow(real, realTo)) throw failure('ENOTEMPTY', 'rename', to);
    if (node.kind === 'folder') {
      if (isBelow(realTo, real)) throw failure('EINVAL', 'rename', to);
      if (target && target.kind !== 'folder') throw failure('ENOTDIR', 'rename', to);
      if (target && this.list(to).length > 0) throw failure('ENOTEMPTY', 'rename', to);
    } else if (target?.kind === 'folder') throw failure('EISDIR', 'rename', to);
    const names = [
      { ...source, node: null },
      { ...slot, node },
    ];
    this.perform({ path: to, type: 'names', what: 'rename', names });
  }

  link(existing: string, path: string): void {
    const [node, slot] = [this.#existing(existing, 'link'), this.#slot(path, 'link')];
    if (this.#find(path)) throw failure('EEXIST', 'link', path);
    if (node.kind === 'folder') throw failure('EPERM', 'link', existing);
    this.perform({ path, type: 'names', what: 'link', names: [{ ...slot, node }] });
  }

  unlink(path: string): void {
    if (this.#existing(path, 'unlink').kind === 'folder') throw failure('EISDIR', 'unlink', path);
    this.#setName(path, 'unlink', null);
  }

  symlink(target: string, path: string): void {
    if (this.#find(path)) throw failure('EEXIST', 'symlink', path);
    this.#setName(path, 'symlink', new LinkNode(target, this.now()));
  }

  readlink(path: string): string {
    const found = this.#existing(path, 'readlink');
    if (found.kind !== 'symlink') throw failure('EINVAL', 'readlink', path);
    return found.target;
  }

  realpath(path: string): string {
    this.#existing(path, 'realpath', { following: true });
    return `/${this.#walk(path, true).parts.join('/')}`;
  }

  chmod(path: string, mode: number): void {
    this.#existing(path, 'chmod', { following: true }).mode = mode;
  }

  utimes(path: string, at: Date): void {
    this.#existing(path, 'utime', { following: true }).mtimeMs = at.getTime();
  }

  /** Null removes the name. */
  #setName(path: string, what: NameOperation, node: MemoryNode | null): void {
    this.perform({ path, type: 'names', what, names: [{ ...this.#slot(path, what), node }] });
  }

  #existing(path: string, call: string, { following = false } = {}): MemoryNode {
    const { node } = this.#walk(path, following);
    if (!node) throw failure('ENOENT', call, path);
    return node;
  }

  #find(path: string): MemoryNode | undefined {
    return this.#walk(path, false).node;
  }

  #follow(path: string): MemoryNode | undefined {
    return this.#walk(path, true).node;
  }

  /** Nothing where nothing is, also below something that is no folder; `parts` are what links lead to in the end. */
  #walk(path: string, following: boolean): { node: MemoryNode | undefined; parts: readonly string[] } {
    let node: MemoryNode | undefined = this.root;
    let links = 0;
    let parts = partsOf(path);
    for (let depth = 0; depth < parts.length; depth += 1) {
      const next: MemoryNode | undefined = node?.kind === 'folder' ? this.#child(node, parts[depth] ?? '') : undefined;
      if (next?.kind !== 'symlink' || (depth === parts.length - 1 && !following)) {
        node = next;
        continue;
      }
      links += 1;
      if (links > linksMax) throw failure('ELOOP', 'open', path);
      const target = resolve('/', ...parts.slice(0, depth), next.target);
      parts = [...partsOf(target), ...parts.slice(depth + 1)];
      node = this.root;
      depth = -1;
    }
    return { node, parts };
  }

  #child(folder: FolderNode, name: string): MemoryNode | undefined {
    const known = folder.names.get(name);
    if (known !== undefined || folder.below === null || !this.#below) return known ?? undefined;
    const found = nodeBelow(this.#below, join(folder.below, name));
    if (found) folder.names.set(name, found);
    return found;
  }

  #folder(path: string, call: string): FolderNode {
    const found = this.#existing(path, call, { following: true });
    if (found.kind !== 'folder') throw failure('ENOTDIR', call, path);
    return found;
  }

  #slot(path: string, call: string): { readonly folder: FolderNode; readonly name: string } {
    return { folder: this.#folder(dirname(normalize(path)), call), name: basename(path) };
  }

  /** Links in the folders above are followed. */
  #realName(path: string): string {
    return join(this.realpath(dirname(normalize(path))), basename(path));
  }

  #opened(descriptor: number, call: string): OpenFile {
    const open = this.#open.get(descriptor);
    if (!open) throw failure('EBADF', call, `descriptor ${descriptor}`);
    return open;
  }

  #openFile(descriptor: number, call: string): { readonly open: OpenFile; readonly file: FileNode } {
    const open = this.#opened(descriptor, call);
    if (open.node.kind !== 'file') throw failure('EISDIR', call, `descriptor ${descriptor}`);
    return { open, file: open.node };
  }
}
