/**
 * What a role may write. The rest is put back.
 *
 * B1. A role that only reads changes nothing; one that writes may change what its globs name.
 * B2. What a dispatch wrote out of bounds, however it ended, is put back byte for byte before anything else happens, so
 *     no later attempt and no `retry` makes it count. The whole attempt is kept as a patch, durable before that (X4).
 *     A role that only reads and works in a sandbox cannot write, nor can any role in a sandbox write the control folder
 *     (F5): what changed there meanwhile is somebody else's and stays. It also stays where other runs are at work.
 * B3. The configuration, and the files it adds to prompts, say who judges, how, and what may be spent: no role may write
 *     them, whatever its globs say.
 * B4. Globs that a workflow decides for each dispatch are on record before it begins: no agent widens its own bounds.
 * B5. What a role objects to within its globs is out of bounds like what is beside them.
 */

import { join, relative } from 'node:path';
import { pathMatcher } from '../workspace/globs.ts';
import type { DispatchContext } from '../workflows/workflow.ts';
import { ownPlaces } from './confinement.ts';
import { restsOn } from './house-rules.ts';
import { objectionsTo } from './objections.ts';
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
export async function keepWithinBounds(run: Run, started: OpenDispatch['started'], trees: Trees): Promise<Bounded> {
  const { id: dispatch, role: name } = started;
  const { treeBefore, treeAfter } = trees;
  const changed = await changedPaths(run, treeBefore, treeAfter);
  const reasons = await beyondBounds(run, started, { changed, treeAfter });
  const outside = [...reasons.keys()];
  if (outside.length === 0) return { treeAfter, changed, problem: null };
  // Whose it is cannot be told: nothing of it counts, and nobody's work is taken away.
  if (isConfinedReader(run, started) || isShared(run))
    return { ...trees, changed, problem: inWords(run, name, reasons, '') };
  const patch = await keepPatch(run, run.dispatchFolder(dispatch), 'out-of-bounds', trees);
  await run.tree.restore(treeAfter, treeBefore, { paths: outside });
  run.sync(outside);
  const bounded = await run.tree.snapshot();
  const left = await changedPaths(run, treeBefore, bounded);
  const copy = `a copy of the attempt is kept in ${join(run.folder, patch)}`;
  const fate = fateOf(outside, left);
  run.tell('recovered', `the ${name} may not change ${listed(outside)}: ${fate}; ${copy}`);
  return { treeAfter: bounded, changed: left, problem: inWords(run, name, reasons, `, ${fate}`) };
}

/** Somebody else may write the same files at the same time. */
function fateOf(outside: readonly string[], left: readonly string[]): string {
  const again = outside.filter((path) => left.includes(path));
  if (again.length === 0) return 'put back';
  return again.length === outside.length ? 'not put back: changed again' : `put back except ${listed(again)}`;
}

/** Of what changed during a dispatch, what its role may not change, as far as it could; with the objections (B5). */
export async function beyondBounds(
  run: Run,
  started: OpenDispatch['started'],
  { changed, treeAfter }: { readonly changed: readonly string[]; readonly treeAfter: string },
): Promise<ReadonlyMap<string, string>> {
  const possible = await withoutProtected(run, started, changed);
  const isOutside = outsideOf(run, started);
  const paths = possible.filter((path) => !isOutside(path));
  const objections = await objectionsTo(run, started, { changed, paths, treeAfter });
  const outside = possible.filter((path) => isOutside(path) || objections.has(path));
  // With everything that is in the way of putting it back: a folder that became a link or a file.
  const isInTheWay = (path: string): boolean => outside.some((other) => other.startsWith(`${path}/`));
  const all = possible.filter((path) => outside.includes(path) || isInTheWay(path));
  return new Map(all.map((path) => [path, objections.get(path) ?? '']));
}

/** B4. */
export function boundsOnRecord(run: Run, context: DispatchContext): { readonly mayWrite?: readonly string[] } {
  const { mayWrite } = run.workflow.roles[context.role] ?? {};
  return typeof mayWrite === 'function' ? { mayWrite: mayWrite(context) } : {};
}

function globsOf(run: Run, { role, mayWrite: onRecord = [] }: OpenDispatch['started']): readonly string[] {
  const { mayWrite = [] } = run.workflow.roles[role] ?? {};
  return typeof mayWrite === 'function' ? onRecord : mayWrite;
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
export function isShared(run: Run): boolean {
  return run.state.choice.shareTree || run.disk.exists(join(run.folder, sharedTreeFile)) || run.hasCompany();
}

function outsideOf(run: Run, started: OpenDispatch['started']): (path: string) => boolean {
  const named = pathMatcher(globsOf(run, started));
  const kept = restsOn(run);
  const isConfig = (path: string): boolean => kept.some((config) => path === config || config.startsWith(`${path}/`));
  return (path) => !named(path) || isConfig(path);
}

/** Whether the dispatch could not have changed a file of the workspace. */
export function isConfinedReader(
  run: Run,
  { role, sandbox = 'none' }: Pick<OpenDispatch['started'], 'role' | 'sandbox'>,
): boolean {
  return sandbox !== 'none' && !run.workflow.writers.includes(role);
}

function inWords(run: Run, name: string, reasons: ReadonlyMap<string, string>, fate: string): string {
  const paths = [...reasons].map(([path, why]) => (why === '' ? path : `${path} (${why})`));
  return run.workflow.writers.includes(name)
    ? `the ${name} may not write ${listed(paths)}${fate}; its report does not count`
    : `files changed while the ${name}, which may change none, was judging them (${listed(paths)}${fate}); its report does not count`;
}

/** X4: an earlier one is of a recovery that was itself cut off, and holds what that one took back. */
export async function keepPatch(run: Run, folder: string, name: string, { treeBefore, treeAfter }: Trees) {
  const patch = await run.tree.patch(treeBefore, treeAfter);
  let file = join(folder, `${name}.patch`);
  for (let number = 2; run.disk.exists(file); number += 1) file = join(folder, `${name}-${number}.patch`);
  run.keepFile(file, patch);
  return relative(run.folder, file);
}

const listedMax = 5;

export function listed(paths: readonly string[]): string {
  const more = paths.length > listedMax ? `, and ${paths.length - listedMax} more` : '';
  return `${paths.slice(0, listedMax).join(', ')}${more}`;
}
