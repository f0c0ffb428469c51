/**
 * The arguments of bubblewrap for a box.
 *
 * B1. No capability, no new privilege, no other process, no terminal of the caller's.
 * B2. Everything in the box ends with bubblewrap, and bubblewrap with the process that started it.
 */

import { statusDescriptor } from '../workspace/box-status.ts';
import type { Mount } from './box.ts';

/** Of the descriptor on which bubblewrap tells the pid of the box, and how its program ended. */
export const statusOption = '--json-status-fd';

const isolated = [
  // B1.
  '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --new-session',
  // B2.
  `--die-with-parent ${statusOption} ${statusDescriptor}`,
  '--ro-bind / / --dev /dev --proc /proc',
].flatMap((words) => words.split(' '));

export interface BubblewrapFeatures {
  /** Since 0.8: no user namespace inside of the box. */
  readonly disableUserns: boolean;
}

/** `mounts` as `mountPlan` orders them; `isFile` tells files from folders among them. */
export function bubblewrapArguments(
  mounts: readonly Mount[],
  { cwd, features, isFile }: { cwd: string; features: BubblewrapFeatures; isFile: (path: string) => boolean },
): string[] {
  return [
    ...isolated,
    ...(features.disableUserns ? ['--disable-userns'] : []),
    ...mounts.flatMap(({ path, kind, source = path }) => {
      if (kind === 'hide') return isFile(path) ? ['--ro-bind', '/dev/null', path] : ['--tmpfs', path];
      return [kind === 'write' ? '--bind' : '--ro-bind', source, path];
    }),
    '--chdir',
    cwd,
    '--',
  ];
}
