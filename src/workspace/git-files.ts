/**
 * The files of a git directory that steer git: what it runs, what it leaves out, and what its refs are. Snapshots of
 * them are trees of the shadow, as those of the work tree are.
 *
 * I1. They are configuration, hooks, excludes and attributes of the repository and its submodules, what ties worktrees to
 *     it, the HEAD of the work tree at hand, and the refs. No object, index or log is among them.
 * I2. Nothing is read while no file has another inode, size or time than before.
 * I3. A link is a file of its own: nothing behind it is looked at.
 * I4. Names are byte strings (S4).
 */

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { bytePath } from './restore.ts';
import type { Shadow } from './shadow.ts';

const rules = ['exclude', 'attributes'];

export class GitFiles {
  readonly #shadow: Shadow;
  #last = { stamps: '', tree: '' };

  constructor(shadow: Shadow) {
    this.#shadow = shadow;
  }

  /** The git directory that all names are relative to. */
  get root(): string {
    return this.#shadow.commonDir;
  }

  /** Of the work tree at hand: empty, or the folder of a linked worktree with a slash. */
  get own(): string {
    const folder = relative(this.root, this.#shadow.gitDir);
    return folder === '' || folder.startsWith('..') ? '' : `${folder}/`;
  }

  /** Git tree id of what is there now. */
  async snapshot(): Promise<string> {
    const found = this.#names().flatMap((name) => stampOf(this.root, name));
    const stamps = found.map(({ stamp }) => stamp).join('\n');
    if (stamps === this.#last.stamps && this.#last.tree !== '') return this.#last.tree;
    this.#shadow.prepareFolder();
    this.#last = { stamps, tree: await this.#record(found.map(({ name }) => name)) };
    return this.#last.tree;
  }

  /** Every ref with its value. */
  async refs(tree: string): Promise<ReadonlyMap<string, string>> {
    const lines = await this.#shadow.names(['ls-tree', '-r', '-z', '--full-tree', tree, '--', 'packed-refs', 'refs']);
    const blobs = lines.flatMap((line) => {
      const [, id = '', name = ''] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return id === '' ? [] : [{ id, name }];
    });
    if (blobs.length === 0) return new Map();
    const texts = await this.#shadow.load(blobs.map(({ id }) => id));
    const textOf = (name: string): string => texts[blobs.findIndex((blob) => blob.name === name)]?.toString() ?? '';
    const packed = [...textOf('packed-refs').matchAll(/^([0-9a-f]+) (refs\/.+)$/gm)];
    const loose = blobs.flatMap(({ name }, at): [string, string][] =>
      name === 'packed-refs' ? [] : [[name, texts[at]?.toString().trim() ?? '']],
    );
    return new Map([...packed.map(([, id = '', name = '']): [string, string] => [name, id]), ...loose]);
  }

  /** In an index that is thrown away: what it would remember, the stamps know. */
  async #record(names: readonly string[]): Promise<string> {
    const index = `${this.#shadow.index}.git`;
    try {
      // One that is gone by now is left out.
      const update = ['update-index', '--add', '--remove', '-z', '--stdin'];
      await this.#shadow.run(update, { input: names.map((name) => `${name}\0`).join(''), index, root: this.root });
      return (await this.#shadow.run(['write-tree'], { index })).toString('latin1').trim();
    } finally {
      rmSync(index, { force: true });
    }
  }

  /** I1. */
  #names(): readonly string[] {
    const { root, own } = this;
    const others = foldersIn(root, 'worktrees').flatMap((name) => [
      `worktrees/${name}/commondir`,
      `worktrees/${name}/config.worktree`,
    ]);
    const settings = ['', ...submodulesIn(root, 'modules')].flatMap((folder) => [
      ...['config', 'config.worktree', 'hooks', 'info'].map((name) => folder + name),
      ...filesIn(root, `${folder}hooks`),
      ...filesIn(root, `${folder}info`).filter((name) => rules.some((rule) => name === `${folder}info/${rule}`)),
    ]);
    const names = [...settings, ...others, `${own}HEAD`, ...(own === '' ? [] : [`${own}gitdir`])];
    return [...new Set([...names, 'packed-refs', ...filesIn(root, 'refs')])];
  }
}

/** None for a folder, or where nothing is. */
function stampOf(root: string, name: string): readonly { readonly name: string; readonly stamp: string }[] {
  const found = orElse(undefined, () => lstatSync(placeOf(root, name), { bigint: true }));
  if (!found?.isFile() && !found?.isSymbolicLink()) return [];
  const { ino, size, mode, mtimeNs, ctimeNs } = found;
  return [{ name, stamp: `${name}\0${ino}:${size}:${mode}:${mtimeNs}:${ctimeNs}` }];
}

function placeOf(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), bytePath(name)]);
}

/** I3. */
function entriesOf(root: string, folder: string) {
  const place = placeOf(root, folder);
  return orElse([], () =>
    lstatSync(place).isDirectory() ? readdirSync(place, { encoding: 'latin1', withFileTypes: true }) : [],
  );
}

function foldersIn(root: string, folder: string): readonly string[] {
  return entriesOf(root, folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** All files below a folder, but for locks that git puts beside them, and samples of hooks, which it never runs. */
function filesIn(root: string, folder: string): readonly string[] {
  return entriesOf(root, folder).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, name);
    return /\.(?:lock|sample)$/.test(entry.name) ? [] : [name];
  });
}

/** Git directories below a folder, each with a slash: that of a submodule is where its path says, which may be deep. */
function submodulesIn(root: string, folder: string): readonly string[] {
  return foldersIn(root, folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    const isGitDir = entriesOf(root, path).some((entry) => entry.name === 'HEAD');
    return isGitDir ? [`${path}/`, ...submodulesIn(root, `${path}/modules`)] : submodulesIn(root, path);
  });
}
