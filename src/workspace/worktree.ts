/**
 * Git worktrees for runs that shall not work in the user's own checkout.
 *
 * K1. Making one again after it was cut off ends as if it had not been: remains that hold nothing of anybody's are
 *     taken away, a branch is taken over only where it still is at the commit it was begun from.
 * K2. A file is copied from inside one root to inside another, whole, and never over one that is there.
 */

import { lstatSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { orElse, unlessMissing } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import { readText, writeAtomically } from './files.ts';
import { findRepository, git, GitFailed, unlessGitFails } from './git.ts';
import { resolveInside, UnsafePath } from './safe-paths.ts';

/** Something of somebody's is in the way: stop, a person has to move it. */
export class WorktreeInTheWay extends Error {
  readonly code = 'WorktreeExists';
  readonly file: string;
  readonly fix: string;

  constructor(file: string, message: string, fix: string) {
    super(message);
    this.file = file;
    this.fix = fix;
  }
}

export interface WorktreePlan {
  readonly folder: string;
  readonly branch: string;
  /** What the branch begins from. */
  readonly commit: string;
  /** By which a git that outlives this process is found again. */
  readonly env: Readonly<Record<string, string>>;
}

/** K1. `cwd` is a work tree of the same repository. */
export async function makeWorktree(cwd: string, { folder, branch, commit, env }: WorktreePlan): Promise<void> {
  if (unlessMissing(() => lstatSync(folder))) {
    if (await isPristine(folder, commit)) return;
    await clearRemains(cwd, folder);
  }
  await git(['worktree', 'prune'], { cwd });
  const tip = await branchTip(cwd, branch);
  if (tip !== null && tip !== commit) {
    throw new WorktreeInTheWay(
      branch,
      `the branch ${branch} already exists; rename it, or choose another id`,
      `git branch --move ${branch} ${branch}-old`,
    );
  }
  const add = tip === null ? ['-b', branch, folder, commit] : [folder, branch];
  await git(['worktree', 'add', ...add], { cwd, env });
}

/** One that was removed, from its branch as it is now; without a commit, a branch that is gone too is not made again. */
export async function remakeWorktree(
  cwd: string,
  { folder, branch, commit, env }: Omit<WorktreePlan, 'commit'> & { readonly commit: string | null },
): Promise<void> {
  const tip = await branchTip(cwd, branch);
  const begun = commit === null ? ['--detach', folder] : ['-b', branch, folder, commit];
  await git(['worktree', 'add', '--force', ...(tip === null ? begun : [folder, branch])], { cwd, env });
}

/** The commit a branch is at; null when there is no such branch. */
export async function branchTip(cwd: string, branch: string): Promise<string | null> {
  return answerOf(cwd, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
}

export async function headCommit(cwd: string): Promise<string | null> {
  return answerOf(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
}

/** The branch that is checked out in a work tree; null where none is, or there is no work tree. */
export function branchAt(root: string): string | null {
  const head = orElse(undefined, () => readText(join(findRepository(root).gitDir, 'HEAD')));
  return /^ref: refs\/heads\/(.+?)\s*$/.exec(head ?? '')?.[1] ?? null;
}

const branchesMax = 50;

/** Branches whose last commit has the path, the latest first. */
export async function branchesWith(cwd: string, path: string): Promise<readonly string[]> {
  const list = ['for-each-ref', '--format=%(refname:short)', '--sort=-committerdate', `--count=${branchesMax}`];
  const branches = (await git([...list, 'refs/heads'], { cwd })).toString('utf8').split('\n').filter(Boolean);
  const has = await Promise.all(branches.map((each) => answerOf(cwd, ['ls-tree', `refs/heads/${each}`, '--', path])));
  return branches.filter((_, index) => has[index] !== '');
}

/** Whether git leaves the file out of what it sees as the work tree. */
export async function isIgnored(cwd: string, path: string): Promise<boolean> {
  return (await answerOf(cwd, ['check-ignore', '--', path])) !== null;
}

/** Whether the commit has it, so that the checkout made it. */
export async function isTracked(cwd: string, path: string): Promise<boolean> {
  return (await answerOf(cwd, ['ls-files', '--error-unmatch', '--', path])) !== null;
}

/** Of these files, those that a commit has, and that are the same in the work tree. */
export async function unchangedSince(
  cwd: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const list = async (...args: string[]): Promise<readonly string[]> =>
    (await git([...args, '-z', '--', ...paths], { cwd, asUser: true })).toString('utf8').split('\0');
  const changed = await list('diff', '--name-only', commit);
  return (await list('ls-tree', '-r', '--name-only', commit)).filter((path) => path !== '' && !changed.includes(path));
}

async function answerOf(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    return (await git(args, { cwd })).toString('utf8').trim();
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode === 1) return null;
    throw error;
  }
}

/** A complete checkout in which nobody has done anything yet. */
async function isPristine(folder: string, commit: string): Promise<boolean> {
  return unlessGitFails(
    false,
    async () => (await headCommit(folder)) === commit && (await statusOf(folder)).length === 0,
  );
}

async function clearRemains(cwd: string, folder: string): Promise<void> {
  const inTheWay = new WorktreeInTheWay(
    folder,
    `${folder} exists, and is not the worktree of this run`,
    'move it away, then run the same command again',
  );
  try {
    // Files that are not from the commit are somebody's.
    if ((await statusOf(folder)).some((line) => !line.startsWith(' D ') && !line.startsWith('D  '))) throw inTheWay;
    await git(['worktree', 'remove', '--force', '--force', folder], { cwd });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (orElse(inTheWay, () => rmdirSync(folder))) throw inTheWay;
  }
}

async function statusOf(folder: string): Promise<readonly string[]> {
  const top = (await git(['rev-parse', '--show-toplevel'], { cwd: folder })).toString('utf8').trim();
  if (top !== realpathSync(folder)) throw new GitFailed(['status'], null, `${folder} is no work tree`, null);
  const text = (await git(['status', '--porcelain', '--ignored', '-z'], { cwd: folder })).toString('utf8');
  return text.split('\0').filter((line) => line !== '');
}

export type CopyResult = 'copied' | 'present' | 'missing';

/** K2. */
export function copyInside(from: string, to: string, path: string): CopyResult {
  const source = fileInside(from, path);
  if (source === null) return 'missing';
  const target = resolveInside(to, path);
  if (unlessMissing(() => lstatSync(target))) return 'present';
  writeAtomically(target, readRegular(source), { mode: statSync(source).mode & 0o777 });
  return 'copied';
}

/** The place of a file, links followed; null when there is none. */
export function fileInside(root: string, path: string): string | null {
  const place = resolveInside(root, path);
  const real = orElse(null, () => realpathSync(place));
  if (real === null) return null;
  const unsafe = (why: string) => new UnsafePath(`unsafe path ${JSON.stringify(path)}: ${place} ${why}`);
  if (!real.startsWith(realpathSync(root) + sep)) throw unsafe(`is a symlink that leads outside ${root}`);
  if (!lstatSync(real, { throwIfNoEntry: false })?.isFile()) throw unsafe('is not a file: name the files themselves');
  return real;
}
