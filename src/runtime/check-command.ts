/** Commands of checks: what they leave in the git directory is put back, as after a dispatch. */

import { join } from 'node:path';
import type { CommandRun } from '../workflows/workflow.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import { gitBefore, keepGitWithinBounds } from './git-bounds.ts';
import { runProjectCommand, type ProjectCommand } from './project-command.ts';
import { redactionFor } from './redaction.ts';
import type { Run } from './run.ts';

const attemptsMax = 3;
const pauseMs = 500;

/** Somebody killed it: that says nothing about what it was to find out. */
function isCutOff(run: Run, { signal, timedOut, outputExceeded }: ProcessEnd): boolean {
  return signal !== null && !timedOut && !outputExceeded && !run.host.interrupted.aborted;
}

/** Runs it for a check, with its output in a folder of its own. */
export async function execute(
  run: Run,
  command: readonly string[],
  folder: string,
  options: Pick<ProjectCommand, 'timeoutMs' | 'env' | 'folders' | 'cwd'>,
): Promise<CommandRun> {
  run.disk.mkdir(folder);
  const outputFile = join(folder, 'output.log');
  // The same check may have been cut off before, and its old output would be taken for this one's.
  run.disk.writeFile(outputFile, '');
  // Git itself is run by workflows only, for what they themselves want of it: a tag, say.
  const git = command[0] === 'git' ? undefined : await gitBefore(run);
  let ended = await runProjectCommand(run, command, { purpose: '#check', outputFile, ...options });
  // What ended the processes of a killed Pawl may still be at it, and finds those of the repeated check too.
  for (let attempt = 1; attempt < attemptsMax && isCutOff(run, ended); attempt += 1) {
    await run.host.sleep(attempt * pauseMs, run.host.interrupted);
    run.disk.writeFile(outputFile, '');
    ended = await runProjectCommand(run, command, { purpose: '#check', outputFile, ...options });
  }
  await keepGitWithinBounds(run, git, { name: 'check', writes: true, folder });
  const { exitCode, timedOut, spawnError } = ended;
  const output = redactionFor()(run.disk.readFile(outputFile).toString());
  return { command, exitCode, timedOut, missing: spawnError?.code === 'ENOENT', output, outputFile };
}
