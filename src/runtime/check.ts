/**
 * Performs a check state: deterministic local work, answered with a signal.
 *
 * H1. A check that was interrupted found out nothing: the run does not move, and the check is made again.
 * H2. What a check runs is code an agent may have written: it carries a marker like a dispatch's processes do.
 */

import { join } from 'node:path';
import { toneOf } from '../engine/machine.ts';
import type { Effect } from '../engine/transition.ts';
import type { CheckContext } from '../workflows/workflow.ts';
import { confinementOf } from './confinement.ts';
import { gitWork } from './git-work.ts';
import { ignoredNotes } from './ignored-changes.ts';
import { execute } from './check-command.ts';
import type { Run } from './run.ts';
import { changedPaths, ownFiles } from './tree-changes.ts';

type CheckEffect = Extract<Effect, { type: 'check' }>;

export async function performCheck(run: Run, { check: name, item }: CheckEffect): Promise<void> {
  run.observe({ type: 'check.started', check: name });
  const check = run.workflow.checks[name];
  if (!check) throw new Error(`the workflow has no check "${name}"`);
  const { hasRun, ...context } = checkContext(run, name);
  const { signal, notes = [], writes = [] } = await check({ ...context, ...(item && { item }) });
  if (run.host.interrupted.aborted) return;
  const tone = toneOf(run.workflow.machine, signal.name);
  const all = hasRun() ? [...notes, ...ignoredNotes(run)] : notes;
  run.observe({ type: 'check.ended', check: name, signal: signal.name, tone, notes: all });
  const step = run.move(signal, { writes });
  if (step.kind === 'refusal')
    throw new Error(`the check ${name} gave "${signal.name}", which its state refuses: ${step.reason}`);
}

/** Finds out, and works with git as far as that can be repeated; nothing is recorded. */
function checkContext(run: Run, name: string): CheckContext & { hasRun: () => boolean } {
  let count = 0;
  const nextFolder = (): string => join(run.folder, 'checks', `${run.held.length}-${name}-${(count += 1)}`);
  const first = (now: string): string => run.state.firstTree ?? now;
  const changedIn = async (from: string, to: string): Promise<readonly string[]> => {
    const changed = await changedPaths(run, from, to);
    return changed.filter((path) => !path.startsWith(`${run.workflow.controlFolder}/`));
  };
  return {
    ...run.view(),
    hasRun: () => count > 0,
    git: gitWork(run, nextFolder),
    exec: (command, { timeoutMs }) => execute(run, command, nextFolder(), { timeoutMs }),
    isConfined: async () => (await confinementOf(run)).level !== 'none',
    treeDigest: async () => run.digestOf(await run.tree.snapshot()),
    watch: async () => {
      const before = await run.tree.snapshot();
      return async () => changedIn(before, await run.tree.snapshot());
    },
    changedFiles: async () => {
      const now = await run.tree.snapshot();
      const [changed, isOwn] = [await changedIn(first(now), now), await ownFiles(run)];
      return changed.filter(isOwn);
    },
    diff: async () => {
      const now = await run.tree.snapshot();
      return run.tree.diff(first(now), now, { exceptFolders: run.unjudged });
    },
  };
}
