/**
 * Performs a check state: deterministic local work, answered with a signal.
 *
 * H1. A check that was interrupted found out nothing: the run does not move, and the check is made again.
 * H2. What a check runs is code an agent may have written: it carries a marker like a dispatch's processes do.
 */

import { join } from 'node:path';
import { toneOf } from '../engine/machine.ts';
import type { Effect } from '../engine/transition.ts';
import type { CheckContext, CommandRun } from '../workflows/workflow.ts';
import { runProjectCommand } from './project-command.ts';
import { redactionFor } from './redaction.ts';
import type { Run } from './run.ts';
import { changedPaths, ownFiles } from './tree-changes.ts';

type CheckEffect = Extract<Effect, { type: 'check' }>;

export async function performCheck(run: Run, { check: name, item }: CheckEffect): Promise<void> {
  run.observe({ type: 'check.started', check: name });
  const check = run.workflow.checks[name];
  if (!check) throw new Error(`the workflow has no check "${name}"`);
  const { signal, notes = [], writes = [] } = await check({ ...checkContext(run, name), ...(item && { item }) });
  if (run.host.interrupted.aborted) return;
  const tone = toneOf(run.workflow.machine, signal.name);
  run.observe({ type: 'check.ended', check: name, signal: signal.name, tone, notes });
  const step = run.move(signal, { writes });
  if (step.kind === 'refusal')
    throw new Error(`the check ${name} gave "${signal.name}", which its state refuses: ${step.reason}`);
}

/** Only finds out; nothing is recorded or written. */
function checkContext(run: Run, name: string): CheckContext {
  let count = 0;
  const first = (now: string): string => run.state.firstTree ?? now;
  const changedIn = async (from: string, to: string): Promise<readonly string[]> => {
    const changed = await changedPaths(run, from, to);
    return changed.filter((path) => !path.startsWith(`${run.workflow.controlFolder}/`));
  };
  return {
    ...run.view(),
    exec: (command, { timeoutMs }) => {
      count += 1;
      return execute(run, command, join(run.folder, 'checks', `${run.held.length}-${name}-${count}`), timeoutMs);
    },
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

async function execute(run: Run, command: readonly string[], folder: string, timeoutMs: number): Promise<CommandRun> {
  run.disk.mkdir(folder);
  const outputFile = join(folder, 'output.log');
  // The same check may have been cut off before, and its old output would be taken for this one's.
  run.disk.writeFile(outputFile, '');
  const ended = await runProjectCommand(run, command, { purpose: '#check', outputFile, timeoutMs });
  const { exitCode, timedOut, spawnError } = ended;
  const output = redactionFor()(run.disk.readFile(outputFile).toString());
  return { command, exitCode, timedOut, missing: spawnError?.code === 'ENOENT', output, outputFile };
}
