/**
 * A branch that gathers the work of several others, checked out in a worktree of its own.
 *
 * A1. Made once and kept: who gathers again goes on with it, and what was committed meanwhile comes in first.
 * A2. A merge that does not fit is taken back as a whole; the branch it came from stays as it is.
 * A3. A merge that was cut off is taken back by the next process. Nothing of anybody else's is: a work tree with changes
 *     is left alone.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository, git, GitFailed, unlessGitFails } from './git.ts';
import { resolveInside } from './safe-paths.ts';
import { branchTip } from './worktree.ts';

export interface Gathering {
  readonly folder: string;
  readonly branch: string;
  /** By which a git that outlives this process is found again. */
  readonly env: Readonly<Record<string, string>>;
  /** The text of a file that was changed on both sides; null where a person has to decide. */
  readonly resolve: (path: string, texts: ConflictTexts) => string | null;
}

export interface ConflictTexts {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** A1. `from` is a work tree of the same repository; why its last commit does not fit in, else null. */
export async function openGathering(from: string, gathering: Gathering): Promise<string | null> {
  const { folder, branch, env } = gathering;
  await git(['worktree', 'prune'], { cwd: from });
  if (!existsSync(folder)) {
    const isKnown = (await branchTip(from, branch)) !== null;
    await git(['worktree', 'add', ...(isKnown ? [folder, branch] : ['-b', branch, folder])], { cwd: from, env });
  }
  await takeBackCutOff(folder);
  const commit = (await git(['rev-parse', 'HEAD'], { cwd: from })).toString('utf8').trim();
  return gather(gathering, commit);
}

/** Whether the branch has all of it, or there is none of it. */
export function isGathered({ folder }: Gathering, ref: string): Promise<boolean> {
  const has = async () => (await git(['rev-list', '--max-count=1', ref, '^HEAD'], { cwd: folder })).length === 0;
  return unlessGitFails(true, has);
}

/** A2. Null when the branch has all of it. */
export async function gather(gathering: Gathering, ref: string): Promise<string | null> {
  const { folder, env } = gathering;
  if ((await git(['status', '--porcelain', '--untracked-files=no'], { cwd: folder })).length > 0)
    return `there are changes in ${folder} that are not committed`;
  const mark = markIn(folder);
  writeFileSync(mark, `${ref}\n`);
  try {
    await git(['merge', '--no-edit', '--quiet', ref], { cwd: folder, env, asUser: true });
    return null;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (await isResolved(gathering)) return null;
    await git(['reset', '--hard', '--quiet'], { cwd: folder });
    return error.message;
  } finally {
    rmSync(mark, { force: true });
  }
}

/** A3. */
async function takeBackCutOff(folder: string): Promise<void> {
  const mark = markIn(folder);
  if (!existsSync(mark)) return;
  rmSync(join(findRepository(folder).gitDir, 'index.lock'), { force: true });
  await git(['reset', '--hard', '--quiet'], { cwd: folder });
  rmSync(mark, { force: true });
}

function markIn(folder: string): string {
  return join(findRepository(folder).gitDir, 'pawl-gathering');
}

/** Commits the merge when every file that was changed on both sides could be joined. */
async function isResolved({ folder, env, resolve }: Gathering): Promise<boolean> {
  const listed = (await git(['ls-files', '--unmerged', '-z'], { cwd: folder })).toString('utf8').split('\0');
  const conflicts = new Map<string, Record<string, string>>();
  for (const entry of listed) {
    const [, blob = '', stage = '', path = ''] = /^\d+ ([0-9a-f]+) ([123])\t(.*)$/s.exec(entry) ?? [];
    if (path !== '') conflicts.set(path, { ...conflicts.get(path), [stage]: blob });
  }
  if (conflicts.size === 0) return false;
  for (const [path, { 1: base, 2: ours, 3: theirs }] of conflicts) {
    if (base === undefined || ours === undefined || theirs === undefined) return false;
    const texts = {
      base: await textOf(folder, base),
      ours: await textOf(folder, ours),
      theirs: await textOf(folder, theirs),
    };
    const joined = resolve(path, texts);
    if (joined === null) return false;
    writeFileSync(resolveInside(folder, path), joined);
  }
  await git(['add', '--', ...conflicts.keys()], { cwd: folder });
  await git(['commit', '--no-edit', '--quiet'], { cwd: folder, env, asUser: true });
  return true;
}

async function textOf(cwd: string, blob: string): Promise<string> {
  return (await git(['cat-file', 'blob', blob], { cwd })).toString('utf8');
}
