/** Snapshots of a work tree on a simulated disk, without git. */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Disk } from '../../src/disk/disk.ts';
import type { TreeHistory } from '../../src/runtime/host.ts';
import { listFiles, removeEmptyFolders, removeFile, writeAtomically } from '../../src/workspace/files.ts';
import type { ChangedFile, DiffOptions } from '../../src/workspace/tree.ts';

type Tree = ReadonlyMap<string, Buffer>;

/**
 * Trees by their id. They are shared by all processes and outlive every crash: git names them by their content, and the
 * real ones are synced before a record names them.
 */
export class TreeObjects {
  readonly #trees = new Map<string, Tree>();
  readonly #digests = new WeakMap<Buffer, string>();

  add(tree: Tree): string {
    const hash = createHash('sha1');
    for (const [path, content] of tree) hash.update(`${path}\0${this.digestOf(content)}\0`);
    const id = hash.digest('hex');
    if (!this.#trees.has(id)) this.#trees.set(id, tree);
    return id;
  }

  read(id: string): Tree {
    const tree = this.#trees.get(id);
    if (!tree) throw new Error(`there is no tree ${id}`);
    return tree;
  }

  digestOf(content: Buffer): string {
    const known = this.#digests.get(content) ?? createHash('sha1').update(content).digest('hex');
    this.#digests.set(content, known);
    return known;
  }
}

export function simulatedTree(disk: Disk, root: string, objects: TreeObjects): TreeHistory {
  const changed = (from: string, to: string): ChangedFile[] => {
    const [before, after] = [objects.read(from), objects.read(to)];
    return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((path): ChangedFile[] => {
      const [old, now] = [before.get(path), after.get(path)];
      if (old && now) return old.equals(now) ? [] : [{ path, status: 'M' }];
      return [{ path, status: now ? 'A' : 'D' }];
    });
  };
  const textOf = (tree: string, path: string): string => objects.read(tree).get(path)?.toString() ?? '';
  const diff = (from: string, to: string, { exceptFolders = [] }: DiffOptions = {}): string =>
    changed(from, to)
      .filter(({ path }) => !exceptFolders.some((one) => path === one || path.startsWith(`${one}/`)))
      .map(({ path }) => `diff --git a/${path} b/${path}\n@@\n-${textOf(from, path)}+${textOf(to, path)}`)
      .join('\n');
  return {
    snapshot: () => {
      const paths = listFiles(root, '', disk).filter((path) => !path.startsWith('.git/'));
      return Promise.resolve(objects.add(new Map(paths.map((path) => [path, disk.readFile(join(root, path))]))));
    },
    digest: (tree, except) => {
      const isExcepted = (path: string): boolean =>
        except.some((folder) => path === folder || path.startsWith(`${folder}/`));
      const hash = createHash('sha256');
      for (const [path, content] of objects.read(tree))
        if (!isExcepted(path)) hash.update(`${path}\0${objects.digestOf(content)}\0`);
      return Promise.resolve(`tree:${hash.digest('hex')}`);
    },
    changed: (from, to) => Promise.resolve(changed(from, to)),
    fileChanges: (from, to) =>
      Promise.resolve(
        changed(from, to).map(({ path, status }) => ({
          path,
          change: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified',
        })),
      ),
    diff: (from, to, options) => Promise.resolve(diff(from, to, options)),
    patch: (from, to) => Promise.resolve(Buffer.from(diff(from, to))),
    read: (tree, path) => Promise.resolve(objects.read(tree).get(path)),
    files: (tree, paths) => {
      const isWanted = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`));
      const found = [...objects.read(tree)].filter(([path]) => isWanted(path));
      return Promise.resolve(found.map(([name, content]) => ({ name, mode: '100644', content })));
    },
    restore: (from, to, options) => {
      const paths = options?.paths;
      for (const { path } of changed(from, to)) {
        if (paths && !paths.some((one) => path === one || path.startsWith(`${one}/`))) continue;
        const content = objects.read(to).get(path);
        if (content) writeAtomically(join(root, path), content, {}, disk);
        else {
          removeFile(join(root, path), disk);
          removeEmptyFolders(dirname(join(root, path)), root, disk);
        }
      }
      return Promise.resolve();
    },
  };
}
