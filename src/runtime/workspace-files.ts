/**
 * The workspace as workflows see it: by relative path, read-only. Some files of a workflow lie in the main work tree,
 * whichever work tree a run has (`WorkflowReader.inMain`): there is one of each.
 */

import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { DurableFiles } from '../disk/syncing.ts';
import { listFiles, readDocument } from '../workspace/files.ts';
import { resolveInside, UnsafePath } from '../workspace/safe-paths.ts';
import type { FileView, WorkflowReader } from '../workflows/workflow.ts';
import { mainWorkTree } from '../workspace/git.ts';

/** `read` stands for everything beyond whether there is something. */
export type Look = 'read' | 'exists';

/** `onLook` is told of every path that is read or looked for. */
export function workspaceFiles(
  root: string | RootOf,
  disk: Disk = nodeDisk,
  onLook?: (path: string, look: Look) => void,
): FileView {
  const rootOf = typeof root === 'string' ? () => root : root;
  /** Documents may name any path; one that leads outside names nothing here. */
  const at = <T>(path: string, act: () => T, look: Look = 'read'): T | undefined => {
    onLook?.(path, look);
    try {
      return act();
    } catch (error) {
      if (error instanceof UnsafePath) return undefined;
      throw error;
    }
  };
  return {
    read: (path) => at(path, () => readDocument(rootOf(path), path, disk)),
    exists: (path) => at(path, () => disk.exists(resolveInside(rootOf(path), path, disk)), 'exists') ?? false,
    isLink: (path) => at(path, () => disk.entry(resolveInside(rootOf(path), path, disk))?.kind === 'symlink') ?? false,
    list: (folder, depth) => listFiles(rootOf(folder), folder, disk, depth),
  };
}

/** The work tree that a path of a run is in. */
export type RootOf = (path: string) => string;

/** The root may be another one later: that of a run which removed its workspace. */
export function rootsOf(
  { inMain }: Pick<WorkflowReader, 'inMain'>,
  root: string | (() => string),
  commonDir: string,
): RootOf {
  const rootNow = typeof root === 'string' ? () => root : root;
  if (!inMain) return rootNow;
  return (path) => (inMain(path) ? mainWorkTree({ root: rootNow(), commonDir }) : rootNow());
}

export function byRoot<T extends { readonly path: string }>(
  rootOf: RootOf,
  all: readonly T[],
): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const each of all) {
    const root = rootOf(each.path);
    found.set(root, [...(found.get(root) ?? []), each]);
  }
  return found;
}

/** Files in several work trees, made durable. */
export class DurableRoots {
  readonly #disk: Disk;
  readonly #rootOf: RootOf;
  readonly #files = new Map<string, DurableFiles>();

  constructor(disk: Disk, rootOf: RootOf) {
    this.#disk = disk;
    this.#rootOf = rootOf;
  }

  sync(paths: readonly string[], isWhole?: (path: string) => boolean): void {
    const all = paths.map((path) => ({ path }));
    for (const [root, own] of byRoot(this.#rootOf, all)) {
      const files = this.#files.get(root) ?? new DurableFiles(this.#disk, root);
      this.#files.set(root, files);
      const names = own.map(({ path }) => path);
      files.sync(names, isWhole);
    }
  }
}
