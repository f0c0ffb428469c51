/** Commands of the project itself, run in the workspace: checks, and what prepares a worktree. */

import { allowedEnv, type Ended } from '../workspace/launcher.ts';
import { dispatchMarker, markerOf } from './dispatch-marker.ts';
import { endOrphans } from './orphans.ts';
import type { Run } from './run.ts';

const outputBytesMax = 16 * 1024 * 1024;
const killGraceMs = 2_000;

/** What a command is for; by it its processes are found again after a crash, as a dispatch's are by its number. */
export type Purpose = '#check' | '#setup';

/** It may be code an agent wrote, so it runs as agents do; both outputs go to one file. */
export function runProjectCommand(
  run: Run,
  [command = '', ...args]: readonly string[],
  { purpose, outputFile, timeoutMs }: { purpose: Purpose; outputFile: string; timeoutMs: number },
): Promise<Ended> {
  return run.host.launch({
    command,
    args,
    cwd: run.workspace,
    env: allowedEnv(markedFor(run, purpose)),
    stdin: '',
    stdoutFile: outputFile,
    stderrFile: outputFile,
    timeoutMs,
    killGraceMs,
    outputBytesMax,
    signal: run.host.interrupted,
  });
}

/** Ends what a command that was cut off left running. */
export async function endProjectCommands(run: Run, purpose: Purpose): Promise<void> {
  await endOrphans(run, purpose, killGraceMs);
}

export function markedFor(run: Run, purpose: Purpose): Record<string, string> {
  return { [dispatchMarker]: markerOf(run.folder, purpose) };
}
