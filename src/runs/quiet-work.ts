/** Short, quiet work on a run: nobody is asked, no agent starts. Undoes and shows its changes to the work tree. */

import { join, resolve } from 'node:path';
import { stateOf, transition } from '../engine/transition.ts';
import { isUnderWay } from '../runtime/drive.ts';
import type { Host } from '../runtime/host.ts';
import { seenOutput } from '../runtime/tree-changes.ts';
import { recover } from '../runtime/recover.ts';
import { restoreDocuments, type RestoredDocuments } from '../runtime/restore-documents.ts';
import { readRunState } from '../runtime/run-state.ts';
import { Run } from '../runtime/run.ts';
import { attribution, undoRun as undo, type UndoResult } from '../runtime/undo.ts';
import type { RunKey } from '../store/run-store.ts';
import { WorkTree } from '../workspace/tree.ts';
import { missingFor, refusedAsAbandoned, worktreeAnew } from './missing-place.ts';
import { isRefusal, notReady, orRefusal, refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

type Work<T> = (run: Run) => Promise<T | Refusal> | T | Refusal;

/** `work` gets the run after recovery from a crash. Refused where the run's files are not there. */
export function withRunInPlace<T>(
  repository: RunRepository,
  key: RunKey,
  host: Host,
  work: Work<T>,
): Promise<T | Refusal> {
  return withOpenRun(
    repository,
    key,
    host,
    async (run) => refusedAsAbandoned(run) ?? (await missingFor(run)) ?? afterRecovery(run, work),
  );
}

export function withOpenRun<T>(
  { store, workflows, root, commonDir }: RunRepository,
  key: RunKey,
  host: Host,
  work: Work<T>,
): Promise<T | Refusal> {
  return orRefusal(async () => {
    const workflow = await workflows.load(key.workflow);
    const options = { workflow, run: key.run, store, workspace: root, commonDir };
    const run = Run.open(options, host, { input: {}, limits: {} });
    try {
      return await work(run);
    } finally {
      run.close();
    }
  });
}

async function afterRecovery<T>(run: Run, work: Work<T>): Promise<T | Refusal> {
  const recovery = await recover(run, undefined);
  if (recovery.kind === 'ready') return work(run);
  const message = `${recovery.message}; keep the edits, or discard them with --edits discard (a copy is kept)`;
  const fix = `pawl resume ${run.id} --edits keep`;
  return refusal('PersonNeeded', message, { fix, outcome: 'needs_person' });
}

export interface UndoneRun extends UndoResult {
  readonly run: string;
  readonly kept: readonly string[];
  readonly phase: string | null;
  readonly next: string | null;
}

export function undoRun(repository: RunRepository, key: RunKey, host: Host): Promise<UndoneRun | Refusal> {
  return withRunInPlace(repository, key, host, async (run): Promise<UndoneRun | Refusal> => {
    const refused = notNow(run);
    if (refused) return refused;
    const { restored, left } = await undo(run);
    const { phase, next } = run.workflow.summarize(run.view(), { outcome: 'done', refusal: null });
    const { undoKeeps = [] } = run.workflow;
    const kept = [...undoKeeps, 'the journal', 'spent budgets', 'commits, if there are any'];
    return { run: run.id, restored, left, kept, phase, next };
  });
}

function notNow(run: Run): Refusal | null {
  if (run.root !== run.workspace) {
    const message = `${run.id} has removed its worktree ${run.workspace}; its journal is kept`;
    return notReady('WorktreeMissing', message, `pawl log ${run.id}`);
  }
  if (isUnderWay(run)) {
    const message = `"${run.state.lastCommand}" of ${run.id} was interrupted; abandon its step first`;
    return notReady('CommandUnfinished', message, `pawl cancel ${run.id}`);
  }
  const possible = transition(run.workflow.machine, run.state.snapshot, { name: 'undo' });
  if (possible.kind !== 'refusal') return null;
  const { state } = run.state.snapshot;
  if (stateOf(run.workflow.machine, state).kind === 'final') {
    const message = `${run.id} is over (${state}), so it cannot be undone; take its commits back with git revert`;
    return notReady('RunOver', message, `pawl diff ${run.id}`);
  }
  const { outcome, reason } = possible;
  const { message, next } = run.workflow.summarize(run.view(), { outcome, refusal: reason });
  return refusal(reason, message, { outcome, fix: next ?? `pawl log ${run.id}` });
}

export interface RestoredRun extends Omit<RestoredDocuments, 'isKnown'> {
  readonly run: string;
  /** The worktree that was missing and is made anew. */
  readonly worktree: string | null;
  readonly next: string | null;
}

/** Brings documents back from the journal. Nothing is recovered first: what is missing may be what recovery needs. */
export function restoreRun(
  { store, workflows, root, commonDir }: RunRepository,
  key: RunKey,
  host: Host,
  { path, dryRun }: { readonly path: string | null; readonly dryRun: boolean },
): Promise<RestoredRun | Refusal> {
  return orRefusal(async () => {
    const workflow = await workflows.load(key.workflow);
    const run = Run.open({ workflow, run: key.run, store, workspace: root, commonDir }, host, {
      input: {},
      limits: {},
    });
    try {
      const worktree = refusedAsAbandoned(run) ?? (await worktreeAnew(run, { dryRun }));
      if (isRefusal(worktree)) return worktree;
      const since = await commitBefore(run, worktree !== null);
      const { isKnown, ...found } = await restoreDocuments(run, path, { dryRun, since });
      const fix = `pawl restore ${key.run} --dry-run`;
      if (!isKnown) return refusal('NotOnRecord', `the journal of ${key.run} has no document "${path}"`, { fix });
      return { run: key.run, worktree, ...found, next: workflow.nextIn(key.run, run.phase) };
    } finally {
      run.close();
    }
  });
}

/** The commit that a worktree was made of. */
async function commitBefore(run: Run, isAnew: boolean): Promise<string | null> {
  const { branchOf } = await import('../runtime/lost-worktree.ts');
  return branchOf(run.state).commit ?? (isAnew ? 'HEAD' : null);
}

/**
 * What its dispatches did, untracked files included; the trees are null for a run that dispatched nothing. The control
 * folder and what others changed are left out; `shared` are files that both changed.
 */
export function diffRun({ store, workflows, commonDir }: RunRepository, key: RunKey) {
  return orRefusal(async () => {
    const state = readRunState(store, key);
    const { controlFolder } = await workflows.load(key.workflow);
    const workspace = resolve(commonDir, state?.workspace ?? '..');
    const folder = store.folder(key);
    const tree = new WorkTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
    const { own, others, from, last: to } = await attribution(tree, store.records(key) ?? []);
    const foreign = [...others].filter((path) => !own.has(path));
    const exceptFolders = [controlFolder, ...seenOutput({ workspace, folder }), ...foreign];
    const diff = from === null || to === null ? '' : await tree.diff(from, to, { exceptFolders });
    const shared = [...own].filter((path) => others.has(path) && !path.startsWith(`${controlFolder}/`));
    return { ...key, from, to, diff, shared, controlFolder };
  });
}
