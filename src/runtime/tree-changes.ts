/**
 * Files of the workspace that this process itself writes to, because somebody redirected its output there
 * (`pawl … > out.txt`). They grow while an agent works, and no agent did it: they belong to nobody's judgement.
 *
 * O1. They are told by device and inode, never by name alone.
 * O2. Their names are remembered with the run: a later command without the redirection must judge the same tree.
 */

import { fstatSync, readlinkSync, statSync, type BigIntStats } from 'node:fs';
import { join, relative } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import type { JudgedTree } from '../workflows/workflow.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import { lastChangedAt } from '../workspace/last-changed.ts';
import type { Run } from './run.ts';

export async function changedPaths(run: Run, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const changed = withoutOwnOutput(run, await run.tree.changed(from, to)).map(({ path }) => path);
  return changed.filter((path) => !isOtherRuns(run, path));
}

/** Whether it is in the folder of another run, which changed it itself, or is as it was when the dispatch began. */
function isOtherRuns(run: Run, path: string): boolean {
  const { workflow } = run;
  const { controlFolder } = workflow;
  const [other = '', name] = path.startsWith(`${controlFolder}/`)
    ? path.slice(controlFolder.length + 1).split('/')
    : [];
  if (!workflow.watchedFolder || name === undefined) return false;
  if (workflow.watchedFolder(run.id) === `${controlFolder}/${other}`) return false;
  const since = run.state.open?.started.at;
  if (since === undefined) return true;
  return lastChangedAt(run.workspace, path, run.disk) < Date.parse(since) || run.otherWorkedSince(other, since);
}

/** For a dispatch in which somebody judges, the tree as it is. */
export async function judgedBy(run: Run, roles: readonly string[]): Promise<{ readonly judged?: JudgedTree }> {
  return roles.some((role) => run.workflow.roles[role]?.judges) ? { judged: await judgedTree(run) } : {};
}

/** What there is to judge: the tree as it is, and how it differs from the one the run began with. */
async function judgedTree(run: Run): Promise<JudgedTree> {
  const now = await run.tree.snapshot();
  const all = withoutOwnOutput(run, await run.tree.fileChanges(run.state.firstTree ?? now, now));
  const isOwn = await ownFiles(run);
  const files = all.filter(({ path }) => isOwn(path));
  const control = `${run.workflow.controlFolder}/`;
  return { digest: await run.digestOf(now), files: files.filter(({ path }) => !path.startsWith(control)) };
}

/** Left in the folder of a run when another begins to work in its tree. */
export const sharedTreeFile = 'shares-tree';

/** In a tree that runs share, only what its own dispatches wrote is a run's doing. */
export async function ownFiles(run: Run): Promise<(path: string) => boolean> {
  if (!run.state.choice.shareTree && !run.disk.exists(join(run.folder, sharedTreeFile))) return () => true;
  const { attribution } = await import('./undo.ts');
  const { own } = await attribution(run.tree, run.records);
  return (path) => own.has(path);
}

interface OutputOf {
  readonly workspace: string;
  readonly folder: string;
  readonly disk?: Disk;
}

export function withoutOwnOutput<T extends { readonly path: string }>(
  run: OutputOf,
  changes: readonly T[],
): readonly T[] {
  const paths = changes.map(({ path }) => path);
  const own = new Set(ownAmong(run, paths));
  remember(run, own);
  return changes.filter(({ path }) => !own.has(path));
}

/** Every path that ever was the output of a process at work on the run, this one included. */
export function rememberedOutput(run: OutputOf): readonly string[] {
  return remember(run, ownAmong(run, redirected(run)));
}

/** The same for a process that only looks: nothing is remembered. */
export function seenOutput(run: OutputOf): readonly string[] {
  return [...new Set([...namesIn(run), ...ownAmong(run, redirected(run))])];
}

const outputs = [1, 2];

/** O1. Only regular files: a terminal or a pipe is not in the workspace. */
function ownAmong(run: OutputOf, paths: readonly string[]): readonly string[] {
  const idOf = (look: () => BigIntStats): string | null => {
    const found = orElse(null, look);
    return found?.isFile() ? `${found.dev}:${found.ino}` : null;
  };
  const ids = new Set(outputs.map((descriptor) => idOf(() => fstatSync(descriptor, { bigint: true }))));
  ids.delete(null);
  if (ids.size === 0) return [];
  return paths.filter((path) => ids.has(idOf(() => statSync(join(run.workspace, path), { bigint: true }))));
}

/** Where the system tells the name of an open file: one that has not grown yet is found too. */
function redirected(run: OutputOf): readonly string[] {
  return outputs.flatMap((descriptor) => {
    const file = orElse(null, () => readlinkSync(`/proc/self/fd/${descriptor}`));
    const path = file === null ? '' : relative(run.workspace, file);
    return path === '' || path.startsWith('..') ? [] : path;
  });
}

/** O2. All that are remembered then. */
function remember(run: OutputOf, paths: Iterable<string>): readonly string[] {
  const before = namesIn(run);
  const all = [...new Set([...before, ...paths])];
  if (all.length > before.length) writeAtomically(fileOf(run), `${all.join('\n')}\n`, {}, run.disk);
  return all;
}

function namesIn(run: OutputOf): readonly string[] {
  return (readText(fileOf(run), run.disk) ?? '').split('\n').filter((name) => name !== '');
}

function fileOf(run: OutputOf): string {
  return join(run.folder, 'own-output');
}
