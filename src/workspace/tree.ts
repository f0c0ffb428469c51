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
import { join } from 'node:path';
import { Commits } from './commits.ts';
import type { TreeFile } from './committing.ts';
import { listFiles } from './files.ts';
import { GitFiles } from './git-files.ts';
import { GitFailed } from './git.ts';
import { ignoredFiles, rulesAmong, type IgnoredFiles } from './ignored-files.ts';
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
  /** The files that steer git itself. */
  readonly git: GitFiles;
  /** Repositories in the work tree, as of the last snapshot; those in ignored folders and in one another are left out. */
  nested: readonly string[] = [];
  readonly #shadow: Shadow;
  readonly #watched: string | undefined;
  #files: string | undefined;
  #tracked = { key: '', names: [] as readonly string[] };
  /** The last one: what a dispatch left is what the next one finds. */
  #digested = { key: '', digest: '' };
  /** Recorded files that are ignored, and the rules under which they are. */
  #ruled: Ruled = { rules: null, ignored: [] };
  #queue: Promise<unknown> = Promise.resolve();

  constructor(place: WorkTreeOptions) {
    this.#shadow = new Shadow(place);
    this.#watched = place.watched;
    this.git = new GitFiles(this.#shadow);
    this.commits = new Commits(this.#shadow, () => this.snapshot());
  }

  close(): void {
    this.#shadow.close();
  }

  /** Git tree id of what is on disk now. */
  snapshot(): Promise<string> {
    return this.#queued(() => this.#taken());
  }

  /** The same, and beside it what git ignores, which is in no snapshot. */
  snapshotWithIgnored(): Promise<{ readonly tree: string; readonly ignored: IgnoredFiles }> {
    return this.#queued(async () => {
      await this.#shadow.prepare();
      const looking = ignoredFiles(this.#shadow);
      const [tree, ignored] = await Promise.all([this.#taken(looking), looking]);
      return { tree, ignored };
    });
  }

  /** W5. */
  #queued<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(() => this.#shadow.isOwnIndex() || this.#forget()).then(act);
    this.#queue = next.catch(() => {});
    return next;
  }

  async #taken(looking?: Promise<IgnoredFiles>): Promise<string> {
    try {
      return await this.#take(looking);
    } catch (error) {
      // A broken index or a pruned object is no reason to fail: the files themselves are the truth.
      if (!(error instanceof GitFailed)) throw error;
      this.#forget();
      return this.#take();
    }
  }

  #forget(): void {
    this.#shadow.forget();
    this.#files = undefined;
    this.#ruled = { rules: null, ignored: [] };
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
    return (await this.#changes(from, to)).map(({ name, status }) => ({ path: text(name), status }));
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
    return (await this.#shadow.load([found[1]]))[0];
  }

  /** The files at these paths, and below them. */
  async files(tree: string, paths: readonly string[]): Promise<readonly TreeFile[]> {
    const places = paths.map(bytes);
    const lines = await this.#shadow.names(['ls-tree', '-r', '-z', '--full-tree', treeId(tree)]);
    const found = lines.flatMap((line) => {
      const [, mode = '', id = '', name = ''] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return name !== '' && isWithin(name, places) ? [{ mode, id, name }] : [];
    });
    const contents = await this.#shadow.load(found.map(({ id }) => id));
    return found.flatMap(({ mode, name }, at) => (contents[at] ? [{ mode, name, content: contents[at] }] : []));
  }

  /**
   * Brings the files that differ between `from` (what is on disk) and `to` back to `to`, and touches nothing else.
   * `paths` limits it to these files and folders. With `inGit`, the trees are those of `git.snapshot`.
   */
  async restore(from: string, to: string, options: { paths?: readonly string[]; inGit?: true } = {}): Promise<void> {
    const only = options.paths?.map(bytes);
    const changes = (await this.#changes(from, to)).filter(({ name }) => !only || isWithin(name, only));
    const root = options.inGit ? this.#shadow.commonDir : this.#shadow.root;
    await restoreFiles(root, changes, (ids) => this.#shadow.load(ids));
  }

  async #take(looking?: Promise<IgnoredFiles>): Promise<string> {
    await this.#shadow.prepare();
    const [dirty, { rules, ignored }] = await this.#look(looking);
    const nested = dirty.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
    this.nested = nested.map(text);
    const watched = this.#watched === undefined ? [] : listFiles(this.#shadow.root, this.#watched).map(bytes);
    const tracked = new Set([...(await this.#trackedIgnored(ignored)), ...watched]);
    const gone = ignored.filter((name) => !tracked.has(name));
    for (const name of ignored) tracked.delete(name);
    const extra = [...tracked].filter((name) => isReachable(this.#shadow.root, name));
    if (this.#files === undefined || dirty.length > nested.length || gone.length > 0 || extra.length > 0) {
      this.#files = await this.#record(nested, gone, extra);
      // What is recorded under rules that have not changed is not ignored by them.
      this.#ruled = { rules, ignored: [...ignored.filter((name) => !gone.includes(name)), ...extra] };
    }
    return nested.length === 0 ? this.#files : this.#withNested(this.#files, nested);
  }

  /** What changed since it was recorded, and what is recorded although it is ignored by now, which takes as long. */
  async #look(looking?: Promise<IgnoredFiles>): Promise<[dirty: string[], ruled: Ruled]> {
    const changes = this.#shadow.names(['ls-files', '-z', '-m', '-o', '--exclude-standard']);
    const recorded = () => this.#shadow.names(['ls-files', '-z', '-c', '-i', '--exclude-standard']);
    if (!looking || this.#ruled.rules === null) {
      const [dirty, ignored, beside] = await Promise.all([changes, recorded(), looking]);
      if (!beside) return [dirty, { rules: null, ignored }];
      this.#ruled = { rules: rulesAmong(dirty, beside), ignored };
      return [dirty, this.#ruled];
    }
    const [dirty, beside] = await Promise.all([changes, looking]);
    const rules = rulesAmong(dirty, beside);
    if (rules === null || rules !== this.#ruled.rules) this.#ruled = { rules, ignored: await recorded() };
    return [dirty, this.#ruled];
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
}

interface Ruled {
  /** Null where they are not known. */
  readonly rules: string | null;
  readonly ignored: readonly string[];
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

const bytes = (path: string): string => Buffer.from(path, 'utf8').toString('latin1');

const text = (name: string | Buffer): string => (Buffer.isBuffer(name) ? name : bytePath(name)).toString('utf8');
