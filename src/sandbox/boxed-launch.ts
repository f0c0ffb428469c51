/** Starts programs in their boxes; everything else is the launcher's. */

import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { codeOf } from '../disk/disk-error.ts';
import { explain, launch, type LaunchOptions, type ProcessEnd } from '../workspace/launcher.ts';
import type { Box } from './box.ts';
import type { BoxedCommand } from './sandbox.ts';

/** Without a box the program runs like any other of the user's. */
export type BoxedLaunchOptions = LaunchOptions & { readonly box?: Box | null };

const deniedMax = 20;

export async function launchBoxed({ box, ...options }: BoxedLaunchOptions): Promise<ProcessEnd> {
  if (!box) return launch(options);
  const denied = new Set<string>();
  const { command, args, cwd, env } = options;
  const missing = Object.assign(new Error(), { code: 'ENOENT' });
  if (!isThere(command, cwd, env['PATH'] ?? ''))
    return notStarted({ code: missing.code, message: explain(missing, options) });
  let boxed: BoxedCommand;
  try {
    // Loaded late: many programs run without.
    const { enterBox } = await import('./sandbox.ts');
    boxed = await enterBox(box, { command, args, cwd, env }, (target) => denied.size < deniedMax && denied.add(target));
  } catch (error) {
    return notStarted({ code: codeOf(error), message: error instanceof Error ? error.message : String(error) });
  }
  const { close, ...inBox } = boxed;
  try {
    return { ...(await launch({ ...options, ...inBox })), denied: [...denied] };
  } finally {
    close();
  }
}

/** In a box it would be bubblewrap that starts, and fails. */
function isThere(command: string, cwd: string, path: string): boolean {
  if (!existsSync(cwd)) return false;
  if (command.includes('/')) return existsSync(resolve(cwd, command));
  return path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)));
}

function notStarted(spawnError: ProcessEnd['spawnError']): ProcessEnd {
  const calm = { exitCode: null, signal: null, timedOut: false, aborted: false, outputExceeded: false };
  return { ...calm, spawnError, stdinError: null, ms: 0, stderrTail: '' };
}
