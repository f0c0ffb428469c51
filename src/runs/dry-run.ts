/**
 * What a command would do, found out by letting it run on a disk that forgets.
 *
 * Y1. Nothing is written: the disk is an overlay, the work tree's snapshots go into a shadow that is removed, no file of
 *     the work tree is restored, no program is started or ended.
 * Y2. What stops the real command stops this one with the same words: it is the same code.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { overlay } from '../disk/memory-disk.ts';
import type { Host } from '../runtime/host.ts';
import { viewOf } from '../runtime/run-state.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import type { RunKey } from '../store/run-store.ts';
import type { CommandIntent, Preview } from '../workflows/surface.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { Caller } from './caller.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { OverRun, WorkResult } from './run-command.ts';
import type { WorkOrder } from './work-order.ts';

export interface PreviewedRun extends RunKey {
  readonly preview: Preview;
}

/** A preview, or the reason why the command stops before it changes anything. */
export async function dryRun(
  order: WorkOrder<CommandIntent>,
  runCommand: (order: WorkOrder) => Promise<WorkResult | OverRun | Refusal>,
): Promise<PreviewedRun | WorkResult | OverRun | Refusal> {
  const { repository, intent, caller } = order;
  const folder = mkdtempSync(join(tmpdir(), 'pawl-dry-'));
  const stop = new AbortController();
  const host = lookingOnly(caller.host, { shadowDir: folder, interrupted: stop.signal });
  // Where an agent would be started the run has begun to change something.
  const watcher: Caller = {
    host,
    interrupt: (reason) => stop.abort(reason),
    untrusted: () => Promise.resolve(null),
    notify: ({ kind }) => (kind === 'opening' ? stop.abort('dry run') : undefined),
  };
  try {
    const looked = { ...repository, store: repository.storeOn(host.disk) };
    const result = await runCommand({ ...order, repository: looked, caller: watcher });
    if (isRefusal(result) || 'over' in result || !intent.preview) return result;
    const { workflow, rest, run, workspace, state } = result;
    const rootOf = rootsOf(await repository.workflows.load(workflow), workspace, repository.commonDir);
    const changes = stop.signal.aborted || (rest.outcome === 'done' && rest.refusal === null);
    if (!changes) return result;
    const view = { ...viewOf(state, workspaceFiles(rootOf, caller.host.disk)), run };
    return { workflow, run, preview: await intent.preview(view) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Y1. */
function lookingOnly(
  host: Host,
  { shadowDir, interrupted }: { readonly shadowDir: string; readonly interrupted: AbortSignal },
): Host {
  return {
    ...host,
    disk: overlay(host.disk),
    launch: startsNothing,
    toolServer: startsNothing,
    endMarked: () => Promise.resolve(),
    workTree: (place) => {
      // The trees that the run remembers are in its own shadow.
      mkdirSync(join(shadowDir, 'objects', 'info'), { recursive: true });
      writeFileSync(join(shadowDir, 'objects', 'info', 'alternates'), `${join(place.shadowDir, 'objects')}\n`);
      return new UntouchedTree({ ...place, shadowDir });
    },
    ...(host.history && { history: readOnly(host.history) }),
    person: null,
    observe: () => {},
    interrupted,
  };
}

function startsNothing(): Promise<never> {
  return Promise.reject(new Error('a dry run starts no program'));
}

function readOnly(history: NonNullable<Host['history']>): NonNullable<Host['history']> {
  const commit = () => Promise.reject(new Error('a dry run commits nothing'));
  return (root) => ({ ...history(root), commit });
}

class UntouchedTree extends WorkTree {
  override restore(): Promise<void> {
    return Promise.resolve();
  }
}
