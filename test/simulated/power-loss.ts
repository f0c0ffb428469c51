/** Which changes of a disk survive a power loss (see simulated-disk.ts, D2 to D5). */

import type { DiskChange, FileNode, FolderNode, MemoryNode } from '../../src/disk/memory-node.ts';

/** A whole number from 0 up to, and not including, `below`. */
type Chance = (below: number) => number;

type Kept = 'none' | 'all' | 'some';

/** Chance alone seldom loses everything, or all content and no name: those are the worst. */
const everything = { names: 'none', data: 'none' } as const;
const choices: readonly { readonly names: Kept; readonly data: Kept }[] = [
  everything,
  { names: 'all', data: 'none' },
  { names: 'none', data: 'all' },
  { names: 'some', data: 'some' },
  { names: 'some', data: 'none' },
];

const pageBytes = 4096;

/** Each change as it survives: whole, cut short, or (null) not at all. */
export function survivorsOf(changes: readonly DiskChange[], chance: Chance): readonly (DiskChange | null)[] {
  const chosen = choices[chance(choices.length)] ?? everything;
  const { names, writes } = pendingIn(changes);
  const lost = lostNames(names, changes, (many) => keptOf(many, chosen.names, chance));
  const cut = new Map<number, number>();
  for (const pending of writes.values()) {
    const [first, ...later] = pending.slice(keptOf(pending.length, chosen.data, chance));
    if (first !== undefined) cut.set(first, chosen.data === 'some' ? chance(sizeOf(changes[first]) + 1) : 0);
    for (const index of later) lost.add(index);
  }
  return changes.map((change, index) => {
    const kept = cut.get(index);
    if (lost.has(index)) return null;
    return kept === undefined ? change : cutAtPage(change, kept);
  });
}

function keptOf(many: number, kept: Kept, chance: Chance): number {
  if (kept === 'some') return chance(many + 1);
  return kept === 'all' ? many : 0;
}

function sizeOf(change: DiskChange | undefined): number {
  return change?.type === 'write' ? change.bytes.length : 0;
}

/** D4. */
function cutAtPage(change: DiskChange, kept: number): DiskChange | null {
  if (change.type !== 'write') return null;
  const length = Math.floor((change.at + kept) / pageBytes) * pageBytes - change.at;
  return length > 0 ? { ...change, bytes: change.bytes.subarray(0, length) } : null;
}

/** D3. */
function lostNames(
  pending: Pending['names'],
  changes: readonly DiskChange[],
  keptOfMany: (many: number) => number,
): Set<number> {
  const lost = new Set<number>();
  for (const indices of pending.values())
    for (const index of indices.slice(keptOfMany(indices.length))) lost.add(index);
  const makers = makersOf(pending, changes);
  // What is lost in one folder is lost in the other, and all that came after it there.
  for (let before = -1; before !== lost.size;) {
    before = lost.size;
    for (const indices of pending.values()) {
      const first = indices.findIndex((index) => lost.has(index) || isIntoLost(changes[index], makers, lost));
      if (first !== -1) for (const index of indices.slice(first)) lost.add(index);
    }
  }
  return lost;
}

/** Which pending change made a folder. */
function makersOf(pending: Pending['names'], changes: readonly DiskChange[]): ReadonlyMap<MemoryNode, number> {
  const makers = new Map<MemoryNode, number>();
  for (const index of [...pending.values()].flat()) {
    const change = changes[index];
    if (change?.type !== 'names' || change.what !== 'mkdir') continue;
    for (const { node } of change.names) if (node) makers.set(node, index);
  }
  return makers;
}

function isIntoLost(
  change: DiskChange | undefined,
  makers: ReadonlyMap<MemoryNode, number>,
  lost: ReadonlySet<number>,
): boolean {
  if (change?.type !== 'names' || change.what !== 'rename') return false;
  return change.names.some(({ folder }) => lost.has(makers.get(folder) ?? -1));
}

/** Indices of changes, in order. */
interface Pending {
  readonly names: ReadonlyMap<FolderNode, readonly number[]>;
  readonly writes: ReadonlyMap<FileNode, readonly number[]>;
}

function pendingIn(changes: readonly DiskChange[]): Pending {
  const names = new Map<FolderNode, number[]>();
  const writes = new Map<FileNode, number[]>();
  const synced = new Map<FolderNode, number>();
  for (const [index, change] of changes.entries()) {
    if (change.type === 'names') for (const folder of foldersOf(change)) add(names, folder, index);
    else if (change.type !== 'sync') add(writes, change.file, index);
    else if (change.node.kind === 'file') writes.delete(change.node);
    else synced.set(change.node, index);
  }
  settle(synced, names, changes);
  const left = [...names].map(
    ([folder, all]) => [folder, all.filter((index) => index >= (synced.get(folder) ?? 0))] as const,
  );
  return { names: new Map(left), writes };
}

function add<N>(pending: Map<N, number[]>, node: N, index: number): void {
  const known = pending.get(node);
  if (known) known.push(index);
  else pending.set(node, [index]);
}

/**
 * Raises the moments up to which folders are durable: a rename that is durable in one folder is so in the other, and
 * so is the folder it leads into.
 */
function settle(
  synced: Map<FolderNode, number>,
  names: ReadonlyMap<FolderNode, readonly number[]>,
  changes: readonly DiskChange[],
): void {
  const makers = makersOf(names, changes);
  const left = [...synced.keys()];
  const raise = (folder: FolderNode, moment: number): void => {
    if ((synced.get(folder) ?? 0) >= moment) return;
    synced.set(folder, moment);
    left.push(folder);
  };
  for (let folder = left.pop(); folder; folder = left.pop()) {
    for (const index of names.get(folder) ?? []) {
      if (index >= (synced.get(folder) ?? 0)) break;
      const change = changes[index];
      if (change?.type !== 'names' || change.what !== 'rename') continue;
      for (const other of foldersOf(change)) {
        raise(other, index + 1);
        const maker = makers.get(other);
        const made = maker === undefined ? undefined : changes[maker];
        if (maker !== undefined && made?.type === 'names') for (const above of foldersOf(made)) raise(above, maker + 1);
      }
    }
  }
}

function foldersOf(change: Extract<DiskChange, { type: 'names' }>): ReadonlySet<FolderNode> {
  return new Set(change.names.map(({ folder }) => folder));
}
