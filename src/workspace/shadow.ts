/**
 * A git directory of our own for somebody else's work tree.
 *
 * S1. Its configuration, attributes and excludes are fixed and put back before every use: no hook, filter,
 *     fsmonitor, line-ending conversion or assume-unchanged bit of the user's repository has an effect.
 * S2. The user's repository is only read: its objects as alternates, its index for the names it tracks.
 * S3. Every instance has an index file of its own, so no lock and no killed process stands in the way;
 *     the shared `index` is only ever replaced by rename, and only speeds up the next process.
 * S4. File names are byte strings (latin1), so that every name git knows survives.
 * S5. Objects are synced when they are written: git takes one that a power loss emptied for a good one, and a tree that
 *     the journal names must be there.
 * S6. An index that somebody else wrote hides changes: after each write of ours its digest is kept, that of the shared
 *     one in the user's own folder, and one with another digest is not used.
 */

import { createHash, randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { orElse, unlessMissing } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import { readText, writeAtomically } from './files.ts';
import { findRepository, git, unlessGitFails } from './git.ts';
import { startTimeOf } from './processes.ts';

export interface WorkTreeOptions {
  /** Top folder of the work tree. */
  readonly root: string;
  /** Where the shadow lives; outside the work tree or in its `.git`. */
  readonly shadowDir: string;
  readonly commonDir: string;
  /** A folder (relative) whose files belong to every snapshot, even where git ignores them. */
  readonly watched?: string;
  /** The user's own folder for notes about shared indexes (S6). */
  readonly notes?: string;
}

/** Of a process that may live where its pid cannot be seen; losing its index would only cost it time. */
const staleIndexMs = 10 * 60 * 1000;

interface ShadowOptions {
  readonly input?: string;
  /** Instead of the instance's own. */
  readonly index?: string;
  /** Instead of the whole work tree: a repository in it. */
  readonly root?: string;
}

export class Shadow {
  readonly root: string;
  readonly index: string;
  readonly #dir: string;
  /** Of the user's repository, as `commonDir` is. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly #objects: string;
  readonly #shallow: string;
  readonly #fixed: readonly (readonly [path: string, text: string])[];
  readonly #note: string | null;
  #seeded = false;
  /** S6. */
  #own = { stamp: '', digest: '' };

  constructor({ root, shadowDir, commonDir, notes }: WorkTreeOptions) {
    this.root = root;
    this.#dir = shadowDir;
    this.commonDir = commonDir;
    this.index = join(shadowDir, `index.${process.pid}-${randomBytes(4).toString('hex')}`);
    this.gitDir = findRepository(root).gitDir;
    this.#note = notes === undefined ? null : join(notes, sha256(shadowDir).slice(0, 32));
    this.#objects = join(commonDir, 'objects');
    this.#shallow = join(commonDir, 'shallow');
    // Taken over once, so that an agent cannot hide files by adding to it while it runs.
    const excludes = readText(join(commonDir, 'info', 'exclude')) ?? '';
    const format = /^\s*objectformat\s*=\s*(\w+)/im.exec(readText(join(commonDir, 'config')) ?? '')?.[1] ?? 'sha1';
    this.#fixed = [
      [join(shadowDir, 'HEAD'), 'ref: refs/heads/none\n'],
      [join(shadowDir, 'config'), configuration(format)],
      [join(shadowDir, 'info', 'attributes'), attributes],
      [join(shadowDir, 'info', 'exclude'), excludes],
    ];
  }

  /** Runs git on the shadow; `index` replaces the instance's own index. */
  async run(args: readonly string[], options: ShadowOptions = {}): Promise<Buffer> {
    const { root = this.root } = options;
    const env = {
      GIT_DIR: this.#dir,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: options.index ?? this.index,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(this.#objects),
      GIT_SHALLOW_FILE: this.#shallow,
    };
    const output = await git(args, { cwd: root, env, input: Buffer.from(options.input ?? '', 'latin1') });
    if (options.index === undefined && indexWriters.has(args[0] ?? '')) this.#keepOwn();
    return output;
  }

  /** S6. */
  isOwnIndex(): boolean {
    if (!this.#seeded || stampOf(this.index) === this.#own.stamp) return true;
    const { digest } = this.#own;
    this.#keepOwn();
    return digest === this.#own.digest;
  }

  #keepOwn(): void {
    const stamp = stampOf(this.index);
    this.#own = { stamp, digest: digestAt(this.index) };
  }

  async names(args: readonly string[], options?: ShadowOptions): Promise<string[]> {
    return fieldsOf(await this.run(args, options));
  }

  /** The folder, for those who use no index, or one of their own. */
  prepareFolder(): void {
    for (const [path, text] of this.#fixed) if (readText(path) !== text) writeAtomically(path, text);
    if (this.#seeded) return;
    for (const folder of ['objects', 'refs']) mkdirSync(join(this.#dir, folder), { recursive: true });
  }

  /** Folder and index; never twice at the same time, because the second would take the index away from the first. */
  async prepare(): Promise<void> {
    this.prepareFolder();
    if (this.#seeded) return;
    this.#removeStaleIndexes();
    // A hard link keeps the file's time, by which git tells entries that may have changed unseen.
    const shared = join(this.#dir, 'index');
    const isLinked = orElse(false, () => linkSync(shared, this.index) === undefined);
    this.#keepOwn();
    const isOwn = this.#note === null || readText(this.#note) === this.#own.digest;
    if (!isLinked || !isOwn) await this.#seedFromRealIndex();
    this.#keepOwn();
    this.#seeded = true;
  }

  /** Lets the next process start from what this one hashed. */
  publish(): void {
    const copy = `${this.index}.shared`;
    // Where the file system has no hard links, the next process hashes the files again.
    orElse(undefined, () => {
      linkSync(this.index, copy);
      renameSync(copy, join(this.#dir, 'index'));
      if (this.#note !== null) writeAtomically(this.#note, this.#own.digest, { mode: 0o600 });
    });
    rmSync(copy, { force: true });
  }

  /** What this process hashed is published; its own copy goes. */
  close(): void {
    this.#seeded = false;
    // The next process removes what cannot be removed now.
    orElse(undefined, () => rmSync(this.index, { force: true }));
  }

  /** Forgets every cached hash, the shared ones too: the next `prepare` starts from the files. */
  forget(): void {
    for (const path of [this.index, `${this.index}.lock`, join(this.#dir, 'index')]) rmSync(path, { force: true });
    this.#seeded = false;
  }

  /** What tells whether the user's index has changed. */
  realIndexStamp(): string {
    return stampOf(join(this.gitDir, 'index'));
  }

  /** Files the user's index tracks although they are ignored; `otherwise` when that index cannot be read. */
  async trackedIgnored(otherwise: readonly string[]): Promise<readonly string[]> {
    if (this.realIndexStamp() === '') return [];
    return unlessGitFails(otherwise, () => this.#readReal(['ls-files', '-z', '-c', '-i', '--exclude-standard']));
  }

  /** Names only: the hashes come from the bytes on disk, never from an index that an agent may have written. */
  async #seedFromRealIndex(): Promise<void> {
    rmSync(this.index, { force: true });
    if (this.realIndexStamp() === '') return;
    const isSeeded = await unlessGitFails(false, async () => {
      const staged = await this.#readReal(['ls-files', '-z', '-s']);
      const files = staged.filter((line) => !line.startsWith('160000 '));
      const entries = files.map((line) => line.replace(/ \d\t/, ' 0\t') + '\0');
      await this.run(['update-index', '-z', '--index-info'], { input: entries.join('') });
      return true;
    });
    if (!isSeeded) rmSync(this.index, { force: true });
  }

  /** The id of a commit the user's repository has a name for; `name` has the form of one. */
  async commitId(name: string): Promise<string> {
    const args = ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`];
    return (await this.#runReal(args)).toString('latin1').trim();
  }

  async #readReal(args: readonly string[]): Promise<string[]> {
    return fieldsOf(await this.#runReal(args));
  }

  /** Reads the user's own git directory, with everything off that could run a program. */
  #runReal(args: readonly string[]): Promise<Buffer> {
    const off = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.excludesFile=/dev/null'];
    // An object that is missing is not fetched: that would start a transport.
    const env = { GIT_DIR: this.gitDir, GIT_WORK_TREE: this.root, GIT_ALLOW_PROTOCOL: 'none' };
    return git([...off.flatMap((setting) => ['-c', setting]), ...args], { cwd: this.root, env });
  }

  /** Contents of blobs, each checked against its id: the user's object store is not ours to trust. */
  async load(ids: readonly string[]): Promise<Buffer[]> {
    const output = await this.run(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
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

  #removeStaleIndexes(): void {
    for (const name of readdirSync(this.#dir)) {
      const path = join(this.#dir, name);
      const pid = Number(/^index\.(\d+)-/.exec(name)?.[1] ?? 0);
      const ageMs = Date.now() - (unlessMissing(() => lstatSync(path))?.ctimeMs ?? Date.now());
      if (pid > 0 && startTimeOf(pid) === undefined && ageMs > staleIndexMs) rmSync(path, { force: true });
    }
  }
}

/** Commands that write the index they are given. */
const indexWriters = new Set(['add', 'update-index', 'write-tree']);

/** Empty where there is no file. */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}` : '';
}

function digestAt(path: string): string {
  return orElse('', () => sha256(readRegular(path)));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export function blobId(content: Buffer, idLength: number): string {
  const hash = createHash(idLength === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Splits what git prints with -z. */
function fieldsOf(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

const turnedOn = ['fileMode', 'symlinks'];
const conversions = ['autocrlf', 'safecrlf', 'ignoreCase', 'quotePath', 'protectNTFS', 'protectHFS'];
const turnedOff = [...conversions, 'bare', 'fsmonitor', 'untrackedCache', 'splitIndex', 'logAllRefUpdates'];
const without = ['hooksPath', 'attributesFile', 'excludesFile'];

function configuration(format: string): string {
  const core = [
    `repositoryFormatVersion = ${format === 'sha1' ? '0' : '1'}`,
    ...turnedOn.map((name) => `${name} = true`),
    ...turnedOff.map((name) => `${name} = false`),
    ...without.map((name) => `${name} = /dev/null`),
    // S5. Everything else in it can be made again.
    'fsync = loose-object',
  ];
  const extensions = format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${format}\n`;
  return `[core]\n${core.map((line) => `\t${line}\n`).join('')}[gc]\n\tauto = 0\n${extensions}`;
}

/** Highest precedence of all attributes: whatever `.gitattributes` say, bytes are stored as they are. */
const attributes = '* -text -ident !eol !filter !working-tree-encoding !diff\n';

/** The variable is a list separated by colons; a quoted item may contain them. */
export function quotedPath(path: string): string {
  return /["\\:\n]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path;
}
