/**
 * Moves a work tree of the user's, its index and its branch from one commit to a later one.
 *
 * W1. Files with edits, and files that git does not know, stay as they are: where the move concerns one of them, nothing
 *     is moved.
 * W2. Meanwhile the index is locked as git locks it, by a file that says whose it is: one that a killed process of ours
 *     left is taken over, anybody else's is respected.
 * W3. Files first, then the index, then the branch. After a kill, files that are whole or cut-off versions of the later
 *     commit are ours, and the move goes on; everything else is somebody's edit (W1).
 */

import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import type { Entry } from './commit-index.ts';
import { writeAtomically } from './files.ts';
import { GitFailed, type Repository } from './git.ts';
import type { Refused } from './landing.ts';
import { shellLine } from './shell-line.ts';
import { userGit, type UserGit } from './user-git.ts';

export interface WorkTreeMove {
  readonly from: string;
  readonly commit: string;
  /** For files under way; on the file system of the git directory. */
  readonly folder: string;
  /** By which a git that outlives this process is found again. */
  readonly env: Readonly<Record<string, string>>;
  /** W3. The same move was begun before. */
  readonly isRepeated: boolean;
  /** For the reflog. */
  readonly reason: string;
  /** Called before the first file is touched. */
  readonly begin: () => void;
}

/** Null when it is done. */
export async function moveWorkTree(main: Repository, move: WorkTreeMove): Promise<Refused | null> {
  const index = join(move.folder, 'index');
  mkdirSync(move.folder, { recursive: true });
  if (!lockIndex(main, move.folder)) return locked(main);
  try {
    copyFileSync(join(main.gitDir, 'index'), index);
    rmSync(`${index}.lock`, { force: true });
    const work: Move = { ...move, main, git: userGit(main.root), env: { ...move.env, GIT_INDEX_FILE: index } };
    const edited = await editsInTheWay(work);
    if (edited.length > 0) return inTheWay(main, edited);
    const objection = await carryOut(work);
    if (objection) return objection;
    writeAtomically(join(main.gitDir, 'index'), readRegular(index));
    const { env } = move;
    const durably = ['-c', 'core.fsync=reference'];
    await work.git.run([...durably, 'update-ref', 'ORIG_HEAD', move.from], { env });
    await work.git.run([...durably, 'update-ref', '-m', move.reason, 'HEAD', move.commit, move.from], { env });
    return null;
  } finally {
    releaseIndex(main, move.folder);
  }
}

interface Move extends WorkTreeMove {
  readonly main: Repository;
  readonly git: UserGit;
}

/** W2. */
function lockIndex(main: Repository, folder: string): boolean {
  const draft = join(folder, 'index-lock');
  writeFileSync(draft, lockText(folder));
  try {
    linkSync(draft, lockOf(main));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return isOurs(main, folder);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** W2. Also for one that a killed process left. */
export function releaseIndex(main: Repository, folder: string): void {
  if (isOurs(main, folder)) rmSync(lockOf(main), { force: true });
}

function isOurs(main: Repository, folder: string): boolean {
  return orElse('', () => readRegular(lockOf(main)).toString('utf8')) === lockText(folder);
}

const lockOf = ({ gitDir }: Repository): string => join(gitDir, 'index.lock');
const lockText = (folder: string): string => `locked by pawl for ${folder}\n`;

function locked(main: Repository): Refused {
  const why = `another git command is running in ${main.root}: ${lockOf(main)} exists`;
  return { kind: 'refused', why, fix: 'wait until it has ended, then run the same command again' };
}

const namedMax = 5;

function inTheWay({ root }: Repository, paths: readonly string[]): Refused {
  const names = paths.slice(0, namedMax).map(textOf).join(', ');
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : '';
  const why = `${root} has changes that are not committed to files that the merge changes too: ${names}${more}`;
  // Only these: documents of runs that git does not know would be in the way of `stash pop`.
  const stash = ['stash', 'push', '--include-untracked', '--', ...paths.map(textOf)];
  return { kind: 'refused', why, fix: shellLine('git', '-C', root, ...(more === '' ? stash : ['status'])) };
}

interface Change {
  /** A byte string. */
  readonly path: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** W1. What is left of an earlier attempt of ours is made good. */
async function editsInTheWay(move: Move): Promise<readonly string[]> {
  const { git, env, from, commit, main } = move;
  const changes = await changesBetween(git, from, commit);
  await refresh(move);
  const edited = new Set([
    ...(await git.fields(['diff-index', '--cached', '--name-only', '--no-renames', '-z', from], { env })),
    ...(await git.fields(['diff-files', '--name-only', '-z'], { env })),
  ]);
  const gone = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
  const isEdited = ({ path, before }: Change): boolean =>
    edited.has(path) || (before === null && isTaken(main.root, path, gone));
  const found = changes.filter(isEdited);
  if (!move.isRepeated) return found.map(({ path }) => path);
  const theirs: string[] = [];
  const torn: string[] = [];
  let made = '';
  for (const { path, after } of found) {
    const left = await leftBehind(move, path, after);
    if (left === 'theirs') theirs.push(path);
    if (left === 'torn') torn.push(path);
    if (left === 'made' && after) made += `${after.mode} ${after.id}\t${path}\0`;
  }
  if (theirs.length > 0) return theirs;
  for (const path of torn) unlinkSync(placeOf(main.root, path));
  await git.run(['update-index', '-z', '--index-info'], { env, input: Buffer.from(made, 'latin1') });
  await refresh(move);
  return [];
}

/** Git itself examines it once more as a whole before it touches a file. */
async function carryOut({ git, env, main, from, commit, begin }: Move): Promise<Refused | null> {
  const how = ['-c', 'core.splitIndex=false', 'read-tree', '-m', '-u'];
  try {
    await git.run([...how, '--dry-run', from, commit], { env });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const fix = shellLine('git', '-C', main.root, 'status');
    return { kind: 'refused', why: error.message, fix };
  }
  begin();
  await git.run([...how, from, commit], { env });
  return null;
}

/** Files whose time alone differs are not edited; its exit code tells of those that are. */
async function refresh({ git, env }: Move): Promise<void> {
  await git.run(['update-index', '-q', '--refresh'], { env, answersWith: 1 });
}

async function changesBetween(git: UserGit, from: string, commit: string): Promise<readonly Change[]> {
  const fields = await git.fields(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, commit]);
  const entry = (mode: string, id: string): Entry | null => (Number(mode) === 0 ? null : { mode, id });
  return fields.flatMap((field, at) => {
    const [, was = '', mode = '', before = '', after = ''] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(field) ?? [];
    const path = fields[at + 1];
    if (at % 2 === 1 || path === undefined) return [];
    return { path, before: entry(was, before), after: entry(mode, after) };
  });
}

/** Whether something is at a path, or above it, that does not go with the move; also what git ignores. */
function isTaken(root: string, path: string, gone: ReadonlySet<string>): boolean {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const at = parts.slice(0, count).join('/');
    const found = lstatSync(placeOf(root, at), { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isDirectory()) return !gone.has(at);
    if (count === parts.length) return filesIn(root, at).some((file) => !gone.has(file));
  }
  return false;
}

function filesIn(root: string, folder: string): readonly string[] {
  const entries = readdirSync(placeOf(root, folder), { withFileTypes: true, encoding: 'latin1' });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(root, path) : path;
  });
}

const symlink = '120000';

/** W3. */
async function leftBehind(
  { git, main }: Move,
  path: string,
  after: Entry | null,
): Promise<'made' | 'torn' | 'gone' | 'theirs'> {
  const place = placeOf(main.root, path);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  if (after === null || found.isSymbolicLink() !== (after.mode === symlink)) return 'theirs';
  if (!found.isSymbolicLink() && !found.isFile()) return 'theirs';
  const bytes = found.isFile() ? readRegular(place) : readlinkSync(place, { encoding: 'buffer' });
  const how = found.isFile() ? ['--filters', `--path=${textOf(path)}`] : ['blob'];
  const whole = await git.run(['cat-file', ...how, after.id]);
  if (bytes.equals(whole)) return 'made';
  return whole.subarray(0, bytes.length).equals(bytes) ? 'torn' : 'theirs';
}

function placeOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
