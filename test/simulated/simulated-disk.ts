/**
 * A disk in memory that can lose what a real one may lose.
 *
 * It remembers every change since it was switched on. Each instant between two changes can be asked what a computer that
 * stops there finds afterwards:
 *
 * D1. After a kill, everything: what the process wrote is in the page cache. The write it was killed in may be cut short.
 * D2. After a power loss, everything that was synced: the content and length of a file by fsync or fdatasync of it, the
 *     names in a folder by fsync of that folder. Syncing a file does not keep its name; syncing a name keeps no content.
 * D3. Of the rest, each folder comes back as it was at some moment since its last sync, with everything before that
 *     moment and nothing after it. A rename from one folder to another happened in both or in neither, and not at all
 *     into a folder that is itself lost.
 * D4. Each file comes back with some number of its writes since its last sync, in order, the last of them cut at a page.
 * D5. Folders and files are independent of each other beyond that: a name may be there without its content (ext4 with
 *     data=ordered allocates late, so it may be empty), and a later sync of one file says nothing of an earlier rename
 *     elsewhere (ext4 would keep it, btrfs does not).
 *
 * So it allows all that ext4 with data=ordered, XFS and btrfs allow, and some more; it does not hand out blocks that
 * were never written, and it does not break fsync.
 */

import { MemoryDisk } from '../../src/disk/memory-disk.ts';
import { applyChange, FileNode, FolderNode, LinkNode } from '../../src/disk/memory-node.ts';
import type { DiskChange, MemoryNode } from '../../src/disk/memory-node.ts';
import { survivorsOf } from './power-loss.ts';
import { seeded } from '../seeded.ts';

export interface Logged {
  readonly change: DiskChange;
  readonly atMs: number;
}

/** What a file or folder was before the first change. */
interface Origin {
  readonly content: Buffer | ReadonlyMap<string, MemoryNode | null>;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export class SimulatedDisk extends MemoryDisk {
  readonly #log: Logged[] = [];
  readonly #origins = new Map<MemoryNode, Origin>();

  constructor(now: () => number, root?: FolderNode) {
    super({ now }, root);
  }

  /** How many instants there are: one before each change. */
  get instants(): number {
    return this.#log.length;
  }

  /** What happens at an instant, for the name of a test. */
  whatHappensAt(instant: number): string {
    const change = this.#log[instant]?.change;
    if (!change) return 'the end';
    return `${change.type === 'names' ? change.what : change.type} ${change.path}`;
  }

  /** When the change at an instant happens; at the end, when the last one did. */
  timeOf(instant: number): number {
    return (this.#log[instant] ?? this.#log.at(-1))?.atMs ?? this.now();
  }

  /** All changes, in order. */
  get changes(): readonly DiskChange[] {
    return this.#log.map(({ change }) => change);
  }

  /** D1. `torn` keeps half of the write at the instant. */
  afterKill(instant: number, { torn = false } = {}): SimulatedDisk {
    const rest = this.#log[instant]?.change;
    const log = this.#log.slice(0, instant);
    if (torn && rest?.type === 'write') {
      const bytes = rest.bytes.subarray(0, Math.floor(rest.bytes.length / 2));
      log.push({ change: { ...rest, bytes }, atMs: this.#log[instant]?.atMs ?? 0 });
    }
    return this.#with(log);
  }

  /** D2 to D5, as chance has it. */
  afterPowerLoss(instant: number, seed: number): SimulatedDisk {
    const log = this.#log.slice(0, instant);
    const survivors = survivorsOf(
      log.map(({ change }) => change),
      seeded(seed),
    );
    return this.#with(
      log.flatMap((logged, index) => {
        const change = survivors[index];
        return change ? [{ ...logged, change }] : [];
      }),
    );
  }

  protected override perform(change: DiskChange): void {
    for (const node of nodesOf(change)) this.#keepOrigin(node);
    this.#log.push({ change, atMs: this.now() });
    super.perform(change);
  }

  #keepOrigin(node: MemoryNode): void {
    if (this.#origins.has(node) || node.kind === 'symlink') return;
    const { mtimeMs, ctimeMs } = node;
    const content = node.kind === 'file' ? node.content : new Map(node.names);
    this.#origins.set(node, { content, mtimeMs, ctimeMs });
  }

  /** The disk as it was when it was switched on, with these changes. */
  #with(log: readonly Logged[]): SimulatedDisk {
    const copies = new Map<MemoryNode, MemoryNode>();
    const copyOf = (node: MemoryNode): MemoryNode => {
      const known = copies.get(node);
      if (known) return known;
      const copy = this.#asItWas(node);
      copies.set(node, copy);
      if (copy.kind === 'folder') for (const [name, child] of this.#namesIn(node)) copy.names.set(name, copyOf(child));
      return copy;
    };
    const root = copyOf(this.root);
    for (const { change, atMs } of log) applyChange(moved(change, copyOf), atMs);
    if (root.kind !== 'folder') throw new Error('the root of a disk is a folder');
    return new SimulatedDisk(this.now, root);
  }

  #asItWas(node: MemoryNode): MemoryNode {
    const { mtimeMs, ctimeMs } = this.#origins.get(node) ?? node;
    const copy = this.#emptyCopy(node);
    return Object.assign(copy, { mtimeMs, ctimeMs });
  }

  #emptyCopy(node: MemoryNode): MemoryNode {
    const { mode, mtimeMs } = node;
    if (node.kind === 'symlink') return new LinkNode(node.target, mtimeMs);
    if (node.kind === 'folder') return new FolderNode(mode, mtimeMs);
    const origin = this.#origins.get(node)?.content;
    return FileNode.of(Buffer.isBuffer(origin) ? origin : node.content, mode, mtimeMs);
  }

  #namesIn(node: MemoryNode): readonly (readonly [string, MemoryNode])[] {
    if (node.kind !== 'folder') return [];
    const origin = this.#origins.get(node)?.content;
    const names = origin === undefined || Buffer.isBuffer(origin) ? node.names : origin;
    return [...names].flatMap(([name, child]) => (child ? [[name, child] as const] : []));
  }
}

function nodesOf(change: DiskChange): readonly MemoryNode[] {
  if (change.type === 'names') return change.names.flatMap(({ folder, node }) => (node ? [folder, node] : [folder]));
  return change.type === 'sync' ? [] : [change.file];
}

/** The same change on the copies. */
function moved(change: DiskChange, copyOf: (node: MemoryNode) => MemoryNode): DiskChange {
  if (change.type === 'names') {
    const names = change.names.map(({ folder, name, node }) => ({
      folder: asFolder(copyOf(folder)),
      name,
      node: node && copyOf(node),
    }));
    return { ...change, names };
  }
  if (change.type === 'sync') return change;
  return { ...change, file: asFile(copyOf(change.file)) };
}

function asFolder(node: MemoryNode): FolderNode {
  if (node.kind !== 'folder') throw new Error('only folders have names');
  return node;
}

function asFile(node: MemoryNode): FileNode {
  if (node.kind !== 'file') throw new Error('only files have content');
  return node;
}
