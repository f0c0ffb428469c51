/**
 * The branches and commits of the user's repository, as their own git shows them.
 *
 * H1. Reading writes nothing, and no hook or monitor of the repository runs. For commits see committing.ts.
 */

import { readdirSync } from 'node:fs';
import { orElse } from '../disk/disk-error.ts';
import { commitName } from './commits.ts';
import { commitFiles, type CommitRequest, type CommitResult } from './committing.ts';
import { resolveInside } from './safe-paths.ts';
import { findRepository, git, unlessGitFails } from './git.ts';
import { branchAt, headCommit } from './worktree.ts';

export interface CommitHistory {
  branch(): string | null;
  head(): Promise<string | null>;
  mergeBase(ref: string): Promise<string | null>;
  namesElsewhere(folder: string): Promise<readonly string[]>;
  commit(request: CommitRequest): Promise<CommitResult>;
}

export function historyAt(root: string): CommitHistory {
  return {
    branch: () => branchAt(root),
    head: () => headCommit(root),
    mergeBase: (ref) => mergeBase(root, ref),
    namesElsewhere: (folder) => namesElsewhere(root, folder),
    commit: (request) => commitFiles(findRepository(root), request),
  };
}

async function mergeBase(root: string, ref: string): Promise<string | null> {
  if (!commitName.test(ref)) return null;
  const args = ['merge-base', 'HEAD', ref];
  return unlessGitFails(null, async () => (await git(args, { cwd: root })).toString('utf8').trim());
}

export async function gitState(root: string) {
  const [head, status, refs] = await Promise.all([
    headCommit(root),
    git(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal'], { cwd: root, asUser: true }),
    git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'], { cwd: root }),
  ]);
  return { branch: branchAt(root), head, dirty: partsOf(status, '\0'), branches: partsOf(refs, '\n') };
}

const branchesMax = 2_000;

/** Names of the files and folders in a folder, in the last commits of all branches, local and remote, and in all worktrees. */
export async function namesElsewhere(root: string, folder: string): Promise<readonly string[]> {
  const [committed, worktrees] = await Promise.all([namesInBranches(root, folder), worktreesOf(root)]);
  const present = worktrees.flatMap((each) => orElse([], () => readdirSync(resolveInside(each, folder))));
  return [...new Set([...committed, ...present])].toSorted();
}

async function worktreesOf(root: string): Promise<readonly string[]> {
  const lines = partsOf(await git(['worktree', 'list', '--porcelain'], { cwd: root }), '\n');
  return lines.flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []));
}

/** Two processes, however many branches there are: each folder is read once as git stores it. */
async function namesInBranches(root: string, folder: string): Promise<readonly string[]> {
  const list = ['for-each-ref', '--format=%(objectname)', '--sort=-committerdate', `--count=${branchesMax}`];
  const commits = partsOf(await git([...list, 'refs/heads', 'refs/remotes'], { cwd: root }), '\n');
  const specs = [...new Set(commits)].map((commit) => `${commit}:${folder}\n`).join('');
  // A partial clone is not completed: that would start a transport.
  const env = { GIT_ALLOW_PROTOCOL: 'none' };
  const objects = await git(['cat-file', '--batch'], { cwd: root, env, input: specs });
  const names: string[] = [];
  for (let at = 0; at < objects.length;) {
    const end = objects.indexOf('\n', at);
    const [, id = '', type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(objects.toString('utf8', at, end)) ?? [];
    at = end + 1;
    // A commit without such a folder.
    if (size === undefined) continue;
    const content = objects.subarray(at, at + Number(size));
    if (type === 'tree') names.push(...namesInTree(content, id.length / 2));
    at += content.length + 1;
  }
  return names;
}

/** Of the entries `<mode> <name>\0<id>` of a tree. */
function namesInTree(tree: Buffer, idBytes: number): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at);
    names.push(tree.toString('utf8', at, end).replace(/^\d+ /, ''));
    at = end + 1 + idBytes;
  }
  return names;
}

function partsOf(output: Buffer, separator: string): readonly string[] {
  return output.toString('utf8').split(separator).filter(Boolean);
}
