/**
 * The index that a commit is made from: the last commit, and over it the files of the request.
 *
 * I1. It is a file of its own. The user's index is changed after the commit alone, and only where the commit changed a file.
 * I2. Submodules, and files that a sparse checkout leaves out, stay as they are.
 */

import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitRequest, TreeFile } from './committing.ts';
import { unlessGitFails, type Repository } from './git.ts';
import { leftByHook } from './hook-repository.ts';
import { quotedPath } from './shadow.ts';
import { blobId } from './shadow.ts';
import { userGit, type UserGit } from './user-git.ts';

export interface Entry {
  readonly mode: string;
  readonly id: string;
}
/** By name, as a byte string. */
export type Entries = ReadonlyMap<string, Entry>;
/** Null deletes. */
type Changes = ReadonlyMap<string, Entry | null>;

const submodule = '160000';
const symlink = '120000';

export class CommitIndex {
  readonly file: string;
  readonly #git: UserGit;
  readonly #head: Entries;
  readonly #gitDir: string;
  readonly #idLength: number;

  private constructor(git: UserGit, gitDir: string, file: string, head: Entries) {
    this.#git = git;
    this.#gitDir = gitDir;
    this.file = file;
    this.#head = head;
    this.#idLength = [...head.values()][0]?.id.length ?? 40;
  }

  /** With what the user's index knows of the files, so that they need not be read again. */
  static async of(
    { root, gitDir }: Repository,
    { head, file }: { readonly head: string | null; readonly file: string },
  ) {
    const git = userGit(root);
    const index = new CommitIndex(git, gitDir, file, head === null ? new Map() : await entriesOf(git, head));
    const users = join(gitDir, 'index');
    if (existsSync(users)) copyFileSync(users, file);
    const read = ['read-tree', ...(head === null ? ['--empty'] : ['--reset', head])];
    await index.#run([...unsplit, ...read]);
    return index;
  }

  async stage({ paths, files }: CommitRequest): Promise<void> {
    const skipped = await this.#leftOut();
    const wanted = files.filter(({ name }) => !isWithin(name, skipped));
    const kept = new Set(wanted.map(({ name }) => name));
    const gone = [...within(this.#head, paths).keys()].filter((name) => !kept.has(name) && !isWithin(name, skipped));
    const changes = new Map<string, Entry | null>(gone.map((name) => [name, null]));
    for (const file of wanted) changes.set(file.name, await this.#store(file));
    await this.#set(changes);
  }

  tree(): Promise<string> {
    return this.#git.text(['write-tree'], { env: { GIT_INDEX_FILE: this.file } });
  }

  /** Lets hooks tell which files differ from it. */
  async refresh(): Promise<void> {
    await unlessGitFails(undefined, async () => void (await this.#run(['update-index', '-q', '--refresh'])));
  }

  /** Takes over what a hook staged; says why where that is more than the commit is about. */
  async takeOver(folder: string, paths: readonly string[]): Promise<string | null> {
    const file = leftByHook(join(folder, 'index'));
    if (file === undefined) return 'it removed the index';
    const [before, after] = await Promise.all([this.#entriesIn(this.file), this.#entriesIn(file)]);
    const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isSame(before, after, name));
    const others = names.filter((name) => !isWithin(name, paths.map(byteString))).map(textOf);
    if (others.length > 0) return `it staged files that are not part of this commit: ${others.slice(0, 5).join(', ')}`;
    const changes = new Map<string, Entry | null>();
    for (const name of names) changes.set(name, await this.#imported(after.get(name), join(folder, 'objects')));
    await this.#set(changes);
    return null;
  }

  /** I1. `onlyStale` are those that are still as before the commit. */
  async updateUsers({ commit }: { readonly commit: string }, { onlyStale }: { readonly onlyStale: boolean }) {
    const users = join(this.#gitDir, 'index');
    const diff = ['diff-tree', '-r', '-z', '--root', '--no-commit-id', '--raw', '--no-abbrev', '--no-renames', commit];
    const fields = await this.#git.fields(diff);
    const staged = onlyStale && existsSync(users) ? await this.#entriesIn(users) : new Map<string, Entry>();
    const changes = new Map<string, Entry | null>();
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [, , mode = '', was = '', id = ''] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+)/.exec(fields[at] ?? '') ?? [];
      const name = fields[at + 1] ?? '';
      const isStale = (staged.get(name)?.id ?? '0'.repeat(was.length)) === was;
      if (!onlyStale || isStale) changes.set(name, Number(mode) === 0 ? null : { mode, id });
    }
    if (changes.size === 0) return;
    await this.#git.run(['update-index', '-z', '--index-info'], { input: indexInfo(changes, this.#idLength) });
    await unlessGitFails(undefined, async () => void (await this.#git.run(['update-index', '-q', '--refresh'])));
  }

  /** I2. */
  async #leftOut(): Promise<readonly string[]> {
    const submodules = [...this.#head].flatMap(([path, { mode }]) => (mode === submodule ? [path] : []));
    const listed = await this.#git.fields(['ls-files', '-z', '-t']);
    return [...submodules, ...listed.flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : []))];
  }

  /** As the user's git stores it; bytes that the last commit has are stored already. */
  async #store({ name, mode, content }: TreeFile): Promise<Entry> {
    const known = this.#head.get(name);
    if (known !== undefined && blobId(content, known.id.length) === known.id) return { mode, id: known.id };
    const how = mode === symlink ? ['--no-filters'] : [`--path=${textOf(name)}`];
    return { mode, id: await this.#git.text([...durably, 'hash-object', '-w', '--stdin', ...how], { input: content }) };
  }

  async #imported(entry: Entry | undefined, objects: string): Promise<Entry | null> {
    if (entry === undefined) return null;
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(objects) };
    const input = await this.#git.run(['cat-file', 'blob', entry.id], { env });
    const args = [...durably, 'hash-object', '-w', '--stdin', '--no-filters'];
    return { ...entry, id: await this.#git.text(args, { input }) };
  }

  async #entriesIn(index: string): Promise<Entries> {
    const lines = await this.#git.fields(['ls-files', '-s', '-z'], { env: { GIT_INDEX_FILE: index } });
    return new Map(
      lines.flatMap((line): [string, Entry][] => {
        const [, mode = '', id = '', name = ''] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
        return [[name, { mode, id }]];
      }),
    );
  }

  async #set(changes: Changes): Promise<void> {
    if (changes.size > 0)
      await this.#run([...unsplit, 'update-index', '-z', '--index-info'], indexInfo(changes, this.#idLength));
  }

  #run(args: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
    return this.#git.run(args, { input, env: { GIT_INDEX_FILE: this.file } });
  }
}

/** Hooks read it from another git directory. */
const unsplit = ['-c', 'core.splitIndex=false'];
const durably = ['-c', 'core.fsync=loose-object'];

/** The files of a commit, those at the paths or all. */
export async function entriesOf(git: UserGit, commit: string, paths?: readonly string[]): Promise<Entries> {
  const lines = await git.fields(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const all = new Map(
    lines.flatMap((line): [string, Entry][] => {
      const [, mode = '', id = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return [[name, { mode, id }]];
    }),
  );
  return paths === undefined ? all : within(all, paths);
}

function within(entries: Entries, paths: readonly string[]): Entries {
  const places = paths.map(byteString);
  return new Map([...entries].filter(([name]) => isWithin(name, places)));
}

function isWithin(name: string, places: readonly string[]): boolean {
  return places.some((place) => name === place || name.startsWith(`${place}/`));
}

function isSame(before: Entries, after: Entries, name: string): boolean {
  const [left, right] = [before.get(name), after.get(name)];
  return left?.id === right?.id && left?.mode === right?.mode;
}

/** Deletions first: a file may become a folder, and the other way round. */
function indexInfo(changes: Changes, idLength: number): Buffer {
  const set = [...changes].flatMap(([name, entry]) => (entry ? [`${entry.mode} ${entry.id}\t${name}\0`] : []));
  const noId = '0'.repeat(idLength);
  const deleted = [...changes].flatMap(([name, entry]) => (entry ? [] : [`0 ${noId}\t${name}\0`]));
  return Buffer.from([...deleted, ...set].join(''), 'latin1');
}

function byteString(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

function textOf(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}
