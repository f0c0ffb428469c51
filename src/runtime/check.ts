/**
 * Performs a check state: deterministic local work, answered with a signal.
 *
 * H1. A check that was interrupted found out nothing: the run does not move, and the check is made again.
 * H2. What a check runs is code an agent may have written: it carries a marker like a dispatch's processes do.
 */

import { join } from 'node:path';
import { toneOf } from '../engine/machine.ts';
import type { Effect } from '../engine/transition.ts';
import type { CheckContext, CheckResult, CommandRun } from '../workflows/workflow.ts';
import { runProjectCommand } from './project-command.ts';
import type { Run } from './run.ts';
import { changedPaths } from './tree-changes.ts';

type CheckEffect = Extract<Effect, { type: 'check' }>;

export async function performCheck(run: Run, effect: CheckEffect): Promise<void> {
  const { check: name } = effect;
  run.observe({ type: 'check.started', check: name });
  const result = await runCheck(run, effect);
  if (run.host.interrupted.aborted) return;
  const signal = result.signal.name;
  const tone = toneOf(run.workflow.machine, signal);
  run.observe({ type: 'check.ended', check: name, signal, tone, notes: result.notes ?? [] });
  const step = run.move(result.signal, { writes: result.writes ?? [] });
  if (step.kind === 'refusal')
    throw new Error(`the check ${name} gave "${signal}", which its state refuses: ${step.reason}`);
}

/** Only finds out; nothing is recorded or written. */
async function runCheck(run: Run, { check: name, item }: CheckEffect): Promise<CheckResult> {
  const check = run.workflow.checks[name];
  if (!check) throw new Error(`the workflow has no check "${name}"`);
  return check({ ...checkContext(run, name), ...(item && { item }) });
}

function checkContext(run: Run, name: string): CheckContext {
  let count = 0;
  return {
    ...run.view(),
    exec: (command, { timeoutMs }) => {
      count += 1;
      const folder = join(run.folder, 'checks', `${run.held.length}-${name}-${count}`);
      return execute(run, command, { timeoutMs, folder });
    },
    treeDigest: async () => run.digestOf(await run.tree.snapshot()),
    changedFiles: async () => {
      const now = await run.tree.snapshot();
      const changed = await changedPaths(run, run.state.firstTree ?? now, now);
      return changed.filter((path) => !path.startsWith(`${run.workflow.controlFolder}/`));
    },
    diff: async () => {
      const now = await run.tree.snapshot();
      return run.tree.diff(run.state.firstTree ?? now, now, { exceptFolders: run.unjudged });
    },
  };
}

async function execute(
  run: Run,
  command: readonly string[],
  { timeoutMs, folder }: { timeoutMs: number; folder: string },
): Promise<CommandRun> {
  run.disk.mkdir(folder);
  const outputFile = join(folder, 'output.log');
  // The same check may have been cut off before, and what it had said would be taken for this one's words.
  run.disk.writeFile(outputFile, '');
  const ended = await runProjectCommand(run, command, { purpose: '#check', outputFile, timeoutMs });
  return {
    command,
    exitCode: ended.exitCode,
    timedOut: ended.timedOut,
    missing: ended.spawnError?.code === 'ENOENT',
    output: run.disk.readFile(outputFile).toString(),
    outputFile,
  };
}
