/**
 * Snapshots of the work tree as git trees, kept in a shadow git directory (see shadow.ts).
 *
 * W1. A snapshot holds the bytes, exec bits and symlinks of all tracked files and all untracked ones that are not
 *     ignored, and those of the watched folder even where they are. The same files give the same tree, whatever was snapshotted before.
 * W2. The user's index, HEAD, refs and configuration are never written.
 * W3. A nested repository or submodule is a folder like any other, with its own ignore rules; its commits count for
 *     nothing, and its git directory is no part of a snapshot.
 * W4. What git cached about a file counts only while inode, size, ctime and mtime (in seconds) agree; the one thing that
 *     escapes is a change of equal size within a second of the file's last one whose mtime is then set back.
 * W5. Snapshots of one instance happen one after the other; those of other processes do not disturb them.
 */

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { Commits } from './commits.ts';
import { listFiles } from './files.ts';
import { GitFailed } from './git.ts';
import { bytePath, isReachable, restoreFiles, type TreeChange } from './restore.ts';
import { Shadow, type WorkTreeOptions } from './shadow.ts';

export type ChangedFile = Pick<TreeChange, 'status'> & { readonly path: string };

/** A change as people speak of it: a file that moved is one change, not two. */
export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Where a renamed file was before. */
  readonly oldPath?: string;
}

export interface DiffOptions {
  readonly exceptFolders?: readonly string[];
  readonly color?: boolean;
}

export class WorkTree {
  readonly commits: Commits;
  readonly #shadow: Shadow;
  readonly #watched: string | undefined;
  #files: string | undefined;
  #tracked = { key: '', names: [] as readonly string[] };
  /** The last one: what a dispatch left is what the next one finds. */
  #digested = { key: '', digest: '' };
  #queue: Promise<unknown> = Promise.resolve();

  constructor(place: WorkTreeOptions) {
    this.#shadow = new Shadow(place);
    this.#watched = place.watched;
    this.commits = new Commits(this.#shadow, () => this.snapshot());
  }

  close(): void {
    this.#shadow.close();
  }

  /** Git tree id of what is on disk now. */
  snapshot(): Promise<string> {
    const next = this.#queue.then(() =>
      this.#take().catch((error: unknown) => {
        // A broken index or a pruned object is no reason to fail: the files themselves are the truth.
        if (!(error instanceof GitFailed)) throw error;
        this.#shadow.forget();
        this.#files = undefined;
        return this.#take();
      }),
    );
    this.#queue = next.catch(() => {});
    return next;
  }

  /** Identifies a tree's content outside the given folders. */
  async digest(tree: string, exceptFolders: readonly string[]): Promise<string> {
    const key = `${tree}\n${exceptFolders.join('\0')}`;
    if (this.#digested.key === key) return this.#digested.digest;
    const hash = createHash('sha256');
    const folders = exceptFolders.map(bytes);
    for (const line of await this.#shadow.names(['ls-tree', '-r', '-z', '--full-tree', treeId(tree)])) {
      if (!isWithin(line.slice(line.indexOf('\t') + 1), folders)) hash.update(`${line}\0`, 'latin1');
    }
    this.#digested = { key, digest: `tree:${hash.digest('hex')}` };
    return this.#digested.digest;
  }

  async changed(from: string, to: string): Promise<readonly ChangedFile[]> {
    const changes = await this.#changes(from, to);
    return changes.map(({ name, status }) => ({ path: text(name), status }));
  }

  /** The same with files that moved (and may have changed a little on the way) recognised. */
  async fileChanges(from: string, to: string): Promise<readonly FileChange[]> {
    const args = ['diff-tree', '-r', '-z', '-M', '--name-status', treeId(from), treeId(to)];
    const fields = (await this.#shadow.names(args)).values();
    const next = (): string => text(fields.next().value ?? '');
    const changes: FileChange[] = [];
    for (const status of fields) {
      const path = next();
      if (status.startsWith('R')) changes.push({ path: next(), change: 'renamed', oldPath: path });
      else changes.push({ path, change: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified' });
    }
    return changes;
  }

  /** The difference for people and prompts; bytes that are not UTF-8 are shown as U+FFFD (see `patch`). */
  async diff(from: string, to: string, options: DiffOptions = {}): Promise<string> {
    return (await this.patch(from, to, options)).toString('utf8');
  }

  /** The difference byte for byte, as `git apply` takes it back. */
  async patch(from: string, to: string, options: DiffOptions = {}): Promise<Buffer> {
    const flags = ['--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'];
    const color = options.color ? '--color=always' : '--color=never';
    const except = (options.exceptFolders ?? []).map((folder) => `:(top,exclude,literal)${folder}`);
    const trees = [treeId(from), treeId(to)];
    return this.#shadow.run(['diff-tree', '-r', '-p', ...flags, color, ...trees, '--', ':(top)', ...except]);
  }

  /** Content of a file (of a symlink: its target), or undefined when the tree has no file there. */
  async read(tree: string, path: string): Promise<Buffer | undefined> {
    const spec = `:(top,literal)${path}`;
    const [line] = await this.#shadow.names(['ls-tree', '-z', '--full-tree', treeId(tree), '--', spec]);
    const found = /^\d+ blob ([0-9a-f]+)\t/.exec(line ?? '');
    if (!found?.[1] || line?.slice(found[0].length) !== bytes(path)) return undefined;
    return (await this.#load([found[1]]))[0];
  }

  /**
   * Brings the files that differ between `from` (what is on disk) and `to` back to `to`, and touches nothing else.
   * `paths` limits it to these files and folders.
   */
  async restore(from: string, to: string, options: { paths?: readonly string[] } = {}): Promise<void> {
    const only = options.paths?.map(bytes);
    const changes = (await this.#changes(from, to)).filter(({ name }) => !only || isWithin(name, only));
    await restoreFiles(this.#shadow.root, changes, (ids) => this.#load(ids));
  }

  async #take(): Promise<string> {
    await this.#shadow.prepare();
    const [dirty, ignored] = await Promise.all([
      this.#shadow.names(['ls-files', '-z', '-m', '-o', '--exclude-standard']),
      this.#shadow.names(['ls-files', '-z', '-c', '-i', '--exclude-standard']),
    ]);
    const nested = dirty.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
    const watched = this.#watched === undefined ? [] : listFiles(this.#shadow.root, this.#watched).map(bytes);
    const tracked = new Set([...(await this.#trackedIgnored(ignored)), ...watched]);
    const gone = ignored.filter((name) => !tracked.has(name));
    for (const name of ignored) tracked.delete(name);
    const extra = [...tracked].filter((name) => isReachable(this.#shadow.root, name));
    if (this.#files === undefined || dirty.length > nested.length || gone.length > 0 || extra.length > 0) {
      this.#files = await this.#record(nested, gone, extra);
    }
    return nested.length === 0 ? this.#files : this.#withNested(this.#files, nested);
  }

  /** Depends on the user's index and on ignore rules; a rule that matters also changes `ignored`. */
  async #trackedIgnored(ignored: readonly string[]): Promise<readonly string[]> {
    const key = `${this.#shadow.realIndexStamp()}\n${ignored.join('\0')}`;
    if (this.#tracked.key !== key) this.#tracked = { key, names: await this.#shadow.trackedIgnored(ignored) };
    return this.#tracked.names;
  }

  async #record(nested: readonly string[], gone: readonly string[], extra: readonly string[]): Promise<string> {
    const specs = ['.', ...nested.map((name) => `:(top,exclude,literal)${name}`)];
    await this.#shadow.run(['add', '-A', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: lines(specs) });
    const update = async (names: readonly string[], ...how: readonly string[]): Promise<void> => {
      if (names.length === 0) return;
      await this.#shadow.run(['update-index', ...how, '-z', '--stdin'], { input: lines(names) });
    };
    await update(gone, '--force-remove');
    await update(extra, '--add', '--replace');
    const tree = text(await this.#shadow.run(['write-tree'])).trim();
    this.#shadow.publish();
    return tree;
  }

  /** W3. In an index that is thrown away, because git refuses to look at such files where it finds them recorded. */
  async #withNested(files: string, nested: readonly string[]): Promise<string> {
    const names = (await Promise.all(nested.map((name) => this.#filesIn(name)))).flat();
    if (names.length === 0) return files;
    const index = `${this.#shadow.index}.scratch`;
    try {
      if (existsSync(this.#shadow.index)) copyFileSync(this.#shadow.index, index);
      await this.#shadow.run(['update-index', '--add', '--replace', '-z', '--stdin'], { input: lines(names), index });
      return text(await this.#shadow.run(['write-tree'], { index })).trim();
    } finally {
      rmSync(index, { force: true });
    }
  }

  /** Of a nested repository and those in it; to an index that does not exist, every file is new. */
  async #filesIn(nested: string): Promise<readonly string[]> {
    const options = { root: join(this.#shadow.root, text(nested)), index: `${this.#shadow.index}.none` };
    const found = await this.#shadow.names(['ls-files', '-z', '-o', '--exclude-standard'], options);
    const names = found.map((name) => `${nested}/${name}`);
    const deeper = names.filter((name) => name.endsWith('/')).map((name) => this.#filesIn(name.slice(0, -1)));
    return [...names.filter((name) => !name.endsWith('/')), ...(await Promise.all(deeper)).flat()];
  }

  async #changes(from: string, to: string): Promise<TreeChange[]> {
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', treeId(from), treeId(to)];
    const fields = await this.#shadow.names(args);
    const changes: TreeChange[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const found = /^:(\d+) (\d+) [0-9a-f]+ ([0-9a-f]+) ([AMDT])$/.exec(fields[at] ?? '');
      const [, oldMode, mode, id, letter] = found ?? [];
      const status = (['A', 'M', 'D', 'T'] as const).find((each) => each === letter);
      if (!oldMode || !mode || !id || !status) throw new Error(`git diff-tree printed "${fields[at]}"`);
      changes.push({ name: fields[at + 1] ?? '', status, oldMode, mode, id });
    }
    return changes;
  }

  /** Contents of blobs, each checked against its id: the user's object store is not ours to trust. */
  async #load(ids: readonly string[]): Promise<Buffer[]> {
    const output = await this.#shadow.run(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
    let at = 0;
    return ids.map((id) => {
      const end = output.indexOf('\n', at);
      const size = Number(new RegExp(`^${id} blob (\\d+)$`).exec(output.toString('latin1', at, end))?.[1]);
      const content = output.subarray(end + 1, end + 1 + size);
      if (!Number.isSafeInteger(size) || blobId(content, id.length) !== id) {
        throw new Error(`object ${id} of a snapshot is missing or damaged; nothing was restored from it`);
      }
      at = end + 1 + size + 1;
      return content;
    });
  }
}

/** When a file last changed (ms), or its nearest existing parent folder when it is gone. */
export function lastChangedAt(root: string, path: string, disk: Disk = nodeDisk): number {
  for (let at = join(root, path); ; at = dirname(at)) {
    const found = disk.entry(at);
    if (found) return Math.max(found.ctimeMs, found.mtimeMs);
    if (at === root || at === dirname(at)) return 0;
  }
}

function blobId(content: Buffer, idLength: number): string {
  const hash = createHash(idLength === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function isWithin(name: string, folders: readonly string[]): boolean {
  return folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
}

/** Ids reach git's command line: nothing else may. */
function treeId(id: string): string {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) throw new Error(`"${id}" is not a git tree id`);
  return id;
}

function lines(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join('');
}

function bytes(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

function text(name: string | Buffer): string {
  return Buffer.isBuffer(name) ? name.toString('utf8') : bytePath(name).toString('utf8');
}
