/**
 * What runs that are over leave behind, and nobody needs any more.
 *
 * G1. Nothing goes with work that is not kept elsewhere: a worktree only as `landing.remove` lets it, a journal only
 *     when the run's worktree is gone, its branch is merged or pushed, and its files in a checkout are committed.
 * G2. Each thing is removed as a whole or not at all, and is examined again right before.
 */

import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { stateOf } from '../engine/transition.ts';
import { gitWork } from '../runtime/git-work.ts';
import type { Host } from '../runtime/host.ts';
import { readRunState, type RunState } from '../runtime/run-state.ts';
import { worktreeIn } from '../runtime/worktree-setup.ts';
import type { RunKey } from '../store/run-store.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { landingAt } from '../workspace/landing.ts';
import { runKeys } from './find.ts';
import { withOpenRun } from './quiet-work.ts';
import { isRefusal, orRefusal } from './refusal.ts';
import { workEnd } from './work-end.ts';
import type { RunRepository } from './work-order.ts';

export interface Garbage {
  readonly kind: 'journal' | 'worktree';
  readonly key: RunKey;
  readonly path: string;
  readonly bytes: number;
}

/** Why something that is old enough stays. */
export interface Kept {
  readonly key: RunKey;
  readonly why: string;
}

export interface Collection {
  readonly garbage: readonly Garbage[];
  readonly kept: readonly Kept[];
}

export interface CollectOptions {
  readonly host: Host;
  /** Runs that ended later stay. */
  readonly before: string;
  readonly remove: boolean;
}

/** Lists it, or removes it and lists what was removed. */
export async function collectGarbage(repository: RunRepository, options: CollectOptions): Promise<Collection> {
  const garbage: Garbage[] = [];
  const kept: Kept[] = [];
  for (const key of runKeys(repository)) {
    const found = await orRefusal(() => examine(repository, key, options));
    if (isRefusal(found)) kept.push({ key, why: found.message });
    else if (typeof found === 'string') kept.push({ key, why: found });
    else garbage.push(...found);
  }
  return { garbage, kept };
}

/** What can go of a run; or why nothing of it can, though it is over. */
async function examine(
  repository: RunRepository,
  key: RunKey,
  options: CollectOptions,
): Promise<readonly Garbage[] | string> {
  const { store, workflows, commonDir } = repository;
  const state = store.has(key) && store.owner(key) === undefined ? readRunState(store, key) : undefined;
  if (!state || state.changedAt >= options.before) return [];
  const workflow = await workflows.read(key.workflow);
  if (stateOf(workflow.machine, state.snapshot.state).kind !== 'final') return [];
  const workspace = resolve(commonDir, state.workspace);
  const isOwn = workspace !== mainWorkTree(repository) && worktreeIn(state.input) !== null;
  const worktree = isOwn && existsSync(workspace) ? await removeWorktree(repository, key, options) : [];
  if (typeof worktree === 'string') return worktree;
  const folder = store.folder(key);
  const records = store.records(key) ?? [];
  // A worktree that is to go has nothing in it that is not kept; work that was to be kept as it is stays.
  const place = { workflow, state: { ...state, landed: null }, workspace, commonDir, folder, records };
  const end = isOwn ? null : await workEnd(place);
  if (end) return `its work is not committed (${end.next})`;
  const lost = isOwn && worktree.length === 0 ? await unmergedBranch(repository, state) : null;
  if (lost !== null) return lost;
  const journal: Garbage = { kind: 'journal', key, path: folder, bytes: bytesIn(folder) };
  if (options.remove) store.remove(key);
  return [...worktree, journal];
}

/** G1. */
async function removeWorktree(
  repository: RunRepository,
  key: RunKey,
  { host, remove }: CollectOptions,
): Promise<readonly Garbage[] | string> {
  const done = await withOpenRun(repository, key, host, async (run) => {
    const path = run.workspace;
    const bytes = bytesIn(path);
    const branch = worktreeIn(run.state.input)?.branch ?? null;
    const { landing } = gitWork(run, () => join(run.folder, 'checks', `${run.held.length}-gc`));
    const removed = await landing.remove({ branch, lose: false, dryRun: !remove });
    return removed.kind === 'refused' ? removed.why : [{ kind: 'worktree', key, path, bytes } as const];
  });
  return isRefusal(done) ? done.message : done;
}

/** G1. The branch of a worktree that somebody removed. */
async function unmergedBranch(repository: RunRepository, { input }: RunState): Promise<string | null> {
  const branch = worktreeIn(input)?.branch ?? null;
  const main = mainWorkTree(repository);
  const { commonDir } = repository;
  const records = { read: () => undefined, keep: () => {} };
  const runHook = () => Promise.resolve({ passed: false, output: '' });
  const place = { workTree: main, mainWorkTree: main, commonDir, folder: commonDir, env: {}, records, runHook };
  const removal = await landingAt(place).remove({ branch, lose: false, dryRun: true });
  return removal.kind === 'refused' ? removal.why : null;
}

function bytesIn(path: string): number {
  const found = orElse(undefined, () => lstatSync(path));
  if (!found?.isDirectory()) return found?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
