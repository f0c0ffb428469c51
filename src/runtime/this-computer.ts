/** The computer this process runs on, as runs need it. */

import { nodeDisk } from '../disk/node-disk.ts';
import { launch } from '../workspace/launcher.ts';
import { endProcesses, findByMarker } from '../workspace/processes.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { Computer } from './host.ts';

export const thisComputer: Computer = {
  disk: nodeDisk,
  launch,
  endMarked: async ({ name, value }, graceMs) => {
    const alive = findByMarker(name, value);
    if (alive.length > 0) await endProcesses(alive, { graceMs });
  },
  workTree: (place) => new WorkTree(place),
};
