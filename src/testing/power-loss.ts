/** Which changes of a disk nothing has made durable yet (see simulated-disk.ts, D2). */

import type { DiskChange, FileNode, FolderNode } from '../disk/memory-node.ts';

/** Indices of changes, in order. */
export interface Pending {
  readonly names: ReadonlyMap<FolderNode, readonly number[]>;
  readonly writes: ReadonlyMap<FileNode, readonly number[]>;
}

export function pendingIn(changes: readonly DiskChange[]): Pending {
  const names = new Map<FolderNode, number[]>();
  const writes = new Map<FileNode, number[]>();
  for (const [index, change] of changes.entries()) {
    if (change.type === 'names') for (const { folder } of change.names) add(names, folder, index);
    else if (change.type !== 'sync') add(writes, change.file, index);
    else if (change.node.kind === 'file') writes.delete(change.node);
    else settle(names, change.node, changes);
  }
  return { names, writes };
}

function add<N>(pending: Map<N, number[]>, node: N, index: number): void {
  const known = pending.get(node) ?? [];
  if (known.at(-1) !== index) known.push(index);
  pending.set(node, known);
}

/** A rename that is durable in one folder is so in the other, with everything that came before it there. */
function settle(names: Map<FolderNode, number[]>, folder: FolderNode, changes: readonly DiskChange[]): void {
  const settled = names.get(folder) ?? [];
  names.delete(folder);
  for (const index of settled) {
    const change = changes[index];
    for (const { folder: other } of change?.type === 'names' ? change.names : []) {
      const left = names.get(other);
      if (!left) continue;
      const at = left.indexOf(index);
      if (at === -1) continue;
      const before = left.slice(0, at);
      names.set(other, left.slice(at + 1));
      for (const earlier of before) dropEverywhere(names, earlier);
    }
  }
}

function dropEverywhere(names: Map<FolderNode, number[]>, index: number): void {
  for (const [folder, left] of names)
    if (left.includes(index))
      names.set(
        folder,
        left.filter((each) => each > index),
      );
}
