/**
 * Files that git ignores, compared around a dispatch. They are in no diff and nobody judges them, but checks execute
 * them: an installed test runner, a build, a configuration file. Agents change them for good reasons too, so that nothing
 * is put back.
 *
 * L1. What changed is told when the dispatch ends, is part of its record, and is said again with every check that runs
 *     programs: no verdict rests on it silently.
 * L2. Files that are ignored by themselves come first, then those that can be executed; most of the rest is caches.
 */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { DispatchEnd } from '../store/record.ts';
import type { IgnoredFiles } from '../workspace/ignored-files.ts';
import { isConfinedReader, listed } from './bounds.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';
import { withoutOwnOutput } from './tree-changes.ts';

type Who = Pick<OpenDispatch['started'], 'role' | 'sandbox'>;

/** A snapshot of the tree, and what git ignores in it where the role could change that. */
export async function snapshotAround(run: Run, who: Who) {
  if (isConfinedReader(run, who) || !run.tree.snapshotWithIgnored)
    return { tree: await run.tree.snapshot(), ignored: null };
  return run.tree.snapshotWithIgnored();
}

const recordedMax = 20;

/** L1. */
export function ignoredChanges(
  run: Run,
  role: string,
  before: IgnoredFiles | null,
  after: IgnoredFiles | null,
): DispatchEnd['ignored'] {
  if (!before || !after) return undefined;
  if (after.tooMany) run.tell('warning', 'git ignores so many files that not all of them are compared');
  const all = [...new Set([...before.times.keys(), ...after.times.keys()])];
  const changed = all.filter((path) => before.times.get(path) !== after.times.get(path)).map((path) => ({ path }));
  // What is watched is recorded with every snapshot.
  const watched = run.workflow.watchedFolder && `${run.workflow.controlFolder}/`;
  const isWatched = (path: string): boolean => watched !== undefined && path.startsWith(watched);
  const paths = withoutOwnOutput(run, changed).flatMap(({ path }) => (isWatched(path) ? [] : [path]));
  if (paths.length === 0) return undefined;
  const ranked = byWeight(run, paths, new Set(after.alone));
  run.tell('warning', `git-ignored files changed while the ${role} was working: ${listed(ranked)}`);
  return { count: paths.length, paths: ranked.slice(0, recordedMax) };
}

/** L2. */
function byWeight(run: Run, paths: readonly string[], alone: ReadonlySet<string>): readonly string[] {
  const isExecutable = (path: string): boolean =>
    ((orElse(undefined, () => lstatSync(join(run.workspace, path)))?.mode ?? 0) & 0o111) !== 0;
  const weighed = paths.map((path) => {
    const executable = isExecutable(path);
    return { shown: executable ? `${path} (executable)` : path, weight: alone.has(path) ? 2 : executable ? 1 : 0 };
  });
  return weighed.toSorted((left, right) => right.weight - left.weight).map(({ shown }) => shown);
}

/** What the verdict of a check may rest on. */
export function ignoredNotes(run: Run): readonly string[] {
  const ignored = run.records.flatMap((record) => (record.type === 'moved' ? (record.dispatch?.ignored ?? []) : []));
  const paths = [...new Set(ignored.flatMap((each) => each.paths))];
  return paths.length === 0 ? [] : [`warning: it may rest on git-ignored files that agents changed: ${listed(paths)}`];
}
