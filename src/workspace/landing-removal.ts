/**
 * Removes the worktree of a run and its branch.
 *
 * R1. Edits, files that git does not know, and commits that no other branch, remote branch or tag has are in the way,
 *     unless a person said that they may be lost; so are files that git ignores, where the main work tree has not the
 *     same and no tool makes them again.
 * R2. The folder is renamed first, to a name that is on record: it is there as a whole, or gone, and what is left of it
 *     after a kill is known to be nobody's.
 * R3. The branch is deleted only at the commit that was examined. No work tree is switched to another branch.
 * R4. A process that is inside of the folder goes to the main work tree.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { codeOf, orElse } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import { findRepository, git } from './git.ts';
import { refused } from './landing-merge.ts';
import type { LandingPlace, Refused, RemovalOrder, RemovalResult } from './landing.ts';
import { shellLine } from './shell-line.ts';
import { userGit } from './user-git.ts';
import { branchAt, branchTip, headCommit } from './worktree.ts';

export async function removeWork(place: LandingPlace, order: RemovalOrder): Promise<RemovalResult> {
  const { branch } = order;
  const record = readRecord(place, branch);
  const tip = branch === null ? null : await branchTip(place.mainWorkTree, branch);
  const objection = (await heldElsewhere(place, branch)) ?? (await folderInTheWay(place, order, tip));
  if (objection) return objection;
  if (branch !== null && tip !== null && !order.lose && !(await isKeptElsewhere(place, tip, branch)))
    return unmerged(place, branch);
  const commit = tip ?? record?.commit ?? null;
  if (order.dryRun) return { kind: 'removed', commit };
  const trash = record?.trash ?? join(dirname(place.workTree), `.${basename(place.workTree)}-${randomUUID()}`);
  if (record?.commit !== commit) keepRecord(place, { branch, commit, trash });
  const stuck = isLinked(place) ? await removeFolder(place, trash) : null;
  if (stuck) return stuck;
  if (branch !== null && tip !== null) await deleteBranch(place, branch, tip);
  return { kind: 'removed', commit };
}

/** Lines of `git status`, each `XY path`; none where there is no work tree. */
export async function uncommittedIn(workTree: string, except: readonly string[]): Promise<readonly string[]> {
  if (!existsSync(workTree)) return [];
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'];
  const output = (await userGit(workTree).run(args)).toString('utf8');
  const isLeftOut = (path: string): boolean => except.some((one) => path === one || path.startsWith(`${one}/`));
  return output.split('\0').filter((line) => line !== '' && !isLeftOut(line.slice('XY '.length)));
}

function isLinked({ workTree, mainWorkTree }: LandingPlace): boolean {
  return workTree !== mainWorkTree;
}

/** R3. Another work tree has the branch checked out. */
async function heldElsewhere(place: LandingPlace, branch: string | null): Promise<Refused | null> {
  if (branch === null) return null;
  const holders = (await worktreesOf(place)).filter((each) => each.branch === branch);
  const other = holders.find(({ folder }) => !isLinked(place) || folder !== place.workTree);
  if (other === undefined) return null;
  const fix = 'check another branch out there, then run the same command again';
  return refused(`the branch ${branch} is checked out in ${other.folder}`, fix);
}

/** R1. */
async function folderInTheWay(place: LandingPlace, order: RemovalOrder, tip: string | null): Promise<Refused | null> {
  const { workTree } = place;
  if (!isLinked(place) || lstatSync(workTree, { throwIfNoEntry: false }) === undefined) return null;
  if (!existsSync(join(workTree, '.git')))
    return readdirSync(workTree).length === 0
      ? null
      : refused(`${workTree} is no longer a worktree`, shellLine('mv', workTree, `${workTree}-old`));
  if ((await worktreesOf(place)).some(({ folder, isLocked }) => folder === workTree && isLocked))
    return refused(`the worktree ${workTree} is locked`, shellLine('git', 'worktree', 'unlock', workTree));
  if (order.lose) return null;
  const isLost = (line: string): boolean => !line.startsWith('??') || !isInMain(place, line.slice('XY '.length));
  const dirty = (await uncommittedIn(workTree, order.except ?? [])).find(isLost);
  if (dirty !== undefined)
    return refused(
      `${workTree} has changes that are not committed: ${dirty.slice('XY '.length)}`,
      shellLine('git', '-C', workTree, 'status'),
    );
  return (await ignoredInTheWay(place)) ?? otherWork(place, order, tip);
}

const namedMax = 5;

/** R1. */
async function ignoredInTheWay(place: LandingPlace): Promise<Refused | null> {
  const { workTree } = place;
  const files = await onlyIgnored(place);
  if (files.length === 0) return null;
  const more = files.length > namedMax ? ` and ${files.length - namedMax} more` : '';
  const why = `${workTree} has files that git ignores and that are nowhere else: ${files.slice(0, namedMax).join(', ')}${more}`;
  return refused(why, shellLine('git', 'worktree', 'remove', '--force', workTree));
}

/** Installed packages, output of builds and caches. */
const remade =
  /(?:^|\/)(?:node_modules|\.?venv|__pycache__|target|dist|build|out|coverage|\.(?:next|nuxt|turbo|cache|gradle|tox|nyc_output|svelte-kit|(?:pytest|mypy|ruff|parcel)[_-]cache))(?:\/|$)|\.(?:pyc|class|o|tsbuildinfo|log)$|(?:^|\/)\.DS_Store$/;

/** R1. Files and folders that git ignores and that would be lost. */
async function onlyIgnored(place: LandingPlace): Promise<readonly string[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignored=traditional'];
  const lines = (await userGit(place.workTree).run(args)).toString('utf8').split('\0');
  const paths = lines.filter((line) => line.startsWith('!! ')).map((line) => line.slice('!! '.length));
  return paths.filter((path) => !remade.test(path) && !isInMain(place, path.replace(/\/$/, '')));
}

/** Whether the main work tree has the same file, or all files of a folder. */
function isInMain(place: LandingPlace, path: string): boolean {
  const [here, there] = [join(place.workTree, path), join(place.mainWorkTree, path)];
  const found = lstatSync(here, { throwIfNoEntry: false });
  if (found?.isDirectory()) return readdirSync(here).every((name) => isInMain(place, `${path}/${name}`));
  if (!found?.isFile()) return found === undefined;
  return orElse(false, () => lstatSync(there).size === found.size && readRegular(there).equals(readRegular(here)));
}

/** R1. Work in the worktree that is not on the run's branch. */
async function otherWork(place: LandingPlace, { branch }: RemovalOrder, tip: string | null): Promise<Refused | null> {
  const { workTree } = place;
  const here = branchAt(workTree);
  if (here !== null && here !== branch)
    return refused(
      `${workTree} has the branch ${here} checked out${branch === null ? '' : `, not ${branch}`}`,
      shellLine('git', '-C', workTree, 'switch', '--detach'),
    );
  // Submodules have repositories of their own there.
  if (existsSync(join(findRepository(workTree).gitDir, 'modules')))
    return refused(
      `${workTree} has submodules, whose commits would be lost`,
      shellLine('git', '-C', workTree, 'submodule', 'deinit', '--all'),
    );
  const head = await headCommit(workTree);
  if (head === null || head === tip || (await isKeptElsewhere(place, head, branch ?? ''))) return null;
  const why = `${workTree} is at the commit ${head}, which no branch has`;
  return refused(why, shellLine('git', '-C', workTree, 'branch', `${basename(workTree)}-kept`));
}

/** Whether another branch, local or remote, or a tag has the commit. */
async function isKeptElsewhere({ mainWorkTree }: LandingPlace, commit: string, branch: string): Promise<boolean> {
  const args = ['for-each-ref', '--contains', commit, '--format=%(refname)', 'refs/heads', 'refs/remotes', 'refs/tags'];
  const names = (await git(args, { cwd: mainWorkTree })).toString('utf8').split('\n');
  return names.some((name) => name !== '' && name !== `refs/heads/${branch}`);
}

function unmerged({ mainWorkTree }: LandingPlace, branch: string): Refused {
  const why = `the branch ${branch} has commits that are neither merged nor pushed`;
  return refused(why, shellLine('git', '-C', mainWorkTree, 'merge', branch));
}

/** R2. */
async function removeFolder(place: LandingPlace, trash: string): Promise<Refused | null> {
  const { workTree, mainWorkTree: cwd, env } = place;
  leave(workTree, cwd);
  leave(trash, cwd);
  if (existsSync(join(workTree, '.git'))) {
    rmSync(trash, { recursive: true, force: true });
    try {
      renameSync(workTree, trash);
    } catch (error) {
      return refused(
        `${workTree} cannot be removed (${codeOf(error)})`,
        shellLine('git', 'worktree', 'remove', workTree),
      );
    }
  } else orElse(undefined, () => rmdirSync(workTree));
  const isListed = (await worktreesOf(place)).some(({ folder }) => folder === workTree);
  if (isListed) await git(['worktree', 'remove', '--force', workTree], { cwd, env });
  rmSync(trash, { recursive: true, force: true, maxRetries: 3 });
  return null;
}

/** R4. */
function leave(folder: string, to: string): void {
  const here = orElse(null, () => process.cwd());
  const real = orElse(folder, () => realpathSync(folder));
  if (here === null || here === real || here.startsWith(real + sep)) process.chdir(to);
}

/** R3. */
async function deleteBranch({ mainWorkTree: cwd, env }: LandingPlace, branch: string, tip: string): Promise<void> {
  await git(['-c', 'core.fsync=reference', 'update-ref', '-d', `refs/heads/${branch}`, tip], { cwd, env });
  const section = ['config', '--local', '--get-regexp', String.raw`^branch\.`];
  const settings = (await git(section, { cwd, answersWith: 1 })).toString('utf8');
  const isKnown = settings.split('\n').some((line) => line.startsWith(`branch.${branch}.`));
  if (isKnown) await git(['config', '--local', '--remove-section', `branch.${branch}`], { cwd, env });
}

interface ListedWorktree {
  readonly folder: string;
  readonly branch: string | null;
  readonly isLocked: boolean;
}

async function worktreesOf({ mainWorkTree: cwd }: LandingPlace): Promise<readonly ListedWorktree[]> {
  const text = (await git(['worktree', 'list', '--porcelain'], { cwd })).toString('utf8');
  return text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n');
    const valueOf = (key: string): string | null =>
      lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;
    const folder = valueOf('worktree');
    if (folder === null) return [];
    const isLocked = lines.some((line) => line === 'locked' || line.startsWith('locked '));
    return { folder, branch: valueOf('branch')?.replace('refs/heads/', '') ?? null, isLocked };
  });
}

/** R2. */
interface RemovalRecord {
  readonly branch: string | null;
  readonly commit: string | null;
  readonly trash: string;
}

const recordName = 'removal';

function keepRecord({ records }: LandingPlace, { branch, commit, trash }: RemovalRecord): void {
  records.keep(recordName, [branch ?? '', commit ?? '', trash].join('\n'));
}

function readRecord({ records }: LandingPlace, branch: string | null): RemovalRecord | null {
  const [of, commit = '', trash] = (records.read(recordName) ?? '').split('\n');
  return trash === undefined || of !== (branch ?? '') ? null : { branch, commit: commit || null, trash };
}
