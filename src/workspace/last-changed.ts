import { dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';

/** When a file last changed (ms), or its nearest existing parent folder when it is gone. */
export function lastChangedAt(root: string, path: string, disk: Disk = nodeDisk): number {
  for (let at = join(root, path); ; at = dirname(at)) {
    const found = disk.entry(at);
    if (found) return Math.max(found.ctimeMs, found.mtimeMs);
    if (at === root || at === dirname(at)) return 0;
  }
}
