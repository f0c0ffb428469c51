/** What ended processes and runs left behind: locks that nobody holds, and worktrees that nobody works in. */

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { git, mainWorkTree } from '../workspace/git.ts';
import { listRuns, type ListedRun } from './catalog.ts';
import type { RunRepository } from './work-order.ts';

export interface Leftover {
  readonly kind: 'lease' | 'worktree';
  readonly message: string;
  readonly fix: string;
}

export async function findLeftovers(repository: RunRepository): Promise<readonly Leftover[]> {
  const runs = (await listRuns(repository)).filter(({ journal }) => journal);
  return [...runs.flatMap(leaseOf), ...(await worktreesOf(repository, runs))];
}

function leaseOf({ run, owner, outcome, finished }: ListedRun): readonly Leftover[] {
  if (owner !== null && owner.host !== hostname()) {
    const message = `process ${owner.pid} on ${owner.host} holds ${run}; it cannot be seen from here; if it is gone, take the run over`;
    return [{ kind: 'lease', message, fix: `pawl resume ${run} --force` }];
  }
  const isCutOff = owner === null && !finished && (outcome === null || outcome === 'interrupted');
  return isCutOff ? [{ kind: 'lease', message: `${run} was interrupted`, fix: `pawl resume ${run}` }] : [];
}

/** Of those that git knows: without a folder, of a run that is over, or made for a run that is not there any more. */
async function worktreesOf(repository: RunRepository, runs: readonly ListedRun[]): Promise<readonly Leftover[]> {
  const main = mainWorkTree(repository);
  const listed = String(await git(['worktree', 'list', '--porcelain'], { cwd: repository.root }));
  const paths = [...listed.matchAll(/^worktree (.+)$/gm)].map(([, path = '']) => path).filter((path) => path !== main);
  const runAt = new Map(runs.map((run) => [resolve(repository.root, run.workspace ?? '.'), run]));
  return paths.flatMap((path): readonly Leftover[] => {
    const run = runAt.get(path);
    if (!existsSync(path)) return [{ kind: 'worktree', message: `${path} is gone`, fix: 'git worktree prune' }];
    const fix = `git worktree remove ${path}`;
    if (run?.finished) return [{ kind: 'worktree', message: `${path} is left of ${run.run}, which is over`, fix }];
    const isOurs = repository.workflows.bundled.some(({ name }) => path.startsWith(`${main}-${name}-`));
    return !run && isOurs ? [{ kind: 'worktree', message: `${path} belongs to no run`, fix }] : [];
  });
}
