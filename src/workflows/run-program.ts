/** Programs of the project that checks run, and how they ended. */

import type { CheckContext, CommandRun } from './workflow.ts';

export interface ProgramRun extends CommandRun {
  readonly end: 'passed' | 'failed' | 'timed_out' | 'missing';
  readonly words: string;
}

export async function runProgram(
  { exec }: Pick<CheckContext, 'exec'>,
  command: readonly string[],
  minutes: number,
): Promise<ProgramRun> {
  const run = await exec(command, { timeoutMs: minutes * 60_000 });
  return { ...run, ...endOf(run) };
}

function endOf({ missing, timedOut, exitCode }: CommandRun): Pick<ProgramRun, 'end' | 'words'> {
  if (missing) return { end: 'missing', words: 'is not installed' };
  if (timedOut) return { end: 'timed_out', words: 'took too long' };
  if (exitCode === 0) return { end: 'passed', words: 'passed' };
  return { end: 'failed', words: `exited with status ${exitCode}` };
}
