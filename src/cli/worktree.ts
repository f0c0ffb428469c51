/** A git worktree for a run that shall not work in the user's own checkout. */

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { git, type Repository } from '../workspace/git.ts';
import { Problem } from './problem.ts';

/** Beside the repository, on a branch of its own, from the current commit. */
export async function makeWorktree({ root }: Repository, name: string): Promise<string> {
  const folder = join(dirname(root), `${basename(root)}-${name}`);
  if (existsSync(folder)) {
    throw new Problem('worktree_exists', `${folder} exists already`, {
      target: folder,
      fix: 'move it away, or plan without --worktree',
    });
  }
  await git(['worktree', 'add', '-b', name.replace('-', '/'), folder], { cwd: root });
  return folder;
}
