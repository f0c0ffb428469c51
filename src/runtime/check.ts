/** Performs a check state: deterministic local work, answered with a signal. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedEnv, launch } from '../workspace/launcher.ts';
import type { CheckContext, CheckResult, CommandRun } from '../workflows/workflow.ts';
import type { Run } from './run.ts';

const outputBytesMax = 16 * 1024 * 1024;
const killGraceMs = 2_000;

export async function performCheck(run: Run, name: string): Promise<void> {
  run.observe({ type: 'check.started', check: name });
  const result = await runCheck(run, name);
  run.observe({ type: 'check.ended', check: name, signal: result.signal.name, notes: result.notes ?? [] });
  const step = run.move(result.signal, { writes: result.writes ?? [] });
  if (step.kind === 'refusal')
    throw new Error(`the check ${name} gave "${result.signal.name}", which its state refuses: ${step.reason}`);
}

/** Only finds out; nothing is recorded or written. */
export async function runCheck(run: Run, name: string): Promise<CheckResult> {
  const check = run.workflow.checks[name];
  if (!check) throw new Error(`the workflow has no check "${name}"`);
  return check(checkContext(run, name));
}

function checkContext(run: Run, name: string): CheckContext {
  let count = 0;
  return {
    ...run.view(),
    exec: (command, { timeoutMs }) => {
      count += 1;
      const folder = join(run.folder, 'checks', `${run.records.length}-${name}-${count}`);
      return execute(run, command, { timeoutMs, folder });
    },
    treeDigest: async () => run.tree.digest(await run.tree.snapshot(), [run.workflow.controlFolder]),
    changedFiles: async () => {
      const now = await run.tree.snapshot();
      const changed = await run.tree.changed(run.state.firstTree ?? now, now);
      return changed.map(({ path }) => path).filter((path) => !path.startsWith(`${run.workflow.controlFolder}/`));
    },
    diff: async () => {
      const now = await run.tree.snapshot();
      return run.tree.diff(run.state.firstTree ?? now, now, { exceptFolders: [run.workflow.controlFolder] });
    },
  };
}

async function execute(
  run: Run,
  command: readonly string[],
  { timeoutMs, folder }: { timeoutMs: number; folder: string },
): Promise<CommandRun> {
  const [program = '', ...args] = command;
  mkdirSync(folder, { recursive: true });
  const outputFile = join(folder, 'output.log');
  const ended = await launch({
    command: program,
    args,
    cwd: run.workspace,
    env: allowedEnv({}),
    stdin: '',
    stdoutFile: outputFile,
    stderrFile: outputFile,
    timeoutMs,
    killGraceMs,
    outputBytesMax,
    signal: run.surroundings.interrupted,
  });
  return {
    command,
    exitCode: ended.exitCode,
    timedOut: ended.timedOut,
    missing: ended.spawnError?.code === 'ENOENT',
    output: readFileSync(outputFile, 'utf8'),
    outputFile,
  };
}
