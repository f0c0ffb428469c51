/** Commands of the project itself, run in the workspace: checks and the setup of a worktree. */

import { allowedEnv, type ProcessEnd, type LaunchOptions } from '../workspace/launcher.ts';
import type { Box } from '../sandbox/box.ts';
import { commandBox, confinementOf, tellDenied } from './confinement.ts';
import { dispatchMarker, endOrphans, markerOf } from './dispatch-marker.ts';
import type { Run } from './run.ts';

const outputBytesMax = 16 * 1024 * 1024;
const killGraceMs = 2_000;

/** What a command is for; by it its processes are found again after a crash, as a dispatch's are by its number. */
export type Purpose = '#check' | '#setup' | '#notify';

export interface ProjectCommand {
  readonly purpose: Purpose;
  readonly outputFile: string;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Beyond the workspace. */
  readonly folders?: Partial<Pick<Box, 'read' | 'write'>>;
  /** Another folder than the workspace to start in. */
  readonly cwd?: string;
}

/** It may be code an agent wrote, so it runs as agents do, and leaves nothing running; both outputs go to one file. */
export async function runProjectCommand(
  run: Run,
  command: readonly string[],
  { purpose, outputFile, timeoutMs, env, folders = {}, cwd = run.workspace }: ProjectCommand,
): Promise<ProcessEnd> {
  const ended = await launch(run, command, ['write', folders], {
    cwd,
    env: allowedEnv({ ...env, ...markedFor(run, purpose), ...withoutNotices }),
    marker: `${dispatchMarker}=${markerOf(run.folder, purpose)}`,
    stdoutFile: outputFile,
    stderrFile: outputFile,
    timeoutMs,
    killGraceMs,
    outputBytesMax,
    signal: run.host.interrupted,
  });
  await endOrphans(run, purpose, killGraceMs);
  return ended;
}

/** Package managers would ask the network for newer versions of themselves. */
const withoutNotices = { npm_config_update_notifier: 'false', NO_UPDATE_NOTIFIER: '1' };

type CommandOptions = Omit<LaunchOptions, 'command' | 'args' | 'stdin'>;

async function launch(
  run: Run,
  [command = '', ...args]: readonly string[],
  [access, folders]: readonly [Box['access'], ProjectCommand['folders']?],
  options: CommandOptions,
): Promise<ProcessEnd> {
  const { level } = await confinementOf(run);
  const box = commandBox(run, level, access, folders);
  const ended = await run.host.launch({ box, command, args, stdin: '', ...options });
  tellDenied(run, command, ended);
  return ended;
}

/** How a process failed, in words; null when it exited with status 0. */
export function failureOf(ended: ProcessEnd, timeLimit: string): string | null {
  if (ended.spawnError) return `could not be started: ${ended.spawnError.message}`;
  if (ended.timedOut) return `timed out after ${timeLimit}`;
  if (ended.outputExceeded) return 'was killed: it wrote more output than allowed';
  if (ended.exitCode === 0) return null;
  return ended.signal === null ? `exited with status ${ended.exitCode}` : `was killed by ${ended.signal}`;
}

export function markedFor(run: Run, purpose: Purpose): Record<string, string> {
  return { [dispatchMarker]: markerOf(run.folder, purpose) };
}
