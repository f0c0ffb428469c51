/**
 * Ends a run for good, wherever it is: its journal says why, its files are moved out of the way of the next of its name.
 *
 * A1. Only its own folder is moved. What it did to the work tree stays; `pawl undo` takes that back before.
 * A2. It needs neither the files nor the branch nor the worktree of the run.
 */

import { basename, dirname } from 'node:path';
import { abandoned, stateOf } from '../engine/transition.ts';
import { recover } from '../runtime/recover.ts';
import type { Run } from '../runtime/run.ts';
import type { Host } from '../runtime/host.ts';
import type { RunKey } from '../store/run-store.ts';
import type { Write } from '../workflows/workflow.ts';
import { missingFor } from './missing-place.ts';
import { withOpenRun } from './quiet-work.ts';
import { notReady, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

export interface AbandonedRun extends RunKey {
  readonly reason: string;
  /** Where its files are now; null where there were none. */
  readonly movedTo: string | null;
  /** The command for its worktree, where it has one. */
  readonly next: string | null;
}

export function abandonRun(
  repository: RunRepository,
  key: RunKey,
  host: Host,
  reason: string,
): Promise<AbandonedRun | Refusal> {
  return withOpenRun(repository, key, host, async (run) => {
    const { machine } = run.workflow;
    if (stateOf(machine, run.state.snapshot.state).kind === 'final') {
      const message = `${run.id} is over already: ${run.phase ?? ''}`;
      return notReady('RunOver', message, `pawl log ${run.id}`);
    }
    const isThere = run.root === run.workspace && (await missingFor(run)) === null;
    // What people changed stays as it is, so there is nothing to ask.
    if (isThere) await recover(run, 'keep');
    else if (run.state.open)
      run.append({ type: 'dispatch.abandoned', id: run.state.open.started.id, why, patch: null });
    const { writes, movedTo } = isThere ? leavingOf(run, reason) : { writes: [], movedTo: null };
    run.move(
      { name: abandoned, problem: { code: abandoned, message: reason } },
      { by: { who: host.user, how: 'command' }, writes },
    );
    run.project();
    const hasWorktree = run.state.input['worktree'] !== undefined && run.disk.exists(run.workspace);
    return { ...key, reason, movedTo, next: hasWorktree ? `pawl finish ${run.id}` : null };
  });
}

const why = 'the run was abandoned';

/** A1. */
function leavingOf(run: Run, reason: string): { readonly writes: readonly Write[]; readonly movedTo: string | null } {
  const own = run.workflow.abandonWrites?.(run.view(), reason);
  if (own) return { writes: own, movedTo: null };
  const { files, ...view } = run.view();
  const path = dirname(run.stateFile.path({ ...view, files }));
  if (!files.exists(path)) return { writes: [], movedTo: null };
  const place = `${dirname(path)}/.abandoned/${basename(path)}`;
  let moveTo = place;
  for (let number = 2; files.exists(moveTo); number += 1) moveTo = `${place}-${number}`;
  const at = new Date(run.host.now()).toISOString();
  const content = `# Abandoned\n\n${reason}\n\nBy ${run.host.user}, ${at}, in phase ${run.phase ?? 'new'}.\n`;
  return {
    writes: [
      { path: `${path}/ABANDONED.md`, content },
      { path, moveTo },
    ],
    movedTo: moveTo,
  };
}
