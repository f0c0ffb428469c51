/**
 * What a role may write. The rest is put back.
 *
 * B1. A role that only reads changes nothing; one that writes may change what its globs name.
 * B2. What a dispatch wrote out of bounds, however it ended, is put back byte for byte before anything else happens, so
 *     no later attempt and no `retry` makes it count. The whole attempt is kept as a patch, durable before that (X4).
 *     A role that only reads and works in a sandbox cannot write, nor can any role in a sandbox write the control folder
 *     (F5): what changed there meanwhile is somebody else's and stays. It also stays where other runs are at work.
 * B3. The configuration says who judges and what may be spent: no role may write it, whatever its globs say.
 */

import { join, relative } from 'node:path';
import { pathMatcher } from '../workspace/globs.ts';
import { ownPlaces } from './confinement.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';
import { changedPaths, sharedTreeFile } from './tree-changes.ts';

export interface Trees {
  readonly treeBefore: string;
  readonly treeAfter: string;
}

export interface Bounded {
  /** After what was out of bounds is put back. */
  readonly treeAfter: string;
  /** Within bounds. */
  readonly changed: readonly string[];
  /** What was out of bounds, in words; null when there is nothing. */
  readonly problem: string | null;
}

/** B2. */
export async function keepWithinBounds(run: Run, dispatch: string, name: string, trees: Trees): Promise<Bounded> {
  const { treeBefore, treeAfter } = trees;
  const changed = await changedPaths(run, treeBefore, treeAfter);
  const started = run.state.open?.started;
  const outside = started ? await beyondBounds(run, started, changed) : outOfBounds(run, name, changed);
  if (outside.length === 0) return { treeAfter, changed, problem: null };
  // Whose it is cannot be told: nothing of it counts, and nobody's work is taken away.
  if ((started && isConfinedReader(run, started)) || isShared(run))
    return { ...trees, changed, problem: inWords(run, name, outside, '') };
  const patch = await keepPatch(run, dispatch, 'out-of-bounds', trees);
  await run.tree.restore(treeAfter, treeBefore, { paths: outside });
  run.sync(outside);
  const bounded = await run.tree.snapshot();
  const left = await changedPaths(run, treeBefore, bounded);
  const copy = `a copy of the attempt is kept in ${join(run.folder, patch)}`;
  run.tell('recovered', `put back what the ${name} may not change: ${listed(outside)}; ${copy}`);
  return { treeAfter: bounded, changed: left, problem: inWords(run, name, outside, ', which was put back') };
}

/** Of what changed during a dispatch, what its role may not change, as far as it could. */
export async function beyondBounds(run: Run, started: OpenDispatch['started'], changed: readonly string[]) {
  return outOfBounds(run, started.role, await withoutProtected(run, started, changed));
}

/** F5. */
async function withoutProtected(run: Run, started: OpenDispatch['started'], changed: readonly string[]) {
  const { role, sandbox = 'none', tree: treeBefore } = started;
  if (sandbox === 'none' || !run.workflow.writers.includes(role)) return changed;
  const places = ownPlaces(run);
  const isOwn = (path: string): boolean => places.some((place) => path === place || path.startsWith(`${place}/`));
  const theirs = await Promise.all(
    changed.filter(isOwn).map(async (path) => {
      // A file that was not there when the box was made could be created from inside of it.
      const isCovered = path.startsWith(`${run.workflow.controlFolder}/`);
      return isCovered || (await run.tree.read(treeBefore, path)) !== undefined ? [path] : [];
    }),
  );
  return changed.filter((path) => !theirs.flat().includes(path));
}

/** Whether another run works, or may work, in the same tree. */
function isShared(run: Run): boolean {
  return run.state.choice.shareTree || run.disk.exists(join(run.folder, sharedTreeFile)) || run.hasCompany();
}

/** With everything that is in the way of putting it back: a folder that became a link or a file. */
function outOfBounds(run: Run, name: string, changed: readonly string[]): readonly string[] {
  const named = pathMatcher(run.workflow.roles[name]?.mayWrite ?? []);
  const { configPaths } = run.workflow;
  const isConfig = (path: string): boolean =>
    configPaths.some((config) => path === config || config.startsWith(`${path}/`));
  const isOutside = (path: string): boolean => !named(path) || isConfig(path);
  const outside = changed.filter(isOutside);
  return changed.filter((path) => outside.includes(path) || outside.some((other) => other.startsWith(`${path}/`)));
}

/** Whether the dispatch could not have changed a file of the workspace. */
export function isConfinedReader(run: Run, { role, sandbox = 'none' }: OpenDispatch['started']): boolean {
  return sandbox !== 'none' && !run.workflow.writers.includes(role);
}

function inWords(run: Run, name: string, paths: readonly string[], fate: string): string {
  return run.workflow.writers.includes(name)
    ? `the ${name} may not write ${listed(paths)}${fate}; its report does not count`
    : `files changed while the ${name}, which may change none, was judging them (${listed(paths)}${fate}); its report does not count`;
}

/** X4: an earlier one is of a recovery that was itself cut off, and holds what that one took back. */
export async function keepPatch(run: Run, dispatch: string, name: string, { treeBefore, treeAfter }: Trees) {
  const folder = run.dispatchFolder(dispatch);
  const patch = await run.tree.patch(treeBefore, treeAfter);
  let file = join(folder, `${name}.patch`);
  for (let number = 2; run.disk.exists(file); number += 1) file = join(folder, `${name}-${number}.patch`);
  run.keepFile(file, patch);
  return relative(run.folder, file);
}

const listedMax = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length > listedMax ? `, and ${paths.length - listedMax} more` : '';
  return `${paths.slice(0, listedMax).join(', ')}${more}`;
}
