/**
 * The sandbox of this computer: which level it reaches, found out once by starting boxes with the very flags, and how a
 * program is started in a box.
 *
 * S1. Its programs come from system folders only: a PATH may lead into a repository.
 * S2. A program that was to run in a box never runs without one, nor in a weaker one.
 */

import type { BoxedProgram } from './box-mounts.ts';
import type { Box } from './box.ts';
import { isLower, type SandboxProbe } from './level.ts';
import { findLinuxSandbox } from './linux-sandbox.ts';
import { findMacSandbox } from './mac-sandbox.ts';

export interface ProgramToBox extends BoxedProgram {
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface BoxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it tells of the box on a descriptor, as bubblewrap does. */
  readonly tellsStatus: boolean;
  /** Called when the program has ended. */
  readonly close: () => void;
}

export interface Sandbox extends SandboxProbe {
  /** `onDenied` is told the hosts that were refused. */
  readonly enter: (box: Box, program: ProgramToBox, onDenied: (target: string) => void) => Promise<BoxedCommand>;
}

/** The box that a program was to run in cannot be had any more: stop (S2). */
class SandboxLost extends Error {
  readonly code = 'SandboxLost';
}

let found: Promise<Sandbox> | undefined;

function sandbox(): Promise<Sandbox> {
  if (!found) process.once('exit', () => (found = undefined));
  return (found ??= findSandbox());
}

function findSandbox(): Promise<Sandbox> {
  if (process.platform === 'linux') return findLinuxSandbox();
  if (process.platform === 'darwin') return findMacSandbox();
  const problem = `there is no sandbox for ${process.platform}`;
  return Promise.resolve({ level: 'none', problem, enter: () => Promise.reject(new SandboxLost(problem)) });
}

/** Cached for the life of this process: the answer does not change while a command runs. */
export async function probeSandbox(): Promise<SandboxProbe> {
  const { level, problem } = await sandbox();
  return { level, problem };
}

export const enterBox: Sandbox['enter'] = async (box, program, onDenied) => {
  const { level, problem, enter } = await sandbox();
  if (isLower(level, box.level)) throw new SandboxLost(`the sandbox level ${box.level} cannot be reached: ${problem}`);
  return enter(box, program, onDenied);
};
