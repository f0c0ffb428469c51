/** The files, folders, links and paths of a disk in memory, and the few kinds of changes that happen to it. */

import { normalize } from 'node:path';
import type { Disk, Entry } from './disk.ts';

export type MemoryNode = FileNode | FolderNode | LinkNode;

let nodes = 0;

abstract class Node {
  readonly id = (nodes += 1);
  mode: number;
  mtimeMs: number;
  ctimeMs: number;

  constructor(mode: number, atMs: number) {
    this.mode = mode;
    this.mtimeMs = atMs;
    this.ctimeMs = atMs;
  }
}

export class FileNode extends Node {
  readonly kind = 'file';
  #pieces: Buffer[] = [];
  #length = 0;
  /** Where its content is until it is written here, such as a file of the disk below. */
  #source: (() => Buffer) | null;

  constructor(mode: number, atMs: number, source: (() => Buffer) | null = null) {
    super(mode, atMs);
    this.#source = source;
  }

  static of(content: Buffer, mode: number, atMs: number): FileNode {
    return new FileNode(mode, atMs, () => content);
  }

  get length(): number {
    return this.#source ? this.#source().length : this.#length;
  }

  /** Not to be written to. */
  get content(): Buffer {
    if (this.#source) return this.#source();
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  write(at: number, bytes: Buffer): void {
    this.#detach();
    if (at === this.#length) {
      this.#pieces.push(Buffer.from(bytes));
      this.#length += bytes.length;
      return;
    }
    this.truncate(Math.max(this.#length, at + bytes.length));
    bytes.copy(this.content, at);
  }

  truncate(length: number): void {
    this.#detach();
    const whole = Buffer.alloc(length);
    this.content.copy(whole);
    this.#pieces = [whole];
    this.#length = length;
  }

  #detach(): void {
    const source = this.#source;
    this.#source = null;
    if (source) this.write(0, source());
  }
}

export class FolderNode extends Node {
  readonly kind = 'folder';
  /** Null hides a name of the disk below. */
  readonly names = new Map<string, MemoryNode | null>();
  /** Its place on the disk below, if it has one. */
  readonly below: string | null;

  constructor(mode: number, atMs: number, below: string | null = null) {
    super(mode, atMs);
    this.below = below;
  }

  set(name: string, node: MemoryNode | null): void {
    if (node === null && this.below === null) this.names.delete(name);
    else this.names.set(name, node);
  }
}

export class LinkNode extends Node {
  readonly kind = 'symlink';
  readonly target: string;

  constructor(target: string, atMs: number) {
    super(0o777, atMs);
    this.target = target;
  }
}

export interface NameChange {
  readonly folder: FolderNode;
  readonly name: string;
  /** Null removes the name. */
  readonly node: MemoryNode | null;
}

/** One step that happens as a whole or not at all; only a write can be cut short. `path` is the one that was asked for. */
export type DiskChange = { readonly path: string } & (
  | { readonly type: 'names'; readonly what: NameOperation; readonly names: readonly NameChange[] }
  | { readonly type: 'write'; readonly file: FileNode; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly file: FileNode; readonly length: number }
  | { readonly type: 'sync'; readonly node: FileNode | FolderNode }
);

export type NameOperation = 'create' | 'mkdir' | 'link' | 'symlink' | 'rename' | 'unlink' | 'rmdir';

export function applyChange(change: DiskChange, nowMs: number): void {
  switch (change.type) {
    case 'names':
      for (const { folder, name, node } of change.names) {
        folder.set(name, node);
        touch(folder, nowMs);
        if (node) node.ctimeMs = nowMs;
      }
      return;
    case 'write':
      change.file.write(change.at, change.bytes);
      return touch(change.file, nowMs);
    case 'truncate':
      change.file.truncate(change.length);
      return touch(change.file, nowMs);
    case 'sync':
  }
}

function touch(node: Node, nowMs: number): void {
  node.mtimeMs = nowMs;
  node.ctimeMs = nowMs;
}

/** The node of what the disk below has at a path; undefined when it has nothing there. */
export function nodeBelow(disk: Disk, path: string): MemoryNode | undefined {
  const found = disk.entry(path);
  if (!found || found.kind === 'other') return undefined;
  if (found.kind === 'folder') return new FolderNode(found.mode, found.mtimeMs, path);
  if (found.kind === 'symlink') return new LinkNode(disk.readlink(path), found.mtimeMs);
  return new FileNode(found.mode, found.mtimeMs, () => disk.readFile(path));
}

export function described(node: MemoryNode | undefined): Entry | undefined {
  if (!node) return undefined;
  const { kind, mode, mtimeMs, ctimeMs, id } = node;
  return { kind, mode, bytes: kind === 'file' ? node.length : 0, mtimeMs, ctimeMs, id };
}

export function isBelow(path: string, folder: string): boolean {
  return normalize(path).startsWith(`${normalize(folder)}/`);
}

const parted = new Map<string, readonly string[]>();
const partedMax = 10_000;

/** Remembered, because the same few paths are asked for again and again. */
export function partsOf(path: string): readonly string[] {
  const known = parted.get(path);
  if (known) return known;
  const parts = normalize(path).split('/').filter(Boolean);
  if (parted.size >= partedMax) parted.clear();
  parted.set(path, parts);
  return parts;
}
