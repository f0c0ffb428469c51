/**
 * What agents and checks leave in the git directory.
 *
 * J1. A sandbox keeps it read-only. Without one, the files that steer git (see git-files.ts) are compared around every
 *     dispatch and every check. What runs programs, hides files or says what is checked out is put back byte for byte,
 *     with a patch kept before that; a role's report does not count then.
 * J2. Refs move for other reasons too: a person commits or fetches meanwhile, and a role that writes may commit. They are
 *     told, and not put back; only the branch that Pawl made for the run is, where the role only reads.
 * J3. A git directory that came or went as a whole (of a worktree, of a submodule) is left as it is: that is no trap.
 */

import { join, relative } from 'node:path';
import { DurableFiles } from '../disk/syncing.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import { lastChangedAt } from '../workspace/last-changed.ts';
import { isShared, keepPatch, listed } from './bounds.ts';
import { confinementOf } from './confinement.ts';
import type { Run } from './run.ts';
import { worktreeIn } from './worktree-setup.ts';

/** Undefined where a sandbox makes it needless. */
export async function gitBefore(run: Run, level?: SandboxLevel): Promise<string | undefined> {
  return (level ?? (await confinementOf(run)).level) === 'none' ? run.tree.git?.snapshot() : undefined;
}

export interface GitVisitor {
  readonly name: string;
  readonly writes: boolean;
  /** Where the patch is kept. */
  readonly folder: string;
  /** Later changes are somebody else's. */
  readonly untilMs?: number;
}

/** J1. What was out of bounds, in words; null when there is nothing. */
export async function keepGitWithinBounds(run: Run, before: string | undefined, visitor: GitVisitor) {
  const { git } = run.tree;
  if (before === undefined || !git) return null;
  const after = await git.snapshot();
  if (after === before) return null;
  const { name, folder, untilMs = Number.POSITIVE_INFINITY } = visitor;
  const changes = await run.tree.changed(before, after);
  const isTheCommitsOwn = visitor.writes && (await isDetached(run, before)) && (await isDetached(run, after));
  const isOurs = ({ path }: { path: string }): boolean => lastChangedAt(git.root, path, run.disk) <= untilMs;
  const outside = changes.filter(isTrap(run, changes, visitor)).filter(isOurs);
  const paths = outside.map(({ path }) => path).filter((path) => !(isTheCommitsOwn && path === headOf(run)));
  if (paths.length === 0) {
    await tellMoved(run, { before, after }, visitor);
    return null;
  }
  const shown = listed(paths.map((path) => join(relative(run.workspace, git.root), path)));
  const trees = { treeBefore: before, treeAfter: after };
  const patch = join(run.folder, await keepPatch(run, folder, 'git', trees));
  const copy = `a copy of the change is kept in ${patch}`;
  if (isShared(run)) {
    run.tell('warning', `${shown} changed while the ${name} was working; ${copy}`);
    return `${shown} changed while the ${name} was working`;
  }
  await run.tree.restore(after, before, { paths, inGit: true });
  new DurableFiles(run.disk, git.root).sync(paths);
  await tellMoved(run, { before, after: await git.snapshot() }, visitor);
  run.tell('recovered', `put back what the ${name} may not change: ${shown}; ${copy}`);
  return `the ${name} may not change ${shown}, put back`;
}

function headOf(run: Run): string {
  return `${run.tree.git?.own ?? ''}HEAD`;
}

/** Without a branch at hand, a commit moves HEAD itself. */
async function isDetached(run: Run, tree: string): Promise<boolean> {
  return /^[0-9a-f]+\s*$/.test((await run.tree.read(tree, headOf(run)))?.toString() ?? '');
}

type Change = Readonly<{ path: string; status: string }>;

function isTrap(run: Run, changes: readonly Change[], { writes }: GitVisitor): (change: Change) => boolean {
  const own = run.tree.git?.own ?? '';
  const ownBranch = worktreeIn(run.state.input)?.branch;
  const cameOrWent = changes
    .filter(({ path, status }) => /^(?:modules\/.*\/config|worktrees\/[^/]*\/commondir)$/s.test(path) && status !== 'M')
    .map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1));
  return ({ path }) => {
    if (path === 'packed-refs') return false;
    if (path.startsWith('refs/')) return !writes && path === `refs/heads/${ownBranch}`;
    return !cameOrWent.some((gitDir) => gitDir !== own && path.startsWith(gitDir));
  };
}

/** J2. */
async function tellMoved(run: Run, { before, after }: { before: string; after: string }, visitor: GitVisitor) {
  const { git } = run.tree;
  if (!git || before === after) return;
  const [then, now] = [await git.refs(before), await git.refs(after)];
  const atHand = /^ref: (.+)$/m.exec((await run.tree.read(after, headOf(run)))?.toString() ?? '')?.[1];
  const isExpected = (ref: string): boolean => visitor.writes && ref === atHand;
  const moved = [...new Set([...then.keys(), ...now.keys()])].filter((ref) => then.get(ref) !== now.get(ref));
  const told = moved.filter((ref) => !isExpected(ref)).map((ref) => `${ref} (before: ${then.get(ref) ?? 'none'})`);
  if (told.length > 0) run.tell('warning', `refs changed while the ${visitor.name} was working: ${listed(told)}`);
}
